// What a fault leaves alone: the request and the answer it was given, deltas that came, thoughts, the plan it was made by; and what a
// recording over it keeps.

import { describe, expect, it } from "vitest";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { seal } from "../../../src/core/canon/copy.js";
import type { LlmProviderAdapter, LlmStreamEvent, LlmTurnRequest } from "../../../src/core/model/provider.js";
import type { LlmTurnResponse } from "../../../src/core/model/provider.js";
import { fallbackProvider } from "../../../src/core/providers/fallback.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import type { WireName } from "../../../src/core/vendors/table.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { fixedClock } from "../../../src/harness/doubles/clock.js";
import { collect } from "../../../src/harness/doubles/collect.js";
import { memoryHost } from "../../../src/harness/doubles/host.js";
import { HTTP_FAULTS } from "../../../src/harness/faults/bodies.js";
import { describeFault, everyFault, type Fault } from "../../../src/harness/faults/fault.js";
import { faultyProvider } from "../../../src/harness/faults/provider.js";
import { faultyTool, type ToolFault } from "../../../src/harness/faults/tool.js";
import { hasShared } from "../../support/shared.js";
import { ask, say, tool } from "../../support/script.js";
import { readExchanges, weatherTool } from "../../support/wire.js";

const wires = Object.keys(VENDORS) as WireName[];
const request: LlmTurnRequest = { messages: [{ role: "user", content: "go" }], tools: [weatherTool] };
const at0 = (fault: Fault) => ({ schedule: [{ call: 0, fault }] });

async function* none(): AsyncGenerator<LlmStreamEvent> {}

/** Streams its words letter by letter, then gives the very object. */
function always(response: LlmTurnResponse): LlmProviderAdapter {
  return {
    name: "openai:m-1",
    turn: async () => response,
    async *stream() {
      for (const text of response.message.content) yield { type: "text-delta", text };
      yield { type: "response", response };
    },
  };
}

describe("a torn answer", () => {
  it.each(wires)(
    "of %s is not an answer wherever it is cut, and the part that arrived is its beginning",
    async (wire) => {
      const cuts = Array.from({ length: 101 }, (_, cut) => cut / 100);
      const heard = new Set<string>();
      for (const how of ["closed", "reset"] as const) {
        const schedule = cuts.flatMap((after, index) =>
          [2 * index, 2 * index + 1].map((call) => ({ call, fault: { kind: "torn", how, after } as const })),
        );
        const provider = faultyProvider(always(say("never asked")), { wire, schedule });
        for (const after of cuts) {
          const turn = provider.turn(request).then(
            () => "answered",
            (error: { code: string }) => error.code,
          );
          expect([after, await turn]).toEqual([after, "provider-response"]);
          const stream = await collect(provider.stream?.(request) ?? none());
          expect([after, stream.kind]).toEqual([after, "failed"]);
          heard.add(stream.text);
        }
      }
      const texts = [...heard].sort((one, other) => one.length - other.length);
      const longest = texts.at(-1) ?? "";
      expect(texts.filter((text) => !longest.startsWith(text))).toEqual([]);
      expect(texts.length).toBeGreaterThan(5);
      expect(longest).not.toContain("\ufffd");
    },
  );

  it.each([
    ["openai", "server_error: The server had an error while processing your request", "unavailable"],
    ["anthropic", "overloaded_error: Overloaded", "overloaded"],
    ["cohere", "INVALID_TOOL_GENERATION: your request resulted in an invalid tool generation", "unknown"],
    ["ollama", "an error was encountered while running the model", "unknown"],
  ] as const)("of %s that ends in an error of the vendor's says so, after whole events", async (wire, words, kind) => {
    const shares = Array.from({ length: 21 }, (_, cut) => cut / 20);
    const schedule = shares.map((after, call) => ({ call, fault: { kind: "torn", how: "error", after } as const }));
    const provider = faultyProvider(always(say("never asked")), { wire, schedule });
    const texts: string[] = [];
    for (const _ of shares) {
      const heard = await collect(provider.stream?.(request) ?? none());
      expect(heard).toMatchObject({ kind: "failed", error: { code: "provider-response", kind } });
      expect(String((heard as { error?: unknown }).error)).toContain(words);
      texts.push(heard.text);
    }
    expect(texts[0]).toBe("");
    expect(texts.at(-1)).toMatch(/^Let me think/);
    expect(texts.map(({ length }) => length)).toEqual(texts.map(({ length }) => length).sort((x, y) => x - y));
  });

  it.each(wires)("of %s that is not streamed is refused as overloaded where it ends in an error", async (wire) => {
    const schedule = [{ call: 0, fault: { kind: "torn", how: "error" } as const }];
    const provider = faultyProvider(always(say("never asked")), { wire, schedule });
    await expect(provider.turn(request)).rejects.toMatchObject({
      code: "provider-http",
      // No overload of Cohere is on record.
      status: (HTTP_FAULTS[wire].overloaded ?? HTTP_FAULTS[wire]["server-error"])?.status,
    });
  });

  it("comes as far as the seed says where nothing else does, and further calls are torn elsewhere", async () => {
    const play = async (seed: number) => {
      const faults: Fault[] = [{ kind: "torn", how: "reset" }];
      const provider = faultyProvider(always(say("hello")), { faults, rate: 1, seed });
      for (let call = 0; call < 20; call++) await provider.turn(request).catch(() => undefined);
      return provider.injected.map(({ fault }) => (fault.kind === "torn" ? fault.after : undefined));
    };
    const shares = await play(1);
    expect(shares).toEqual(await play(1));
    expect(shares).not.toEqual(await play(2));
    expect(new Set(shares).size).toBeGreaterThan(15);
    expect(shares.every((share) => share !== undefined && share >= 0 && share < 1)).toBe(true);
  });
});

