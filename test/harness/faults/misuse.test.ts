// Whatever somebody hands in by mistake is named at once, with the value and what to give; nothing is struck, and nothing runs.

import { describe, expect, it } from "vitest";
import { AgentError } from "../../../src/core/errors.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import type { RunResult } from "../../../src/core/runtime/run-plan.js";
import { HarnessError } from "../../../src/harness/errors.js";
import { describeFault, everyFault, type Fault } from "../../../src/harness/faults/fault.js";
import { faultyProvider } from "../../../src/harness/faults/provider.js";
import { formatSurvival, surviveFaults, type Trial } from "../../../src/harness/faults/survive.js";
import { faultyTool } from "../../../src/harness/faults/tool.js";
import { tool } from "../../support/script.js";
import { everyToolFault } from "../../support/tool-faults.js";

/** Calls as a file without types makes them. */
const loose = {
  faultyProvider: faultyProvider as (...args: unknown[]) => unknown,
  faultyTool: faultyTool as (...args: unknown[]) => unknown,
  surviveFaults: surviveFaults as (...args: unknown[]) => Promise<unknown>,
  formatSurvival: formatSurvival as (...args: unknown[]) => unknown,
  describeFault: describeFault as (...args: unknown[]) => unknown,
  everyFault: everyFault as (...args: unknown[]) => unknown,
};

async function thrownBy(work: () => unknown): Promise<HarnessError | AgentError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof HarnessError || error instanceof AgentError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

async function expectUnclear(work: () => unknown, text: string): Promise<void> {
  const error = await thrownBy(work);
  expect(error.message).toContain(text);
  expect(error).toBeInstanceOf(HarnessError);
  expect(error.code).toBe("faults-unclear");
}

const faults: Fault[] = [{ kind: "hang" }];
const hang = { kind: "hang" } as const;
const struckAt = (...calls: unknown[]) => ({ schedule: calls.map((call) => ({ call, fault: hang })) });
const own = tool("work", () => "done");

const BAD_PLANS: [string, unknown, string][] = [
  ["no options", undefined, "the options are undefined. The options are faults, rate"],
  ["null", null, "the options are null"],
  ["a number", 5, "the options are 5"],
  ["a list", [], "the options are a list"],
  ["an unknown option", { fault: faults }, "unknown option: fault"],
  ["null in place of faults", { faults: null }, "faults must be a list with at least one fault"],
  ["a number in place of faults", { faults: 5 }, "faults must be a list with at least one fault"],
  ["a kind in place of faults", { faults: "hang" }, "faults must be a list with at least one fault"],
  ["null in place of a schedule", { schedule: null }, "schedule is null: give a list of { call, fault }"],
  ["a number in place of a schedule", { schedule: 5 }, "schedule is 5"],
  ["an empty entry", { schedule: [null] }, "schedule has the call undefined"],
  ["an entry without a fault", { schedule: [{ call: 0 }] }, "the fault of call 0: kind is undefined"],
  ["an unknown fault in a schedule", { schedule: [{ call: 3, fault: { kind: "gone" } }] }, 'call 3: kind is "gone"'],
  ["a misspelled entry", { schedule: [{ call: 0, fault: hang, after: 1 }] }, "the entry of call 0: has no after"],
  ["a call as text", struckAt("0"), 'schedule has the call "0"'],
  ["half a call", struckAt(0.5), "schedule has the call 0.5"],
  ["a call before the first", struckAt(0, -1), "schedule has the call -1"],
  ["no number of a call", struckAt(Number.NaN), "schedule has the call NaN"],
  ["two faults at one call", struckAt(4, 0, 4), "schedule has two faults at call 4"],
  ["a rate as text", { faults, rate: "0.5" }, 'rate is "0.5": give a share from 0 to 1'],
  ["no rate", { faults, rate: null }, "rate is null"],
  ["a rate that is not a number", { faults, rate: Number.NaN }, "rate is NaN"],
  ["a rate below 0", { faults, rate: -0.1 }, "rate is -0.1"],
  ["a rate above 1", { faults, rate: 1.01 }, "rate is 1.01"],
  ["a seed as text", { faults, seed: "1" }, 'seed is "1": give a whole number'],
  ["half a seed", { faults, seed: 1.5 }, "seed is 1.5"],
  ["a seed beyond counting", { faults, seed: 2 ** 60 }, "seed is 115292150460684"],
  ["half a fault at most", { faults, maxFaults: 1.5 }, "maxFaults is 1.5: give a whole number"],
  ["no number of faults", { faults, maxFaults: Number.NaN }, "maxFaults is NaN"],
  ["faults at most as text", { faults, maxFaults: "3" }, 'maxFaults is "3"'],
  ["a misspelled field", { faults: [{ kind: "hang", ms: 5 }] }, "fault 0: hang has no ms"],
  ["a kind of Object.prototype", { faults: [{ kind: "toString" }] }, 'kind is "toString"'],
  ["invalid ports", { faults, ports: 5 }, "ports is 5"],
  ["an invalid port", { faults, ports: { timer: 5 } }, "ports.timer is 5: pass a function"],
];

