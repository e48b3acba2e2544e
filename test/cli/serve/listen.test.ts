import { expect, test } from "vitest";
import { untilSignal } from "../../../src/cli/serve/listen.js";

/** The listeners that were added since `before`. */
function addedTo(before: readonly unknown[]): NodeJS.SignalsListener[] {
  return process.listeners("SIGINT").filter((listener) => !before.includes(listener)) as NodeJS.SignalsListener[];
}

test("an echo of the signal is ignored after the end too", async () => {
  const before = process.listeners("SIGINT");
  const stop = untilSignal();
  const [listener] = addedTo(before);
  process.emit("SIGINT", "SIGINT");
  await stop.stopped;
  stop.now();
  expect(addedTo(before)).toEqual([listener]);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, listener as () => void);
});

test("signals end the process again where none came before the end", async () => {
  const before = process.listeners("SIGINT");
  const stop = untilSignal();
  stop.now();
  await stop.stopped;
  expect(addedTo(before)).toEqual([]);
});