describe.skipIf(!hasShared)("the bodies of refusals", () => {
  /** The fields of a body, and what of it is not made up: the names of the failure. */
  const shapeOf = (body: string) => {
    const { error, ...rest } = JSON.parse(body) as { error: Record<string, unknown> };
    return {
      fields: Object.keys(rest).sort(),
      inner: Object.keys(error).sort(),
      type: error["type"],
      code: error["code"],
    };
  };

  it.each([
    ["anthropic", "auth", 401],
    ["anthropic", "not-found", 404],
    ["anthropic", "context-length", 400],
    ["openai", "auth", 401],
    ["openai", "not-found", 404],
  ] as const)("of %s: %s is shaped as every recorded %d", (wire, error, status) => {
    const made = HTTP_FAULTS[wire][error];
    if (made === undefined) throw new Error("no such refusal");
    const recorded = readExchanges(wire).filter(({ response }) => response.status === status);
    expect(made.status).toBe(status);
    expect(recorded.length).toBeGreaterThan(0);
    for (const { response } of recorded) expect(shapeOf(made.body)).toEqual(shapeOf(response.body));
  });
});

describe("what was handed in", () => {
  const shared = seal(
    ask([{ id: "a", name: "weather", arguments: { city: "Oslo" } }], { content: "Let me look.", model: "m-1" }),
  );
  const given: [string, LlmTurnRequest][] = [
    ["a sealed request", seal({ ...request, settings: { temperature: 0 } })],
    [
      "a request of the caller's",
      { messages: [{ role: "user", content: "go" }], tools: [weatherTool], timeoutMs: 60_000 },
    ],
  ];

  it.each(given)("stays as it was: %s, whatever strikes", async (_name, own) => {
    const before = structuredClone(own);
    for (const wire of wires) {
      for (const fault of everyFault(wire)) {
        const clock = fixedClock();
        const provider = faultyProvider(always(shared), { ...at0(fault), wire, ports: clock });
        await clock.until(provider.turn(own).catch(() => undefined));
        expect([describeFault(fault), own]).toEqual([describeFault(fault), before]);
        // An answer that two callers share is damaged for the one alone.
        expect(await provider.turn(own)).toBe(shared);
      }
    }
    expect(shared.message.toolCalls).toEqual([{ id: "a", name: "weather", arguments: { city: "Oslo" } }]);
  });

  it("is a port for warnings, in which nothing is said of what is made up", async () => {
    const noted = always({
      ...shared,
      message: { ...shared.message, reasoning: [{ type: "redacted", data: "b3Bh" }] },
    });
    for (const wire of wires) {
      const { ports, clock, warnings } = memoryHost();
      const schedule = everyFault(wire).map((fault, call) => ({ call, fault }));
      const provider = faultyProvider({ name: "own:m-1", turn: noted.turn }, { schedule, wire, ports });
      for (const _ of schedule) await clock.until(provider.turn(request).catch(() => undefined));
      expect([wire, warnings, provider.pending]).toEqual([wire, [], []]);
    }
  });

  it("is a plan of its own: what happens to the options afterwards changes nothing", async () => {
    const fault = { kind: "refusal" } as { kind: "refusal" };
    const faults: Fault[] = [fault];
    const schedule = [{ call: 1, fault }];
    const drawn = faultyProvider(always(say("hello")), { faults, rate: 1 });
    const scheduled = faultyProvider(always(say("hello")), { schedule });
    Object.assign(fault, { kind: "http", error: "auth" });
    faults.length = 0;
    schedule.length = 0;
    expect((await drawn.turn(request)).stopReason).toBe("contentFilter");
    expect((await scheduled.turn(request)).stopReason).toBe("stop");
    expect((await scheduled.turn(request)).stopReason).toBe("contentFilter");
    expect(scheduled.injected).toEqual([{ call: 1, fault: { kind: "refusal" }, took: true }]);
  });

  it("is a value of its own in each answer of a tool", async () => {
    const fault: ToolFault = { kind: "wrong-type", value: { list: [1] } };
    const faulty = faultyTool(
      tool("work", () => "done"),
      { faults: [fault], rate: 1 },
    );
    const call = () => faulty.invoke({}, {} as never) as { list: number[] };
    call().list.push(2);
    Object.assign(fault, { value: "changed" });
    expect(call()).toEqual({ list: [1] });
    expect(faulty.injected.map((one) => one.fault)).toEqual([
      { kind: "wrong-type", value: { list: [1] } },
      { kind: "wrong-type", value: { list: [1] } },
    ]);
  });

  it("is a tool of any class", async () => {
    class Work {
      readonly schema = { type: "object" };
      readonly #result = "done";
      get name() {
        return "work";
      }
      get description() {
        return "Works.";
      }
      get effect() {
        return "write" as const;
      }
      get timeoutMs() {
        return 5;
      }
      invoke() {
        return this.#result;
      }
    }
    const faulty = faultyTool(new Work(), { schedule: [] });
    expect(faulty).toMatchObject({ name: "work", description: "Works.", effect: "write", timeoutMs: 5 });
    expect(faulty.invoke({}, {} as never)).toBe("done");
  });
});

