import { describe, expect, it } from "vitest";
import { createStepGate } from "../../../src/harness/step-check/gate.js";
import { stepCheck } from "../../../src/harness/step-check/check.js";
import { summariseSteps } from "../../../src/harness/step-check/summary.js";
import { fixedPorts } from "../../support/recording.js";
import { say } from "../../support/script.js";
import { model, recorded, RECORDED } from "./recorded.js";

const ports = fixedPorts();
/** 1 USD for each token of input, so that a prompt costs as many USD as it can have tokens. */
const DEAR = { input: 1_000_000, output: 0 };

describe("the limits of a step check", () => {
  it("check the first turns alone, over several recordings in their order", async () => {
    const gate = createStepGate({ maxTurns: 4 });
    const provider = model((turn) => RECORDED[turn] ?? say("?"));
    const checks = await Promise.all([
      stepCheck(await recorded(), provider, { gate, ports }),
      stepCheck(await recorded({ goal: "Sun?" }), provider, { gate, ports }),
    ]);
    expect(checks.map(({ turns }) => turns.map(({ state }) => state))).toEqual([
      ["compared", "compared", "compared"],
      ["compared", "not-asked", "not-asked"],
    ]);
    expect(checks[1]?.turns[1]).toEqual({ turn: 1, state: "not-asked", reason: "max-turns" });
  });

  it("make no call that could cost more, and go on where the ones before cost less than they could", async () => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    const provider = model((turn) => ({ ...(RECORDED[turn] ?? say("?")), usage }));
    const spend = async (maxCostUsd: number) => {
      const gate = createStepGate({ maxCostUsd, rate: DEAR });
      return summariseSteps([await stepCheck(await recorded(), provider, { gate, ports })]);
    };
    expect(await spend(10)).toMatchObject({ compared: 0, notAsked: 3 });
    expect(provider.asked).toHaveLength(0);
    // Enough for the longest prompt and the two USD that the others really cost, not for all three at once.
    expect(await spend(2_000)).toMatchObject({ compared: 3, notAsked: 0 });
  });

  it("hold whatever was reserved: the sum of what is under way and spent never goes beyond", async () => {
    const gate = createStepGate({ maxCostUsd: 3_000, rate: DEAR, concurrency: 8 });
    const request = { messages: [{ role: "user", content: "x".repeat(900) }] } as const;
    const first = await gate.take(request);
    const second = await gate.take(request);
    const third = await gate.take(request);
    expect([first, second, third].map((ticket) => typeof ticket)).toEqual(["object", "object", "object"]);
    let settled = false;
    const fourth = gate.take(request).finally(() => (settled = true));
    await Promise.resolve();
    expect(settled).toBe(false);
    if (typeof first === "object") first.settle({ ...say("x"), costUsd: 990 });
    if (typeof second === "object") second.settle({ ...say("x"), costUsd: 990 });
    if (typeof third === "object") third.settle();
    expect(typeof (await fourth)).toBe("object");
    expect(await Promise.race([gate.take(request), new Promise((end) => setImmediate(() => end("waits")))])).toBe(
      "waits",
    );
  });

  it("refuse a cost limit without a price, unless that is allowed; then what is reported decides", async () => {
    expect(() => createStepGate({ maxCostUsd: 1 })).toThrow(/price of the model is unknown/);
    const provider = model((turn) => ({ ...(RECORDED[turn] ?? say("?")), costUsd: 0.6 }));
    const gate = createStepGate({ maxCostUsd: 1, allowUnknownCost: true, concurrency: 1 });
    const check = await stepCheck(await recorded(), provider, { gate, ports });
    expect(check.turns.map(({ state }) => state)).toEqual(["compared", "compared", "not-asked"]);
  });

  it("run as many calls at once as they say", async () => {
    let [now, most] = [0, 0];
    const provider = model(async (turn) => {
      most = Math.max(most, ++now);
      await new Promise((end) => setImmediate(end));
      now--;
      return RECORDED[turn] ?? say("?");
    });
    await stepCheck(await recorded(), provider, { gate: createStepGate({ concurrency: 2 }), ports });
    expect(most).toBe(2);
  });

  it.each([{ maxTurns: 0 }, { maxTurns: 1.5 }, { maxCostUsd: 0 }, { concurrency: 0 }, { concurrency: 65 }])(
    "refuse %j",
    (limits) => {
      expect(() => createStepGate({ rate: DEAR, ...limits })).toThrow(/of a step check/);
    },
  );

  it("refuse an option that nobody reads", () => {
    expect(() => createStepGate({ maxcost: 1 } as never)).toThrow(/unknown option: maxcost/);
  });
});
