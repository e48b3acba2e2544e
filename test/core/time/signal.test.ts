import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { joinSignals } from "../../../src/core/time/signal.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const fired = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => signal.addEventListener("abort", () => resolve(signal.reason), { once: true }));

describe("joined signals", () => {
  it("fire after a collection with a time limit that nothing else holds", async () => {
    const reason = fired(joinSignals(new AbortController().signal, AbortSignal.timeout(50)));
    for (let round = 0; round < 5; round++) {
      await turn();
      collect();
    }
    expect(await reason).toMatchObject({ name: "TimeoutError" });
  });

  it("have the reason of the first that fires", async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const joined = joinSignals(first.signal, second.signal);
    second.abort("late");
    first.abort("later");
    expect(joined.reason).toBe("late");
    expect(joinSignals(joined).aborted).toBe(true);
  });
});