describe("an answer with nothing to strike", () => {
  const twice: Fault = { kind: "duplicate-call", id: "new" };

  it("keeps its deltas where it is streamed, and is not asked for whole", async () => {
    const provider = faultyProvider(
      { ...always(say("hello")), turn: () => Promise.reject(new Error("asked")) },
      at0(twice),
    );
    const passed = await collect(provider.stream?.(request) ?? none());
    expect(passed).toMatchObject({ kind: "answered", text: "hello", response: say("hello") });
    expect(passed.deltas).toHaveLength(5);
    expect(provider.injected).toEqual([{ call: 0, fault: twice, took: false }]);
  });

  it("is a failure of the provider's own, with what came before it", async () => {
    const broken: LlmProviderAdapter = {
      turn: () => Promise.reject(new RangeError("own")),
      async *stream() {
        yield { type: "text-delta", text: "hel" };
        throw new RangeError("own");
      },
    };
    const provider = faultyProvider(broken, { faults: [twice], rate: 1 });
    await expect(provider.turn(request)).rejects.toThrow(RangeError);
    const failed = await collect(provider.stream?.(request) ?? none());
    expect(failed).toMatchObject({ kind: "failed", text: "hel", error: new RangeError("own") });
    expect(provider.injected.map(({ took }) => took)).toEqual([false, false]);
  });

  it("is what no answer is, passed on to whoever says what is wrong with it", async () => {
    for (const odd of [null, 5, {}, { message: { role: "assistant", content: 5 }, stopReason: "stop" }]) {
      const provider = faultyProvider(always(odd as never), at0({ kind: "cut-by-length" }));
      expect(await provider.turn(request)).toBe(odd);
      expect(provider.injected[0]?.took).toBe(false);
    }
    const ends = { turn: async () => say("x"), stream: none };
    const unfinished = await collect(faultyProvider(ends, at0(twice)).stream?.(request) ?? none());
    expect(unfinished.kind).toBe("unfinished");
  });
});

