import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmTurnResponse } from "../../src/core/model/provider.js";
import { playLoop } from "../support/loop.js";
import { ask, say, tool } from "../support/script.js";

/** Kinds of call: a tool that answers, one that throws, one whose arguments are refused, one that does not exist. */
const kind = fc.constantFrom("echo", "fails", "strict", "missing");
const turnOf = fc.array(kind, { minLength: 1, maxLength: 6 });

describe("the loop", () => {
  it("keeps results in call order, whatever order the tools finish in", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(turnOf, { maxLength: 4 }), async (scheduler, turns) => {
        const finished: string[] = [];
        const running = playLoop({ steps: script(turns), tools: toolsOn(scheduler, finished) });
        await scheduler.waitFor(running);
        const { history, stop } = await running;
        expect(stop).toEqual({ kind: "finished", finalAnswer: "done" });
        for (const { asked, answers } of exchanges(history)) {
          expect(answers.map(({ toolCallId }) => toolCallId)).toEqual(asked.map(({ id }) => id));
          for (const [index, answer] of answers.entries()) {
            const call = asked[index];
            const expected = { echo: call?.id, fails: `${call?.id ?? ""} broke` }[call?.name ?? ""];
            expect(answer.content).toBe(expected ?? "tool unavailable");
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it("answers every tool call with exactly one tool message of its id", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(turnOf, { maxLength: 4 }), async (scheduler, turns) => {
        const running = playLoop({ steps: script(turns), tools: toolsOn(scheduler, []) });
        await scheduler.waitFor(running);
        const { history, events } = await running;
        const ids = history
          .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
          .map(({ id }) => id);
        const answered = history.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : []));
        expect(answered).toEqual(ids);
        expect(answered).toHaveLength(turns.flat().length);
        const ends = events.flatMap((event) => (isEnd(event.type) && "callId" in event ? [event.callId] : []));
        expect(ends).toEqual(ids);
      }),
      { numRuns: 300 },
    );
  });

  it("alternates: an assistant message follows the user or the last result of its turn, results follow their call", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turnOf, { maxLength: 4 }), fc.nat(8), async (turns, maxToolCalls) => {
        const { history } = await playLoop({
          steps: script(turns),
          tools: toolsOn(undefined, []),
          limits: { maxToolCalls },
        });
        expect(history[0]?.role).toBe("user");
        let open: string[] = [];
        for (const [index, message] of history.slice(1).entries()) {
          switch (message.role) {
            case "assistant":
              expect(open).toEqual([]);
              open = (message.toolCalls ?? []).map(({ id }) => id);
              break;
            case "tool":
              expect(message.toolCallId).toBe(open.shift());
              break;
            default:
              expect(`${message.role} at ${index + 1}`).toBe("never");
          }
        }
        // Only the calls that a cap forbade may stay open, and only at the end.
        if (open.length > 0) expect(turns.flat().length).toBeGreaterThan(maxToolCalls);
      }),
      { numRuns: 300 },
    );
  });

  it("plays the same script to the same conversation and the same events", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.scheduler(), fc.array(turnOf, { maxLength: 4 }), async (one, two, turns) => {
        const runs = [one, two].map(async (scheduler) => {
          const running = playLoop({ steps: script(turns), tools: toolsOn(scheduler, []) });
          await scheduler.waitFor(running);
          return running;
        });
        const [first, second] = await Promise.all(runs);
        expect(second?.history).toEqual(first?.history);
        expect(second?.events).toEqual(first?.events);
      }),
      { numRuns: 100 },
    );
  });
});

describe("the ends of a run among its tool calls", () => {
  const limit = fc.option(fc.nat(3), { nil: undefined });
  const mode = fc.constantFrom("feedback" as const, "fail" as const, undefined);

  it("REL-51 REL-52 are where a plain count says, for any script", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turnOf, { maxLength: 8 }), limit, mode, async (turns, maxCorrections, onToolError) => {
        const { error, events } = await playLoop({
          ...{ steps: script(turns), tools: toolsOn(undefined, []) },
          ...(maxCorrections === undefined ? {} : { maxCorrections }),
          ...(onToolError === undefined ? {} : { onToolError }),
        });
        const end = endOf(turns, maxCorrections ?? Infinity, onToolError === "fail");
        expect(events.filter(({ type }) => type === "turn-start")).toHaveLength(end.turns);
        if (end.retryable === undefined) expect(error).toBeUndefined();
        else expect(error).toMatchObject({ code: "tool-failed", retryable: end.retryable });
        const said = events.filter(({ type }) => type === "corrections-exhausted");
        expect(said).toHaveLength(end.retryable === false ? 1 : 0);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** After how many turns a script ends, and whether its failure may be retried; counted without looking at the loop. */
function endOf(turns: readonly (readonly string[])[], max: number, fails: boolean) {
  let row = 0;
  for (const [index, names] of turns.entries()) {
    if (fails && names.includes("fails")) return { turns: index + 1, retryable: true };
    row = names.every((name) => name === "strict" || name === "missing") ? row + 1 : 0;
    if (row > max) return { turns: index + 1, retryable: false };
  }
  return { turns: turns.length + 1, retryable: undefined };
}

/** Turns that ask for these calls, with ids of their own, and a last answer. */
function script(turns: readonly (readonly string[])[]): LlmTurnResponse[] {
  const asking = turns.map((names, turn) =>
    ask(names.map((name, index) => ({ id: `t${turn}c${index}`, name, arguments: { id: `t${turn}c${index}` } }))),
  );
  return [...asking, say("done")];
}

/** Tools that answer when the scheduler lets them. */
function toolsOn(scheduler: fc.Scheduler | undefined, finished: string[]) {
  const wait = async (id: unknown) => {
    await scheduler?.schedule(Promise.resolve(), String(id));
    finished.push(String(id));
  };
  return [
    tool("echo", async ({ id }) => {
      await wait(id);
      return id;
    }),
    tool("fails", async ({ id }) => {
      await wait(id);
      throw new Error(`${String(id)} broke`);
    }),
    tool("strict", () => "never", { schema: { required: ["no such field"] } }),
  ];
}

/** Each assistant message that asked for tools, with the tool messages right after it. */
function exchanges(history: readonly LlmMessage[]) {
  return history.flatMap((message, at) => {
    if (message.role !== "assistant" || message.toolCalls === undefined) return [];
    const after = history.slice(at + 1);
    const end = after.findIndex(({ role }) => role !== "tool");
    const answers = after
      .slice(0, end === -1 ? undefined : end)
      .flatMap((next) => (next.role === "tool" ? [next] : []));
    return [{ asked: message.toolCalls, answers }];
  });
}

function isEnd(type: string): boolean {
  return type === "tool-result" || type === "tool-failed" || type === "tool-rejected";
}
