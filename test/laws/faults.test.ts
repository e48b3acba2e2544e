// Our own loop and runtime under any plan of faults: every run settles, in the time there is, with an outcome or a code from the
// closed list; its log is whole, its receipts verify, its caps hold, and a recording keeps answers alone.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { AgentError } from "../../src/core/errors.js";
import type { AgentEvent } from "../../src/core/events/event.js";
import { verifyReceipts } from "../../src/core/receipts/verify.js";
import type { BudgetLimits } from "../../src/core/loop/budget.js";
import type { LlmProviderAdapter, LlmTurnResponse } from "../../src/core/model/provider.js";
import { fallbackProvider } from "../../src/core/providers/fallback.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import { createRuntime } from "../../src/core/runtime/runtime.js";
import type { WireName } from "../../src/core/vendors/table.js";
import { VENDORS } from "../../src/core/vendors/vendors.js";
import { collect, type CollectedRun } from "../../src/harness/doubles/collect.js";
import { memoryHost } from "../../src/harness/doubles/host.js";
import { everyFault, type Fault } from "../../src/harness/faults/fault.js";
import { faultyProvider } from "../../src/harness/faults/provider.js";
import { faultyTool, type ToolFault } from "../../src/harness/faults/tool.js";
import { publicKey, seed as signingKey } from "../support/receipts.js";
import { ask, say, tool } from "../support/script.js";
import { everyToolFault } from "../support/tool-faults.js";

/** What a run may reject with. Every other code, and every error of another class, breaks the law. */
const CODES = ["provider-http", "provider-response", "timeout", "providers-exhausted", "aborted", "tool-failed"];

interface Scene {
  seed: number;
  rate: number;
  wire: WireName;
  turns: number[];
  streaming: boolean;
  retries: number;
  timeoutMs: number | undefined;
  onToolError: "feedback" | "fail";
  maxCorrections: number | undefined;
  budget: BudgetLimits;
  abortAfterMs: number | undefined;
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const scene: fc.Arbitrary<Scene> = fc.record({
  seed: fc.integer(),
  rate: fc.constantFrom(0.1, 0.3, 0.6, 1),
  wire: fc.constantFrom(...(Object.keys(VENDORS) as WireName[])),
  turns: fc.array(fc.nat(3), { maxLength: 5 }),
  streaming: fc.boolean(),
  retries: fc.integer({ min: 0, max: 3 }),
  timeoutMs: maybe(fc.constantFrom(1_000, 60_000)),
  onToolError: fc.constantFrom("feedback", "fail"),
  maxCorrections: maybe(fc.nat(2)),
  budget: fc.record(
    {
      maxTurns: fc.nat(8),
      maxToolCalls: fc.nat(8),
      maxTokens: fc.nat(400),
      maxCostUsd: fc.nat(40).map((n) => n / 100),
    },
    { requiredKeys: [] },
  ),
  abortAfterMs: maybe(fc.integer({ min: 0, max: 400_000 })),
});

const PAID = { usage: { inputTokens: 30, outputTokens: 10 }, costUsd: 0.03 };

/** Asks for so many calls, turn after turn, and then goes on answering: a refusal may make the agent ask on. */
function model(turns: readonly number[]): LlmProviderAdapter {
  const steps: LlmTurnResponse[] = turns.map((calls, turn) =>
    calls === 0
      ? say(`answer ${turn}`, PAID)
      : ask(
          Array.from({ length: calls }, (_, index) => ({ id: `t${turn}c${index}`, name: "look" })),
          PAID,
        ),
  );
  const script = scriptedProvider([...steps, ...Array.from({ length: 60 }, () => say("the end", PAID))]);
  return {
    name: "vendor:m-1",
    turn: (request) => script.turn(request),
    async *stream(request) {
      const response = await script.turn(request);
      yield { type: "text-delta", text: response.message.content };
      yield { type: "response", response };
    },
  };
}

interface Played {
  run: CollectedRun;
  injected: { model: unknown; tool: unknown };
  /** What the recorder's caller was given. */
  given: LlmTurnResponse[];
  cassette: string;
  receipts: ReturnType<typeof verifyReceipts>;
}

async function play(one: Scene): Promise<Played> {
  const host = memoryHost({ seed: one.seed });
  const { ports, clock } = host;
  const { seed, rate, wire } = one;
  const faulty = faultyProvider(model(one.turns), { faults: everyFault(wire), seed, rate, wire, ports });
  const chain = fallbackProvider([{ provider: faulty, maxAttempts: one.retries + 1 }], { ports });
  const recorder = recordingProvider(one.retries === 0 ? faulty : chain, { ports });
  const { provider, given } = watched(recorder);
  const look = faultyTool(
    tool("look", async () => clock.sleep(10).then(() => "rain")),
    { faults: everyToolFault(), seed, rate, ports },
  );
  const controller = new AbortController();
  if (one.abortAfterMs !== undefined) ports.timer(one.abortAfterMs, () => controller.abort());
  const { streaming, timeoutMs, onToolError, maxCorrections, budget } = one;
  const common = { streaming, onToolError, budget, toolTimeoutMs: 5_000 };
  const start = (onEvent: (event: AgentEvent) => void) => {
    const runtime = createRuntime({
      agents: [
        {
          ...{ id: "ann", systemPrompt: "Be brief.", provider, customTools: [look], ...common },
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
          ...(maxCorrections === undefined ? {} : { maxCorrections }),
        },
      ],
      ...{ ports, onEvent, signingKey, onReceipt: () => undefined, memory: host.memory },
    });
    return runtime
      .run({ goal: "go", signal: controller.signal })
      .finally(() => runtime.destroy().then(() => (receipts = verifyReceipts(runtime.receipts, publicKey))));
  };
  let receipts: Played["receipts"] = { kind: "empty", keyId: "" };
  // Throws where the run never settles, however much time passes.
  const run = await clock.until(collect(start));
  const injected = { model: faulty.injected, tool: look.injected };
  return { run, injected, given, cassette: formatCassette(recorder.toCassette()), receipts };
}

/** Keeps what a provider answered, by `turn` and by `stream`. */
function watched(inner: LlmProviderAdapter): { provider: LlmProviderAdapter; given: LlmTurnResponse[] } {
  const given: LlmTurnResponse[] = [];
  const keep = (response: LlmTurnResponse) => (given.push(response), response);
  const provider: LlmProviderAdapter = {
    name: "watched",
    turn: async (request) => keep(await inner.turn(request)),
    async *stream(request) {
      for await (const event of inner.stream?.(request) ?? []) {
        if (event.type === "response") keep(event.response);
        yield event;
      }
    },
  };
  return { provider, given };
}

const count = (events: readonly AgentEvent[], type: AgentEvent["type"]) =>
  events.filter((event) => event.type === type).length;

const ENDS = ["tool-result", "tool-failed", "tool-rejected"];

/** The calls that have an answer, by their ids. */
function endsOf(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (ENDS.includes(event.type) && "callId" in event ? [event.callId] : []));
}

