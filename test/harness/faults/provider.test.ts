import { describe, expect, it } from "vitest";
import type { LlmProviderAdapter, LlmTurnRequest, LlmTurnResponse } from "../../../src/core/model/provider.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import type { WireName } from "../../../src/core/vendors/table.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { fixedClock } from "../../../src/harness/doubles/clock.js";
import { collect } from "../../../src/harness/doubles/collect.js";
import { HarnessError } from "../../../src/harness/errors.js";
import { UNKNOWN_TOOL } from "../../../src/harness/faults/answer.js";
import { describeFault, everyFault, FAULT_KINDS, type Fault } from "../../../src/harness/faults/fault.js";
import { faultyProvider, type FaultyProviderOptions } from "../../../src/harness/faults/provider.js";
import { ask, say } from "../../support/script.js";
import { weatherTool } from "../../support/wire.js";

const request: LlmTurnRequest = { messages: [{ role: "user", content: "go" }], tools: [weatherTool] };
const wires = Object.keys(VENDORS) as WireName[];
const paid = { usage: { inputTokens: 40, outputTokens: 5 }, costUsd: 0.001, model: "m-1" };
const asking = ask(
  [
    { id: "a", name: "weather", arguments: { city: "Oslo" } },
    { id: "b", name: "weather", arguments: { city: "Rome" } },
  ],
  { content: "Let me look.", ...paid },
);

/** A script that can also stream: the text in one piece. */
function streaming(...steps: LlmTurnResponse[]): LlmProviderAdapter & { asked: number } {
  const script = scriptedProvider(steps);
  const provider = {
    name: "openai:m-1",
    asked: 0,
    turn: (one: LlmTurnRequest) => ((provider.asked += 1), script.turn(one)),
    async *stream(one: LlmTurnRequest) {
      const response = await provider.turn(one);
      yield { type: "text-delta" as const, text: response.message.content };
      yield { type: "response" as const, response };
    },
  };
  return provider;
}

/** What a caller gets by `turn` and, told as text, by `stream`; they must be one. */
async function struckBoth(fault: Fault, answer: LlmTurnResponse, wire: WireName): Promise<LlmTurnResponse> {
  const options = { wire, schedule: [{ call: 0, fault }] };
  const response = await faultyProvider(streaming(answer), options).turn(request);
  const streamed = await collect(faultyProvider(streaming(answer), options).stream?.(request) ?? emptyStream());
  if (streamed.kind !== "answered") throw new Error(streamed.kind);
  expect(streamed.response).toEqual(response);
  expect(streamed.text).toBe(response.message.content);
  return response;
}

async function* emptyStream() {}

