// Laws of recording, replaying and loading, over random scripted runs of a real runtime.

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { CassetteError } from "../../src/cassette/errors.js";
import { forkProvider } from "../../src/cassette/record/fork.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { rebuildPrompts } from "../../src/cassette/prompt/rebuild.js";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import { cassetteTools } from "../../src/cassette/tape/replay.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import type { JsonValue } from "../../src/core/canon/value.js";
import type { LlmMessage, LlmToolCall } from "../../src/core/model/message.js";
import type { LlmProviderAdapter, LlmTurnResponse } from "../../src/core/model/provider.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import type { RunResult } from "../../src/core/runtime/run-plan.js";
import { createRuntime } from "../../src/core/runtime/runtime.js";
import { jsonObject, text } from "../support/arbitraries.js";
import { changesOf } from "../../src/harness/arbitraries/changes.js";
import { recordedCassette, verifyKept } from "../support/oracle.js";
import { draft, fixedPorts, prompt, weatherCassette } from "../support/recording.js";
import { say, tool } from "../support/script.js";

afterAll(verifyKept);

interface Scenario {
  systemPrompt: string;
  goal: string;
  script: LlmTurnResponse[];
  /** What the tools answer, one after the other. */
  results: string[];
}

const call = fc.record<LlmToolCall>({
  id: fc.string({ maxLength: 4 }),
  name: fc.constantFrom("look", "fail", "unknown"),
  arguments: jsonObject,
});
const usage = fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() });
const asking = fc
  .record(
    { content: text, toolCalls: fc.array(call, { minLength: 1, maxLength: 3 }), usage, costUsd: fc.nat(9) },
    { requiredKeys: ["content", "toolCalls"] },
  )
  .map(({ content, toolCalls, ...rest }): LlmTurnResponse => ({
    message: { role: "assistant", content, toolCalls },
    stopReason: "toolUse",
    ...rest,
  }));
const saying = fc
  .record({ content: text, finalAnswer: text, model: text }, { requiredKeys: ["content"] })
  .map(({ content, ...rest }): LlmTurnResponse => ({
    message: { role: "assistant", content },
    stopReason: "stop",
    ...rest,
  }));
const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    systemPrompt: text,
    goal: text,
    turns: fc.array(asking, { maxLength: 4 }),
    last: saying,
    results: fc.array(text, { minLength: 1, maxLength: 3 }),
  })
  .map(({ turns, last, ...rest }) => ({ ...rest, script: [...turns, last] }));

async function run({ systemPrompt, goal, results }: Scenario, provider: LlmProviderAdapter): Promise<RunResult> {
  let used = 0;
  const customTools = [
    tool("look", () => results[used++ % results.length]),
    tool("fail", () => {
      throw new Error(results[0]);
    }),
  ];
  return createRuntime({ agents: [{ id: "a", systemPrompt, provider, customTools }] }).run({ goal });
}

async function record(given: Scenario): Promise<{ live: RunResult; cassette: CassetteV2; spent: () => number }> {
  const inner = scriptedProvider(given.script);
  const recorder = recordingProvider(inner, { ports: fixedPorts() });
  const live = await run(given, recorder);
  return { live, cassette: recordedCassette(recorder), spent: () => given.script.length - inner.remaining };
}

function callsOf(messages: readonly LlmMessage[]): LlmToolCall[] {
  return messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
}