/** Kept events alone; deltas have no place of their own. */
const kept = ({ events }: CollectedRun) => events.filter(({ type }) => type !== "llm-delta");

describe("under any plan of faults", () => {
  it("a run settles with a result, or with a code from the closed list", async () => {
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(scene, async (one) => {
        const { run } = await play(one);
        if (run.kind === "failed") {
          expect(run.error).toBeInstanceOf(AgentError);
          const { code } = run.error as AgentError;
          expect(CODES).toContain(code);
          if (code === "aborted") expect(one.abortAfterMs).toBeDefined();
          outcomes.add(code);
        } else outcomes.add(run.result.budgetExhausted ?? "finished");
      }),
      { numRuns: 300 },
    );
    // That the plans do reach what the law speaks of.
    const often = ["finished", "turns", "providers-exhausted", "provider-http", "provider-response", "tool-failed"];
    expect([...outcomes]).toEqual(expect.arrayContaining(often));
  });

  it("the log is whole: counted, in order, one end, every turn and every call answered once", async () => {
    await fc.assert(
      fc.asyncProperty(scene, async (one) => {
        const { run } = await play(one);
        const events = kept(run);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
        const stamps = events.map(({ hlc }) => hlc);
        expect(stamps).toEqual([...new Set(stamps)].sort());
        expect(events[0]?.type).toBe("run-start");
        expect([count(events, "run-start"), count(events, "run-end"), events.at(-1)?.type]).toEqual([1, 1, "run-end"]);
        const isAborted = run.kind === "failed" && (run.error as AgentError).code === "aborted";
        const answered = count(events, "llm-turn") + count(events, "llm-error");
        expect(count(events, "turn-start") - answered).toBeLessThanOrEqual(isAborted ? 1 : 0);
        const asked = events.flatMap((event) => (event.type === "tool-call" ? [event.callId] : []));
        const ends = endsOf(events);
        if (isAborted) expect(asked).toEqual(expect.arrayContaining(ends));
        else expect([...ends].sort()).toEqual([...asked].sort());
      }),
      { numRuns: 120 },
    );
  });

  it("the caps hold: never a turn or a call more, and of tokens and cost one answer at most", async () => {
    await fc.assert(
      fc.asyncProperty(scene, async (one) => {
        const { run } = await play(one);
        const { maxTurns = 50, maxToolCalls = 200, maxTokens = Infinity, maxCostUsd = Infinity } = one.budget;
        const events = kept(run);
        expect(count(events, "turn-start")).toBeLessThanOrEqual(maxTurns);
        expect(count(events, "tool-call")).toBeLessThanOrEqual(maxToolCalls);
        const before = events.flatMap((event) => (event.type === "llm-turn" ? [event] : [])).slice(0, -1);
        const tokens = before.map(({ usage }) => (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0));
        if (before.length === 0) return;
        expect(sum(tokens)).toBeLessThan(maxTokens);
        const cents = Math.round(sum(before.map(({ costUsd = 0 }) => costUsd)) * 100);
        if (cents > 0) expect(cents).toBeLessThan(maxCostUsd * 100);
      }),
      { numRuns: 120 },
    );
  });

  it("the receipts verify, to their end", async () => {
    await fc.assert(
      fc.asyncProperty(scene, async (one) => {
        const { run, receipts } = await play(one);
        if (receipts.kind !== "ok") throw new Error(`receipts are ${receipts.kind}`);
        expect(receipts.complete).toBe(true);
        const signed = receipts.chain.map(({ body }) => body.kind);
        expect(signed.filter((kind) => kind === "turn")).toHaveLength(count(kept(run), "llm-turn"));
        const events = kept(run);
        const unread = count(events, "tool-interrupted") + count(events, "tool-skipped");
        expect(signed.filter((kind) => kind === "tool")).toHaveLength(endsOf(events).length + unread);
      }),
      { numRuns: 40 },
    );
  });

  it("a recording keeps the answers and no error, and replays them", async () => {
    await fc.assert(
      fc.asyncProperty(scene, async (one) => {
        const { given, cassette } = await play(one);
        const loaded = parseCassette(cassette, { requireIntegrity: true });
        expect(loaded.entries.map(({ response }) => response)).toEqual(given);
        expect(cassetteProvider(loaded).remaining).toBe(given.length);
        expect(cassette).not.toMatch(/Rate limit reached|overloaded_error|Bad Gateway|fetch failed|llama runner/);
      }),
      { numRuns: 120 },
    );
  });

  it("the same seed is the same run: faults, events, answers, recording", async () => {
    await fc.assert(
      fc.asyncProperty(scene, async (one) => {
        const [first, second] = [await play(one), await play(one)];
        expect(second.injected).toEqual(first.injected);
        expect(second.run.events).toEqual(first.run.events);
        expect(second.cassette).toEqual(first.cassette);
      }),
      { numRuns: 40 },
    );
  });
});

