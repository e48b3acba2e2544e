"""An agent without a package: it answers each line with one line, and passes markers on.

python3 peer.py SPEC. Each message is answered with its text in upper case.
"""

import json
import sys

for line in sys.stdin:
    line = line.rstrip("\n")
    if line.startswith("\x01"):
        # A marker says to whoever sent it that everything before it was answered.
        answer = line
    else:
        answer = json.dumps(str(json.loads(line)).upper())
    print(answer, flush=True)