describe("laws of record and replay", () => {
  it("PLK-104 replaying a recording is the recorded run, and calls nobody", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const { live, cassette, spent } = await record(given);
        const before = spent();
        const replay = cassetteProvider(parseCassette(formatCassette(cassette)));
        const again = await run(given, replay);
        expect(again.finalAnswer).toBe(live.finalAnswer);
        expect(again.messages).toEqual(live.messages);
        expect(callsOf(again.messages)).toEqual(callsOf(live.messages));
        expect([again.turns, again.toolCalls, again.usage]).toEqual([live.turns, live.toolCalls, live.usage]);
        expect(replay.remaining).toBe(0);
        expect(spent()).toBe(before);
      }),
    );
  });

  it("replaying model and tools is the recorded run, and calls neither", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const { live, cassette } = await record(given);
        const tape = cassetteTools(parseCassette(formatCassette(cassette)));
        const dead = ["look", "fail"].map((name) => tool(name, () => Promise.reject(new Error("asked"))));
        const provider = cassetteProvider(cassette);
        const { systemPrompt, goal } = given;
        const again = await createRuntime({
          agents: [{ id: "a", systemPrompt, provider, customTools: tape.replace(dead) }],
        }).run({ goal });
        expect(again.messages).toEqual(live.messages);
        expect([again.finalAnswer, again.turns, again.toolCalls]).toEqual([
          live.finalAnswer,
          live.turns,
          live.toolCalls,
        ]);
        expect(tape.unused()).toEqual([]);
      }),
    );
  });

  it("a fork at any turn, answered live as it was recorded, is the recorded run and replays whole", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.nat(), async (given, place) => {
        const { live, cassette } = await record(given);
        const at = place % (cassette.entries.length + 1);
        const fork = forkProvider(cassette, {
          at,
          live: scriptedProvider(given.script.slice(at)),
          ports: fixedPorts(9),
        });
        const forked = await run(given, fork);
        expect(forked.messages).toEqual(live.messages);
        const whole = cassetteProvider(parseCassette(formatCassette(recordedCassette(fork))));
        expect((await run(given, whole)).messages).toEqual(live.messages);
        expect(whole.remaining).toBe(0);
      }),
    );
  });

  it("PLK-132 a recorded run is the run without a recorder", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const { live } = await record(given);
        const bare = await run(given, scriptedProvider(given.script));
        expect(live.messages).toEqual(bare.messages);
        expect([live.finalAnswer, live.turns, live.toolCalls, live.usage]).toEqual([
          bare.finalAnswer,
          bare.turns,
          bare.toolCalls,
          bare.usage,
        ]);
      }),
    );
  });

  it("two recordings of one run with the same clock and bytes are the same file", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const [a, b] = [await record(given), await record(given)];
        expect(formatCassette(a.cassette)).toBe(formatCassette(b.cassette));
      }),
    );
  });

  it("writing, reading and writing again gives the same bytes", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const bytes = formatCassette((await record(given)).cassette);
        expect(formatCassette(parseCassette(bytes))).toBe(bytes);
      }),
    );
  });

  it("PLK-111 a run whose goal is another one is a miss at once", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, text, async (given, goal) => {
        fc.pre(goal !== given.goal);
        const replay = cassetteProvider((await record(given)).cassette);
        await expect(run({ ...given, goal }, replay)).rejects.toMatchObject({ code: "prompt-changed" });
        expect(replay.remaining).toBe(given.script.length);
      }),
    );
  });
});

/** One call of a recorder: what it is asked, how long others may overtake it, and whether it is answered. */
const overlapping = fc.record({
  texts: fc.array(fc.constantFrom("a", "b"), { maxLength: 4 }),
  delay: fc.nat(4),
  fails: fc.boolean(),
  isAwaited: fc.boolean(),
});