it.each(wires)("a damaged answer keeps its thoughts, also on the wire of %s", async (wire) => {
  const reasoning = [
    { type: "text" as const, text: "look first", signature: "c2ln" },
    { type: "redacted" as const, data: "b3BhcXVl" },
  ];
  const calls = ask([{ id: "a", name: "weather", arguments: { city: "Oslo" } }]);
  const thinking = { ...calls, message: { ...calls.message, reasoning } };
  const words = { ...say("Rain all day."), message: { ...say("Rain all day.").message, reasoning } };
  for (const [fault, answer] of [
    [{ kind: "duplicate-call", id: "new" }, thinking],
    [{ kind: "cut-by-length" }, thinking],
    [{ kind: "cut-by-length" }, words],
  ] as const) {
    const provider = faultyProvider(always(answer), { ...at0(fault), wire });
    expect((await provider.turn(request)).message.reasoning).toEqual(reasoning);
    expect(provider.injected[0]?.took).toBe(true);
  }
});

describe("pending", () => {
  const fault: Fault = { kind: "refusal" };

  it("says what of a schedule was not injected: the run was shorter", async () => {
    const provider = faultyProvider(always(say("hello")), { schedule: [9, 1, 5].map((call) => ({ call, fault })) });
    expect(provider.pending).toEqual([1, 5, 9].map((call) => ({ call, fault })));
    for (let call = 0; call < 3; call++) await provider.turn(request);
    expect(provider.pending).toEqual([5, 9].map((call) => ({ call, fault })));
    expect(provider.injected.map(({ call }) => call)).toEqual([1]);
  });

  it("says what was not injected since there had been enough, and has nothing to say without a schedule", async () => {
    const schedule = [0, 1].map((call) => ({ call, fault }));
    const provider = faultyProvider(always(say("hello")), { schedule, maxFaults: 1 });
    for (let call = 0; call < 3; call++) await provider.turn(request);
    expect(provider.pending).toEqual([{ call: 1, fault }]);
    expect(faultyProvider(always(say("hello")), { faults: [fault] }).pending).toEqual([]);
  });

  it("also works for tools, and is not one of their fields", async () => {
    const throws: ToolFault = { kind: "throw" };
    const faulty = faultyTool(
      tool("work", () => "done"),
      { schedule: [{ call: 3, fault: throws }] },
    );
    expect(faulty.pending).toEqual([{ call: 3, fault: throws }]);
    expect(Object.keys(faulty)).not.toContain("pending");
  });
});

describe("a recording over a faulty provider", () => {
  it.each([false, true])("replays the run there was, without a fault, streamed: %s", async (streaming) => {
    const look = tool("look", () => "rain");
    const steps = [ask([{ id: "c1", name: "look" }]), say("Take an umbrella.")];
    const script = (): LlmProviderAdapter => {
      let turn = 0;
      const next = async () => steps[turn++] ?? say("too many");
      return {
        name: "openai:m-1",
        turn: next,
        async *stream() {
          yield { type: "response", response: await next() };
        },
      };
    };
    const play = (provider: LlmProviderAdapter, host = memoryHost()) =>
      host.clock.until(
        createRuntime({
          agents: [{ id: "ann", systemPrompt: "", provider, customTools: [look], streaming }],
          ports: host.ports,
        }).run({ goal: "go" }),
      );
    for (const fault of everyFault("openai").filter(({ kind }) => ["http", "network", "torn", "hang"].includes(kind))) {
      const host = memoryHost();
      const faulty = faultyProvider(script(), { schedule: [0, 2].map((call) => ({ call, fault })), ports: host.ports });
      const recorder = recordingProvider(faulty, { ports: host.ports });
      const chain = fallbackProvider([{ provider: recorder, maxAttempts: 2 }], { ports: host.ports });
      const recorded = await play(chain, host).catch(() => undefined);
      const cassette = parseCassette(formatCassette(recorder.toCassette()), { requireIntegrity: true });
      expect(cassette.entries.map(({ response }) => response)).toEqual(recorded === undefined ? [] : steps);
      if (recorded === undefined) continue;
      const replay = cassetteProvider(cassette);
      const { messages, finalAnswer } = await play(replay);
      expect([messages, finalAnswer, replay.remaining]).toEqual([recorded.messages, recorded.finalAnswer, 0]);
    }
  });
});