describe("failures that pass", () => {
  const passing: Fault[] = [
    { kind: "http", error: "rate-limit", wire: "openai" },
    { kind: "http", error: "overloaded", wire: "anthropic" },
    { kind: "http", error: "server-error", wire: "ollama" },
    { kind: "network", code: "ECONNRESET" },
    { kind: "hang" },
    { kind: "torn", how: "reset" },
    { kind: "torn", how: "stalled" },
    { kind: "torn", how: "error" },
  ];

  it("fewer of them than attempts cost time alone: the answer is the one there would have been", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.nat(4),
        fc.array(fc.nat(2), { maxLength: 4 }),
        async (seed, maxFaults, turns) => {
          const { ports, clock } = memoryHost();
          const final = async (provider: LlmProviderAdapter) => {
            const customTools = [tool("look", () => "rain")];
            const runtime = createRuntime({ agents: [{ id: "ann", systemPrompt: "", provider, customTools }], ports });
            const { messages, usage } = await clock.until(runtime.run({ goal: "go" }));
            return { messages, usage };
          };
          const faulty = faultyProvider(model(turns), { faults: passing, rate: 1, maxFaults, seed, ports });
          const chain = fallbackProvider([{ provider: faulty, maxAttempts: maxFaults + 1 }], { ports });
          expect(await final(chain)).toEqual(await final(model(turns)));
          expect(faulty.injected).toHaveLength(maxFaults);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("a tool that fails in any way", () => {
  it("leaves the model with one bounded text, and the run with its end", async () => {
    const faults: ToolFault[] = everyToolFault();
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }),
        async (seed, turns) => {
          const { ports, clock } = memoryHost();
          const look = faultyTool(
            tool("look", () => "rain"),
            { faults, rate: 1, seed, ports },
          );
          const runtime = createRuntime({
            agents: [
              { id: "ann", systemPrompt: "", provider: model(turns), customTools: [look], toolTimeoutMs: 40_000 },
            ],
            ports,
          });
          const { messages, finalAnswer } = await clock.until(runtime.run({ goal: "go" }));
          expect(finalAnswer).toBe("the end");
          const results = messages.flatMap((message) => (message.role === "tool" ? [message] : []));
          expect(results).toHaveLength(sum(turns));
          for (const { content } of results) expect(content.length).toBeLessThan(20_100);
        },
      ),
      { numRuns: 100 },
    );
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