describe("laws of overlapping calls", () => {
  it("whatever settles when and whatever fails, the answered calls are recorded in call order with their prompts", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(overlapping, { maxLength: 8 }), async (calls) => {
        let made = 0;
        const recorder = recordingProvider(
          {
            async turn() {
              const index = made++;
              const { delay, fails } = calls[index] ?? { delay: 0, fails: false };
              for (let tick = 0; tick < delay; tick++) await Promise.resolve();
              if (fails) throw new Error("no");
              return say(String(index));
            },
          },
          { ports: fixedPorts() },
        );
        const pending: Promise<unknown>[] = [];
        for (const { texts, isAwaited } of calls) {
          pending.push(recorder.turn(prompt(...texts)).catch(() => undefined));
          if (isAwaited) await pending.at(-1);
        }
        await Promise.all(pending);
        const cassette = recordedCassette(recorder);
        const answered = calls.flatMap((each, index) => (each.fails ? [] : [{ ...each, index }]));
        expect(cassette.entries.map((entry) => entry.response)).toEqual(
          answered.map(({ index }) => say(String(index))),
        );
        expect(rebuildPrompts(cassette)).toEqual(answered.map(({ texts }) => prompt(...texts).messages));
        expect(parseCassette(formatCassette(cassette))).toEqual(cassette);
      }),
      { numRuns: 200 },
    );
  });
});

function verdict(value: JsonValue): string {
  return verdictOf(JSON.stringify(value));
}

/** Why a text is refused, or "accepted". */
function verdictOf(text: string): string {
  try {
    parseCassette(text, { ports: { warn: () => undefined } });
    return "accepted";
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    return error.code;
  }
}

describe("laws of integrity", () => {
  it("PLK-116 PLK-120 PLK-121 any change of one place of a recording is refused", async () => {
    const whole = draft(await weatherCassette()) as unknown as JsonValue;
    const changes = changesOf(whole);
    expect(changes.length).toBeGreaterThan(300);
    expect(changes.filter(({ value }) => verdict(value) === "accepted").map(({ what }) => what)).toEqual([]);
  });

  it("PLK-116 PLK-120 PLK-121 any change of one place of a hashes-only recording is refused", async () => {
    const bare = draft(await weatherCassette({ prompts: false })) as unknown as JsonValue;
    const accepted = changesOf(bare).filter(({ value }) => verdict(value) === "accepted");
    expect(accepted.map(({ what }) => what)).toEqual([]);
  });

  it("PLK-116 PLK-120 PLK-121 any change of one place of any recording is refused", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const { cassette } = await record(given);
        const accepted = changesOf(draft(cassette) as unknown as JsonValue)
          .filter(({ value }) => verdict(value) === "accepted")
          .map(({ what }) => what);
        expect(accepted).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it("PLK-116 a number spelled with another value is refused, and every spelling of the same value is not", async () => {
    const whole = draft(await weatherCassette());
    const written = JSON.stringify(whole);
    const spell = (text: string) => verdictOf(written.replace('"days":2', `"days":${text}`));
    const same = ["2", "2.0", "2e0", "20e-1", "0.2E+1"];
    const other = ["2.0000000000000000001", "1.9999999999999999999", "3", "-2", "2e-400", '"2"'];
    expect(written).toContain('"days":2');
    expect(same.map(spell)).toEqual(same.map(() => "accepted"));
    expect(other.map(spell)).not.toContain("accepted");
  });

  it("white space, the order of keys and another cut of the prompts into parts change no value and load", async () => {
    const whole = draft(await weatherCassette());
    const turned = Object.fromEntries(Object.entries(whole).reverse());
    const split = draft(whole);
    const second = split.entries[1]?.prompt;
    const first = split.entries[0]?.prompt?.messages ?? [];
    if (second !== undefined) Object.assign(second, { keep: 0, messages: [...first, ...second.messages] });
    const texts = [
      JSON.stringify(whole, null, "\t").replaceAll("\n", "\r\n"),
      ...[turned, split].map((each) => JSON.stringify(each)),
    ];
    expect(texts.map(verdictOf)).toEqual(texts.map(() => "accepted"));
  });

  it("a file cut short anywhere is refused", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.nat(), async (given, seed) => {
        const bytes = new TextEncoder().encode(formatCassette((await record(given)).cassette));
        const cut = bytes.subarray(0, seed % (bytes.length - 1));
        expect(() => parseCassette(cut)).toThrow(CassetteError);
      }),
    );
  });
});
