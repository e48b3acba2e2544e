// A separate process that adds 1 to the number in a session until it is killed, or so many times, with a line on stdout for each commit
// that was kept. Arguments: the host module, the folder, the key, and the number of commits (0: without end).

import { writeSync } from "node:fs";

const [door, folder, key, count] = process.argv.slice(2);
const { FileSessionStore } = await import(door);
const store = new FileSessionStore(folder);
for (let left = Number(count) || Infinity; left > 0;) {
  const stored = await store.load(key);
  const number = (stored?.state.number ?? 0) + 1;
  const state = { number, filling: "x".repeat((number * 97) % 5000) };
  const end = await store.commit(key, { state }, { expectedVersion: stored?.version ?? null });
  if (!end.ok) continue;
  writeSync(1, `${end.version}\n`);
  left -= 1;
}