describe("what the model gets wrong", () => {
  it.each(wires)("on the wire of %s: arguments that are not JSON", async (wire) => {
    const { message, stopReason } = await struckBoth({ kind: "malformed-arguments" }, asking, wire);
    expect(message.toolCalls).toMatchObject([
      { name: "weather", arguments: {}, malformedArguments: '{"query": "what was ask' },
    ]);
    expect(stopReason).toBe("toolUse");
  });

  it.each(wires)("on the wire of %s: each call twice, as our decoder tells them apart", async (wire) => {
    const same = await struckBoth({ kind: "duplicate-call", id: "same" }, asking, wire);
    expect(same.message.toolCalls?.map(({ id, arguments: args }) => [id, args["city"]])).toEqual([
      ...[
        ["a", "Oslo"],
        ["call_1", "Oslo"],
        ["b", "Rome"],
        ["call_3", "Rome"],
      ],
    ]);
    const other = await struckBoth({ kind: "duplicate-call", id: "new" }, asking, wire);
    expect(other.message.toolCalls?.map(({ id }) => id)).toEqual(["a", "a_again", "b", "b_again"]);
    expect(same).toMatchObject(paid);
  });

  it.each(wires)("on the wire of %s: a tool that nobody offers", async (wire) => {
    const { message } = await struckBoth({ kind: "unknown-tool" }, asking, wire);
    expect(message.toolCalls?.map(({ name }) => name)).toEqual([UNKNOWN_TOOL]);
  });

  it.each(wires)("on the wire of %s: a refusal, and silence", async (wire) => {
    const refused = await struckBoth({ kind: "refusal" }, asking, wire);
    expect(refused).toMatchObject({ stopReason: wire === "ollama" ? expect.any(String) : "contentFilter" });
    expect(refused.finalAnswer).toContain("can't help");
    const silent = await struckBoth({ kind: "empty-answer" }, asking, wire);
    expect(silent).toEqual({ message: { role: "assistant", content: "" }, finalAnswer: "", stopReason: "stop" });
  });

  it.each(wires)("on the wire of %s: an answer cut by its length", async (wire) => {
    const words = await struckBoth({ kind: "cut-by-length" }, say("Rain all day.", paid), wire);
    expect(words).toEqual({ ...say("Rain a", paid), stopReason: "length" });
    const calls = await struckBoth({ kind: "cut-by-length" }, asking, wire);
    expect(calls.message.toolCalls).toMatchObject([
      { id: "a", arguments: { city: "Oslo" } },
      { id: "b", arguments: {}, malformedArguments: '{"city"' },
    ]);
    expect(calls).toMatchObject({ stopReason: "length", ...paid });
  });
});

