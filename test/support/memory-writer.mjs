// A separate process that writes to a memory until it is killed, with a line on stdout for each write that has
// returned. Arguments: the host module, the file, the scope, the number of the first key, and the number of writes (0:
// without end).

import { writeSync } from "node:fs";

const [door, file, scope, first, count] = process.argv.slice(2);
const { openSqliteMemory } = await import(door);
const memory = await openSqliteMemory(file);
const last = Number(count) === 0 ? Infinity : Number(first) + Number(count);
for (let number = Number(first); number < last; number++) {
  memory.set(scope, `k${number}`, { number, filling: "x".repeat((number * 97) % 5000) });
  writeSync(1, `${number}\n`);
}
memory.close();