describe("a plan that cannot be", () => {
  it.each(BAD_PLANS)("is refused by faultyProvider: %s", async (_name, options, text) => {
    await expectUnclear(() => loose.faultyProvider(echoProvider(), options), text);
  });

  it.each(BAD_PLANS)("is refused by faultyTool: %s", async (_name, options, text) => {
    await expectUnclear(() => loose.faultyTool(own, options), text);
  });

  it("is refused with all that is wrong with it, up to ten things", async () => {
    const all = { faults: [5], rate: 2, seed: "a" };
    await expectUnclear(
      () => loose.faultyProvider(echoProvider(), all),
      "; rate is 2: give a share from 0 to 1; seed is",
    );
    const gone = Array.from({ length: 500 }, () => ({ kind: "gone" }));
    const error = await thrownBy(() => loose.faultyProvider(echoProvider(), { faults: gone }));
    expect(error.message).toContain(" and 490 more");
    expect(error.message.length).toBeLessThan(5_000);
  });

  it("is told from a long one: 100,000 entries are looked through at once", () => {
    const schedule = Array.from({ length: 100_000 }, (_, call) => ({ call, fault: hang }));
    expect(faultyProvider(echoProvider(), { schedule }).pending).toHaveLength(100_000);
  });
});

describe("a fault that cannot be", () => {
  it.each<[string, unknown, string]>([
    ["a latency as text", { kind: "latency", ms: "5" }, 'ms is "5"'],
    ["a latency of nothing", { kind: "latency", ms: null }, "ms is null"],
    ["no latency", { kind: "latency" }, "ms is undefined"],
    ["a latency beyond what a timer waits", { kind: "latency", ms: 2 ** 31 }, "the longest that a timer waits"],
    ["a latency without end", { kind: "latency", ms: Infinity }, "ms is Infinity"],
    ["a share as text", { kind: "torn", how: "reset", after: "0.5" }, 'after is "0.5": give a share from 0 to 1'],
    ["a share of nothing", { kind: "torn", how: "reset", after: null }, "after is null"],
    ["a share below 0", { kind: "torn", how: "reset", after: -1 }, "after is -1"],
    ["no way to tear", { kind: "torn" }, "how is undefined: give one of closed, reset, stalled, error"],
    ["a misspelled share", { kind: "torn", how: "reset", afer: 0.2 }, "torn has no afer: it has how, after"],
    ["a wire of Object.prototype", { kind: "http", error: "auth", wire: "toString" }, 'wire is "toString"'],
    [
      "an error of Object.prototype",
      { kind: "http", error: "toString" },
      'error is "toString": give one of rate-limit',
    ],
    ["an error that is not text", { kind: "http", error: 429 }, "error is 429: give a string"],
    ["no word of a body", { kind: "wrong-json" }, "body is undefined"],
  ])("is refused: %s", async (_name, fault, text) => {
    await expectUnclear(() => loose.faultyProvider(echoProvider(), { faults: [fault] }), text);
    await expectUnclear(() => loose.faultyProvider(echoProvider(), { schedule: [{ call: 0, fault }] }), text);
    await expectUnclear(() => loose.surviveFaults(() => undefined, { faults: [fault] }), text);
    await expectUnclear(() => loose.describeFault(fault), text);
  });

  it.each<[string, unknown, string]>([
    ["a wait as text", { kind: "slow", ms: "5" }, 'ms is "5"'],
    ["a wait beyond what a timer waits", { kind: "slow", ms: 1e15 }, "ms is 1000000000000000"],
    ["invalid words", { kind: "throw", message: 5 }, "message is 5: give a string"],
    ["half a character", { kind: "huge", characters: 1.5 }, "characters is 1.5: give a whole number"],
    ["characters as text", { kind: "huge", characters: "5" }, 'characters is "5"'],
    ["a value that is not JSON", { kind: "wrong-type", value: 5n }, "value is 5: give plain JSON"],
    ["a value that is a function", { kind: "wrong-type", value: () => 1 }, "value is a function"],
    ["a misspelled field", { kind: "huge", length: 3 }, "huge has no length: it has characters"],
  ])("is refused in a tool: %s", async (_name, fault, text) => {
    await expectUnclear(() => loose.faultyTool(own, { faults: [fault] }), text);
  });

  it("has no list", async () => {
    await expectUnclear(() => loose.everyFault("smoke"), 'no wire is called "smoke"');
    await expectUnclear(() => loose.everyFault("toString"), 'no wire is called "toString"');
    await expectUnclear(() => loose.faultyProvider(echoProvider(), { faults, wire: null }), "no wire is called null");
  });
});

