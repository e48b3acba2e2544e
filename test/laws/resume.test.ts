import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import { seal } from "../../src/core/canon/copy.js";
import { askAside, type Boundary } from "../../src/core/loop/boundary.js";
import { createBudget, type BudgetLimits } from "../../src/core/loop/budget.js";
import type { Journal, JournalBatch, StoredOutcome } from "../../src/core/loop/journal.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmProviderAdapter, LlmTurnRequest, LlmTurnResponse } from "../../src/core/model/provider.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import { playLoop, type LoopRun } from "../support/loop.js";
import { recordedCassette, verifyKept } from "../support/oracle.js";
import { fixedPorts } from "../support/recording.js";
import { ask, say, tool } from "../support/script.js";

afterAll(verifyKept);

const user = (content: string): LlmMessage => seal({ role: "user", content });

/** What a face does in one turn: cut the conversation by a summary, append a message, go on after an answer, overlay the prompt. */
interface Act {
  readonly compact: boolean;
  readonly steer: boolean;
  readonly goOn: boolean;
  readonly overlay: boolean;
  readonly calls: number;
  readonly tokens: number;
}

const act: fc.Arbitrary<Act> = fc.record({
  compact: fc.boolean(),
  steer: fc.boolean(),
  goOn: fc.boolean(),
  overlay: fc.boolean(),
  calls: fc.nat(3),
  tokens: fc.nat(400),
});

/** Answers by the number of the request, so that an undisturbed and a resumed run get the same ones. */
function model(acts: readonly Act[], from = 0): LlmProviderAdapter {
  let asked = from;
  return scriptedProvider(
    Array.from({ length: 40 }, () => (request: LlmTurnRequest): LlmTurnResponse => {
      const { calls, tokens } = acts[asked % acts.length] as Act;
      asked += 1;
      const extra = { usage: { inputTokens: tokens, outputTokens: 5 }, costUsd: tokens / 1_000_000 };
      const isAside = request.tools === undefined;
      if (isAside || calls === 0 || asked > 20) return say(`answer ${asked}`, extra);
      return ask(
        Array.from({ length: calls }, () => ({ name: "echo" })),
        extra,
      );
    }),
  );
}

/** A face that acts by the turn's index alone, so that a resumed run does the same. */
function face(acts: readonly Act[]): Boundary {
  const at = (turnIndex: number) => acts[turnIndex % acts.length] as Act;
  return async (place) => {
    const { loop, turnIndex } = place;
    const { compact, steer, goOn } = at(turnIndex);
    if (place.at === "before" && compact && loop.history.length > 3 && turnIndex < 12) {
      const aside = await askAside(loop, [user("Sum up."), user(`${loop.history.length} messages`)]);
      if (aside.kind === "budget") return undefined;
      loop.history.splice(0, loop.history.length, user(aside.response.message.content));
      return { kind: "changed" };
    }
    if (place.at === "begin" && steer) loop.history.push(user(`steered ${turnIndex}`));
    if (place.at === "after" && place.outcome.kind === "finished" && goOn && turnIndex < 8) {
      loop.history.push(user("and?"));
      return { kind: "continue" };
    }
    return undefined;
  };
}

/** A run whose turns see overlays behind the conversation. */
function play(acts: readonly Act[], provider: LlmProviderAdapter, more: Partial<Parameters<typeof playLoop>[0]> = {}) {
  const history = more.history ?? [user("go")];
  return playLoop({
    provider,
    tools: [tool("echo", (_args, { idempotencyKey }) => idempotencyKey, { effect: "write" })],
    runId: "r",
    history,
    boundary: face(acts),
    prepare: (turnIndex) =>
      acts[turnIndex % acts.length]?.overlay === true
        ? { messages: [...history, user(`now ${turnIndex}`)] }
        : undefined,
    ...more,
  });
}

const limits: fc.Arbitrary<BudgetLimits> = fc.record(
  {
    maxTurns: fc.integer({ min: 1, max: 15 }),
    maxToolCalls: fc.nat(15),
    maxTokens: fc.integer({ min: 200, max: 6_000 }),
    maxCostUsd: fc.constantFrom(0.0005, 0.002),
  },
  { requiredKeys: ["maxTurns"] },
);

describe("a run with compaction, asides, steering and overlays", () => {
  it("is replayed by its cassette to the same events, conversation and end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 6 }), limits, async (acts, own) => {
        const recorder = recordingProvider(model(acts), { ports: fixedPorts() });
        const live = await play(acts, recorder, { limits: own });
        const replay = cassetteProvider(recordedCassette(recorder));
        const again = await play(acts, replay, { limits: own });
        expect(again).toEqual(live);
      }),
      { numRuns: 100 },
    );
  });
});

interface Checkpoint {
  readonly batch: JournalBatch;
  readonly history: readonly LlmMessage[];
  readonly outcomes: readonly (readonly [number, StoredOutcome])[];
}

/** Plays a run and keeps what a host would have stored at every point where it may stop among its calls. */
async function undisturbed(acts: readonly Act[], own: BudgetLimits): Promise<{ run: LoopRun; cuts: Checkpoint[] }> {
  const cuts: Checkpoint[] = [];
  const history = [user("go")];
  let now: { batch: JournalBatch; outcomes: Map<number, StoredOutcome> } | undefined;
  const keep = () => {
    if (now === undefined) return;
    const stored = JSON.parse(JSON.stringify([now.batch, [...now.outcomes]])) as [
      JournalBatch,
      [number, StoredOutcome][],
    ];
    cuts.push({ batch: stored[0], history: [...history], outcomes: stored[1] });
  };
  const journal: Journal = {
    begin(batch) {
      now = { batch, outcomes: new Map() };
      keep();
    },
    known: () => undefined,
    end(callIndex, outcome) {
      now?.outcomes.set(callIndex, outcome);
      keep();
    },
  };
  const run = await play(acts, model(acts), { limits: own, history, journal });
  return { run, cuts };
}

describe("a run that stopped among its calls", () => {
  it("goes on from every cut to the conversation, the turns and the end of the undisturbed run", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 4 }), limits, async (acts, own) => {
        const { run, cuts } = await undisturbed(acts, own);
        for (const { batch, history, outcomes } of cuts) {
          const known = new Map(outcomes);
          const last = history.at(-1);
          const pendingCalls = last?.role === "assistant" ? (last.toolCalls ?? []) : [];
          const resumed = await play(acts, model(acts, batch.spent.turns), {
            budget: createBudget(own, "b", batch.spent),
            history: [...history],
            pendingCalls,
            journal: {
              begin: ({ resumed: isFirst }) => void (isFirst || known.clear()),
              known: (index) => known.get(index),
              end: () => undefined,
            },
          });
          expect(resumed.error).toEqual(run.error);
          expect(resumed.stop).toEqual(run.stop);
          expect(resumed.history).toEqual(run.history);
          const before = run.events.findLastIndex(({ turn, type }) => turn === batch.turnIndex && type === "tool-call");
          expect(resumed.events).toEqual(run.events.slice(before + 1));
        }
      }),
      { numRuns: 40 },
    );
  });
});
