// A progress line on a terminal's stderr, for work of more than a second. It disappears when the work is done.

import { PROGRESS_QUIET_MS, PROGRESS_REDRAW_MS } from "../limits.js";
import type { CliIo } from "./io.js";

const CLEAR_LINE = "\r\u001b[2K";

export interface Progress {
  step(done: number, total: number): void;
  /** Removes the line, if there is one. */
  clear(): void;
}

/** `what` is a constant word such as "verifying"; `now` gives milliseconds. */
export function createProgress(io: CliIo, what: string, now: () => number = () => performance.now()): Progress {
  const isOn = isWatched(io);
  let due = now() + PROGRESS_QUIET_MS;
  let isShown = false;
  return {
    step(done, total) {
      if (!isOn || now() < due) return;
      due = now() + PROGRESS_REDRAW_MS;
      isShown = true;
      io.stderr(`${CLEAR_LINE}${what} ${done}${total > 0 ? `/${total}` : ""}`);
    },
    clear() {
      if (isShown) io.stderr(CLEAR_LINE);
      isShown = false;
    },
  };
}

/** True for a terminal that can clear a line. A log of CI keeps every line, a dumb terminal prints the escapes, and NO_COLOR forbids them. */
function isWatched({ stderrIsTTY, env }: CliIo): boolean {
  const { CI = "", TERM, NO_COLOR = "" } = env;
  return (
    stderrIsTTY && TERM !== "dumb" && NO_COLOR === "" && ["", "false", "0", "no", "off"].includes(CI.toLowerCase())
  );
}