describe("what is struck", () => {
  it.each([null, undefined, 5, "openai", {}, { turn: 5 }])("is not a provider: %j", async (provider) => {
    const error = await thrownBy(() => loose.faultyProvider(provider, { faults }));
    expect(error).toMatchObject({ code: "invalid-options" });
    expect(error.message).toContain("faultyProvider needs a provider");
  });

  it("is the provider of a handle, not the handle", async () => {
    const error = await thrownBy(() => loose.faultyProvider({ provider: echoProvider() }, { faults }));
    expect(error.hint).toBe("Pass handle.provider.");
  });

  it.each([null, undefined, 5, {}, { name: "work" }, { invoke: () => 1 }])("is not a tool: %j", async (given) => {
    await expectUnclear(() => loose.faultyTool(given, { faults: [{ kind: "throw" }] }), "the tool is ");
  });
});

describe("surviveFaults", () => {
  const run = () => Promise.resolve({ finalAnswer: "done" } as unknown as RunResult);

  it.each<[string, unknown[], string]>([
    ["no run", [], "the run is undefined: give a function that starts one"],
    ["a run that was started", [run()], "the run is an object"],
    ["null", [run, null], "the options are null"],
    ["a list in place of options", [run, faults], "the options are a list"],
    ["an unknown option", [run, { fault: faults }], "unknown option: fault"],
    ["no fault", [run, { faults: [] }], "faults must be a list with at least one fault"],
    ["invalid faults", [run, { faults: 5 }], "faults must be a list"],
    ["no call", [run, { calls: [] }], "calls must be a list with at least one call"],
    ["a number in place of calls", [run, { calls: 0 }], "calls must be a list"],
    ["a call before the first", [run, { calls: [-1] }], "calls has the call -1"],
    ["a call twice", [run, { calls: [1, 1] }], "calls has two faults at call 1"],
  ])("refuses %s", async (_name, args, text) => {
    await expectUnclear(() => loose.surviveFaults(...args), text);
  });

  it("refuses a run that strikes a value that is not a provider, also where the run goes on", async () => {
    const swallowing = async ({ faulty }: Trial) => {
      try {
        faulty(null as never);
      } catch {
        // As an agent may that tries another.
      }
      return run();
    };
    const silent = (trial: Trial) => swallowing(trial).then(() => undefined as unknown as RunResult);
    for (const one of [swallowing, silent]) {
      const error = await thrownBy(() => surviveFaults(one, { faults }));
      expect(error.message).toContain("needs a provider");
    }
  });

  it("refuses a refusal that the vendor which is struck never sends", async () => {
    const strike = ({ faulty }: Trial) => (faulty({ name: "ollama:m", turn: echoProvider().turn }), run());
    const quota: Fault[] = [{ kind: "http", error: "quota" }];
    await expectUnclear(() => surviveFaults(strike, { faults: quota }), 'error is "quota"');
  });

  it.each([undefined, null, 5, {}, { text: "done" }])(
    "refuses a run that gives %j, which is not a result",
    async (given) => {
      await expectUnclear(() => loose.surviveFaults(() => given, { faults }), "instead of a result");
    },
  );
});

describe("formatSurvival", () => {
  it.each<[unknown, string]>([
    [undefined, "the rows are undefined"],
    [5, "the rows are 5"],
    [[{ fault: { kind: "gone" } }], 'kind is "gone"'],
  ])("refuses %j", async (rows, text) => {
    await expectUnclear(() => loose.formatSurvival(rows), text);
  });
});

it("every fault in the lists of all can be", () => {
  expect(() => faultyProvider(echoProvider(), { faults: everyFault() })).not.toThrow();
  expect(() => faultyTool(own, { faults: everyToolFault() })).not.toThrow();
});
