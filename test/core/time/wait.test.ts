import { describe, expect, it } from "vitest";
import { sleep } from "../../../src/core/time/wait.js";
import { agentErrorOf } from "../../support/wire.js";

function manualTimer() {
  const timers: { ms: number; fire: () => void; stopped: boolean }[] = [];
  const timer = (ms: number, fire: () => void) => {
    const entry = { ms, fire, stopped: false };
    timers.push(entry);
    return () => void (entry.stopped = true);
  };
  return { timers, timer };
}

describe("sleep", () => {
  it("REL-78 ends when the timer of the ports fires, and not before", async () => {
    const { timers, timer } = manualTimer();
    let woke = false;
    const waiting = sleep(250, { timer }).then(() => (woke = true));
    await Promise.resolve();
    expect([woke, timers[0]?.ms]).toEqual([false, 250]);
    timers[0]?.fire();
    await waiting;
    expect(woke).toBe(true);
  });

  it("ends with the caller's abort and stops its timer", async () => {
    const { timers, timer } = manualTimer();
    const controller = new AbortController();
    const waiting = agentErrorOf(() => sleep(250, { timer }, controller.signal));
    controller.abort("enough");
    expect(await waiting).toMatchObject({ code: "aborted", cause: "enough" });
    expect(timers[0]?.stopped).toBe(true);
  });

  it("sets no timer for a signal that has fired, and keeps a long wait from firing at once", async () => {
    const { timers, timer } = manualTimer();
    expect(await agentErrorOf(() => sleep(250, { timer }, AbortSignal.abort()))).toMatchObject({ code: "aborted" });
    expect(timers).toEqual([]);
    void sleep(Number.MAX_SAFE_INTEGER, { timer });
    expect(timers[0]?.ms).toBe(2_147_483_647);
  });
});