describe("a fault", () => {
  it("that stands in for the answer does not ask the provider, so that a script loses no step", async () => {
    for (const fault of everyFault().filter(
      ({ kind }) => !["latency", "duplicate-call", "cut-by-length"].includes(kind),
    )) {
      const inner = streaming(asking);
      const clock = fixedClock();
      const provider = faultyProvider(inner, { schedule: [{ call: 0, fault }], ports: clock });
      await clock.until(provider.turn(request).catch(() => undefined));
      expect([describeFault(fault), inner.asked]).toEqual([describeFault(fault), 0]);
      expect(await provider.turn(request)).toEqual(asking);
    }
  });

  it("with nothing to strike lets the answer through, and says so", async () => {
    const provider = faultyProvider(echoProvider(), {
      schedule: [{ call: 1, fault: { kind: "duplicate-call", id: "same" } }],
    });
    const answer = await provider.turn(request);
    expect(await provider.turn(request)).toEqual(answer);
    expect(provider.injected).toEqual([{ call: 1, fault: { kind: "duplicate-call", id: "same" }, took: false }]);
  });

  it("does not strike a call that was over before it began", async () => {
    const provider = faultyProvider(echoProvider(), { schedule: [{ call: 0, fault: { kind: "refusal" } }] });
    await expect(provider.turn({ ...request, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
    expect(provider.injected).toEqual([]);
    expect((await provider.turn(request)).stopReason).toBe("contentFilter");
  });

  it("tears a stream after its first words, and says that they were heard", async () => {
    const schedule = [{ call: 0, fault: { kind: "torn", how: "reset", after: 0.9 } as const }];
    const provider = faultyProvider(streaming(asking), { schedule });
    const torn = await collect(provider.stream?.(request) ?? emptyStream());
    expect(torn).toMatchObject({
      kind: "failed",
      error: { code: "provider-response", retryable: true, responseStarted: true },
    });
    expect(torn.text).toMatch(/^Let me think/);
    expect(torn.deltas.some(({ type }) => type === "tool-call-delta")).toBe(true);
  });

  it.each([0, 0.5, 1])("never lets a torn answer be whole, with %d of it", async (after) => {
    for (const wire of wires) {
      for (const how of ["closed", "reset"] as const) {
        const schedule = [0, 1].map((call) => ({ call, fault: { kind: "torn", how, after } as const }));
        const provider = faultyProvider(streaming(), { wire, schedule });
        await expect(provider.turn(request)).rejects.toMatchObject({ code: "provider-response" });
        expect(await collect(provider.stream?.(request) ?? emptyStream())).toMatchObject({ kind: "failed" });
      }
    }
  });
});

describe("waiting", () => {
  const late = { schedule: [{ call: 0, fault: { kind: "latency", ms: 5_000 } as const }] };

  it("goes by the clock of the ports, and then the answer is the provider's own", async () => {
    const clock = fixedClock(0);
    const provider = faultyProvider(streaming(asking), { ...late, ports: clock });
    expect(await clock.until(provider.turn(request))).toEqual(asking);
    expect(clock.now()).toBe(5_000);
  });

  it("takes its time from the call's", async () => {
    const clock = fixedClock(0);
    const seen: (number | undefined)[] = [];
    const inner: LlmProviderAdapter = { turn: async ({ timeoutMs }) => (seen.push(timeoutMs), asking) };
    await clock.until(faultyProvider(inner, { ...late, ports: clock }).turn({ ...request, timeoutMs: 7_000 }));
    const tooLate = faultyProvider(inner, { ...late, ports: clock }).turn({ ...request, timeoutMs: 4_000 });
    await expect(clock.until(tooLate)).rejects.toMatchObject({ code: "timeout", kind: "timeout", retryable: true });
    expect([seen, clock.now()]).toEqual([[2_000], 9_000]);
  });

  it("ends with the signal, whatever is waited for", async () => {
    for (const fault of [late.schedule[0]?.fault, { kind: "hang" }, { kind: "torn", how: "stalled" }] as Fault[]) {
      const clock = fixedClock(0);
      const controller = new AbortController();
      const provider = faultyProvider(streaming(asking), { schedule: [{ call: 0, fault }], ports: clock });
      const call = provider.turn({ ...request, signal: controller.signal });
      clock.timer(100, () => controller.abort());
      await expect(clock.until(call)).rejects.toMatchObject({ code: "aborted" });
      expect(clock.now()).toBe(100);
    }
  });

  it("in silence is given up after as long as Node's fetch waits", async () => {
    for (const fault of [{ kind: "hang" }, { kind: "torn", how: "stalled" }] as Fault[]) {
      const clock = fixedClock(0);
      const provider = faultyProvider(streaming(asking), { schedule: [{ call: 0, fault }], ports: clock });
      await expect(clock.until(provider.turn(request))).rejects.toMatchObject({ kind: "timeout", retryable: true });
      expect(clock.now()).toBe(300_000);
    }
  });
});

describe("a plan of faults", () => {
  const faults: Fault[] = [{ kind: "refusal" }, { kind: "unknown-tool" }, { kind: "torn", how: "closed" }];
  const play = async (options: FaultyProviderOptions, calls = 200) => {
    const provider = faultyProvider(echoProvider(), options);
    for (let call = 0; call < calls; call++) await provider.turn(request).catch(() => undefined);
    return provider.injected;
  };

  it("is the same for the same seed, and another for another", async () => {
    const options = { faults, rate: 0.3 };
    const injected = await play({ ...options, seed: 7 });
    expect(await play({ ...options, seed: 7 })).toEqual(injected);
    expect(await play({ ...options, seed: 8 })).not.toEqual(injected);
  });

  it("strikes about as often as its rate says, with every fault it has", async () => {
    const injected = await play({ faults, rate: 0.3, seed: 1 }, 1_000);
    expect(injected.length).toBeGreaterThan(250);
    expect(injected.length).toBeLessThan(350);
    expect(new Set(injected.map(({ fault }) => fault.kind)).size).toBe(3);
    expect(await play({ faults, rate: 0 })).toEqual([]);
    expect(await play({ faults, rate: 1 })).toHaveLength(200);
  });

  it("can be played again from what it reports", async () => {
    const injected = await play({ faults, seed: 3 });
    expect(injected.length).toBeGreaterThan(0);
    expect(await play({ schedule: injected })).toEqual(injected);
  });

  it("ends where it was told to", async () => {
    expect(await play({ faults, rate: 1, maxFaults: 3 })).toHaveLength(3);
  });

  it.each<[string, FaultyProviderOptions, string]>([
    ["no faults", {} as never, "faults or a schedule is required"],
    ["an empty list", { faults: [] }, "faults must be a list"],
    ["a schedule together with a rate", { schedule: [], rate: 1 } as never, "a schedule must not be combined"],
    ["a rate above 1", { faults, rate: 2 }, "rate is 2"],
    ["half a seed", { faults, seed: 0.5 }, "seed is 0.5"],
    ["fewer faults than none", { faults, maxFaults: -1 }, "maxFaults is -1"],
    [
      "two faults at one call",
      { schedule: [0, 0].map((call) => ({ call, fault: { kind: "hang" } })) },
      "two faults at call 0",
    ],
    ["a call before the first", { schedule: [{ call: -1, fault: { kind: "hang" } }] }, "schedule has the call -1"],
    ["an unknown option", { fault: faults } as never, "unknown option: fault"],
    ["an unknown kind", { faults: [{ kind: "gone" } as never] }, 'fault 0: kind is "gone"'],
    ["no fault at all", { faults: [null as never] }, "fault 0: kind is undefined"],
    [
      "a refusal the vendor never sends",
      { faults: [{ kind: "http", wire: "ollama", error: "quota" }] },
      'error is "quota"',
    ],
    ["a latency below 0", { faults: [{ kind: "latency", ms: -1 }] }, "ms is -1"],
    ["more than a whole answer", { faults: [{ kind: "torn", how: "reset", after: 2 }] }, "after is 2"],
    ["another wire", { faults, wire: "smoke" as never }, 'no wire is called "smoke"'],
    ["another network code", { faults: [{ kind: "network", code: "E" as never }] }, 'code is "E"'],
    ["another body", { faults: [{ kind: "wrong-json", body: "E" as never }] }, 'body is "E"'],
    ["another id", { faults: [{ kind: "duplicate-call", id: "E" as never }] }, 'id is "E"'],
    ["another end", { faults: [{ kind: "torn", how: "E" as never }] }, 'how is "E"'],
  ])("is refused with %s", (_name, options, text) => {
    let error: unknown;
    try {
      faultyProvider(echoProvider(), options);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(HarnessError);
    expect(error).toMatchObject({ code: "faults-unclear", message: expect.stringContaining(text) as string });
  });
});

describe("faultyProvider", () => {
  it("is the provider itself where no fault strikes: its name, its streams or none, its end", async () => {
    let destroyed = 0;
    const inner = { ...streaming(asking), destroy: () => void (destroyed += 1) };
    const provider = faultyProvider(inner, { schedule: [] });
    expect(provider.name).toBe("openai:m-1");
    expect(await collect(provider.stream?.(request) ?? emptyStream())).toMatchObject({ response: asking });
    await provider.destroy?.();
    expect(destroyed).toBe(1);
    expect("stream" in faultyProvider(echoProvider(), { schedule: [] })).toBe(false);
    expect("name" in faultyProvider({ turn: inner.turn }, { schedule: [] })).toBe(false);
  });

  it("speaks the wire that the name begins with, else OpenAI's", async () => {
    const said = async (name: string) => {
      const provider = { name, turn: streaming().turn };
      const schedule = [{ call: 0, fault: { kind: "http", error: "server-error" } as const }];
      return faultyProvider(provider, { schedule })
        .turn(request)
        .catch((error: Error) => error.message);
    };
    expect(await said("anthropic:claude")).toContain('"api_error"');
    expect(await said("ollama:llama")).toContain("llama runner");
    expect(await said("mine")).toContain('"server_error"');
  });

  it("has a fault of every kind in the list of all", () => {
    for (const wire of wires) {
      const faults = everyFault(wire);
      expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(FAULT_KINDS));
      expect(new Set(faults.map(describeFault)).size).toBe(faults.length);
      expect(() => faultyProvider(echoProvider(), { faults, wire })).not.toThrow();
    }
  });
});
