import { describe, expect, it } from "vitest";
import { ToolArgError, ToolPolicyError } from "../../../src/core/errors.js";
import { createBudget } from "../../../src/core/loop/budget.js";
import type { Journal, JournalBatch, StoredOutcome } from "../../../src/core/loop/journal.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { gate, playLoop, toolResults } from "../../support/loop.js";
import { ask, say, tool } from "../../support/script.js";

/** A journal in memory that writes down what it is told. */
function notebook(known: Readonly<Record<number, StoredOutcome>> = {}, told: string[] = []) {
  const batches: JournalBatch[] = [];
  const outcomes = new Map<number, StoredOutcome>();
  const journal: Journal = {
    begin(batch) {
      told.push(`begin ${batch.calls.map(({ callIndex }) => callIndex).join(" ")}`);
      batches.push(batch);
    },
    known: (callIndex) => known[callIndex],
    end(callIndex, outcome) {
      told.push(`end ${callIndex}`);
      outcomes.set(callIndex, outcome);
    },
  };
  return { journal, batches, outcomes, told };
}

const three = (name: string) => ask([{ name }, { name }, { name }]);

describe("a journal", () => {
  it("receives the ready calls with the budget before them, and only then do they run", async () => {
    const { journal, batches, told } = notebook();
    const tools = [tool("pay", () => void told.push("pay"), { retryPolicy: "idempotent" })];
    await playLoop({ steps: [ask([{ name: "gone" }, { name: "pay" }]), say("x")], tools, journal });
    expect(told).toEqual(["begin 1", "pay", "end 1"]);
    expect(batches).toEqual([
      {
        turnIndex: 0,
        resumed: false,
        spent: { turns: 1, toolCalls: 0, usage: { inputTokens: 0, outputTokens: 0 } },
        calls: [{ callIndex: 1, call: { id: "c1", name: "pay", arguments: {} }, retryPolicy: "idempotent" }],
      },
    ]);
  });

  it("is asked even where all calls were refused, but not where the cap left none", async () => {
    const { journal, told } = notebook();
    await playLoop({ steps: [ask([{ name: "gone" }]), say("x")], journal });
    await playLoop({ steps: [ask([{ name: "gone" }])], journal, limits: { maxToolCalls: 0 } });
    expect(told).toEqual(["begin "]);
  });

  it("lets no call of a write batch start before the outcome of the one in front is stored", async () => {
    const { journal, told } = notebook();
    const tools = [tool("pay", async () => void told.push("pay"), { effect: "write" })];
    const slow: Journal = {
      ...journal,
      async end(callIndex, outcome) {
        await Promise.resolve();
        await journal.end(callIndex, outcome);
      },
    };
    await playLoop({ steps: [three("pay"), say("x")], tools, journal: slow });
    expect(told).toEqual(["begin 0 1 2", "pay", "end 0", "pay", "end 1", "pay", "end 2"]);
  });

  it("lets each call of a read batch wait for its own, and the model for all", async () => {
    const { opened, open } = gate();
    const { journal, told } = notebook();
    const held: Journal = {
      ...journal,
      async end(callIndex, outcome) {
        if (callIndex === 0) await opened;
        await journal.end(callIndex, outcome);
        if (callIndex === 2) open();
      },
    };
    const { history } = await playLoop({
      steps: [three("look"), say("x")],
      tools: [tool("look", () => "seen")],
      journal: held,
    });
    expect(told).toEqual(["begin 0 1 2", "end 1", "end 2", "end 0"]);
    expect(toolResults(history)).toEqual(["c0: seen", "c1: seen", "c2: seen"]);
  });

  it("stores what the model will read, as plain JSON", async () => {
    const { journal, outcomes } = notebook();
    const throwing = (name: string, error: Error) =>
      tool(name, () => {
        throw error;
      });
    const tools = [
      tool("a", () => "x".repeat(20_001)),
      throwing("b", new Error("no")),
      throwing("c", new ToolArgError("secret")),
    ];
    await playLoop({ steps: [ask([{ name: "a" }, { name: "b" }, { name: "c" }]), say("x")], tools, journal });
    expect(outcomes.get(0)).toMatchObject({ kind: "ok", cut: 1 });
    expect(outcomes.get(1)).toEqual({ kind: "failed", content: "no", message: "no" });
    expect(outcomes.get(2)).toEqual({ kind: "masked", content: "tool unavailable", message: "secret" });
    expect(JSON.parse(JSON.stringify([...outcomes]))).toEqual([...outcomes]);
  });

  it("stores the outcome after the result hooks, and none of a denied call", async () => {
    const { journal, outcomes } = notebook();
    const deny = tool("deny", () => {
      throw new ToolPolicyError("never");
    });
    const { error } = await playLoop({
      steps: [ask([{ name: "look" }, { name: "deny" }])],
      tools: [tool("look", () => "raw"), deny],
      policies: [{ result: ({ tool: name }) => (name === "look" ? { status: "done", output: "clean" } : undefined) }],
      journal,
    });
    expect(error).toMatchObject({ code: "tool-denied" });
    expect([...outcomes]).toEqual([[0, { kind: "ok", content: "clean", cut: 0 }]]);
  });

  it("ends the run with what `begin` throws, and nothing of the batch has run", async () => {
    const lost = new Error("lease lost");
    const ran: string[] = [];
    const { error, events } = await playLoop({
      steps: [three("pay")],
      tools: [tool("pay", () => void ran.push("pay"))],
      journal: { ...notebook().journal, begin: () => Promise.reject(lost) },
    });
    expect(error).toBe(lost);
    expect(ran).toEqual([]);
    expect(events.slice(-3).map(({ type }) => type)).toEqual(["tool-skipped", "tool-skipped", "tool-skipped"]);
  });

  it("ends the run at once with what `end` throws, though another call still runs", async () => {
    const lost = new Error("lease lost");
    const tools = [tool("look", () => "seen"), tool("hang", () => new Promise(() => undefined))];
    const { error, history } = await playLoop({
      steps: [ask([{ name: "look" }, { name: "hang" }])],
      tools,
      journal: { ...notebook().journal, end: () => Promise.reject(lost) },
    });
    expect(error).toBe(lost);
    expect(toolResults(history)).toEqual([]);
  });

  it.each(["begin", "end"] as const)("is left waiting in `%s` by an abort", async (place) => {
    const control = new AbortController();
    const hang = () => {
      queueMicrotask(() => control.abort());
      return new Promise<void>(() => undefined);
    };
    const { error } = await playLoop({
      steps: [three("look")],
      tools: [tool("look", () => "seen")],
      signal: control.signal,
      journal: { ...notebook().journal, [place]: hang },
    });
    expect(error).toMatchObject({ code: "aborted" });
  });

  it("is not told the outcome of a call that an abort cut off", async () => {
    const { journal, told } = notebook();
    const control = new AbortController();
    const cut = tool("cut", () => {
      control.abort();
      return "too late";
    });
    const { error } = await playLoop({
      steps: [ask([{ name: "cut" }])],
      tools: [cut],
      journal,
      signal: control.signal,
    });
    expect(error).toMatchObject({ code: "aborted" });
    expect(told).toEqual(["begin 0"]);
  });
});

describe("a run that goes on at pending calls", () => {
  const answer = three("pay");
  const calls = answer.message.toolCalls ?? [];
  const begun = (): LlmMessage[] => [{ role: "user", content: "go" }, answer.message];
  const batch = () => createBudget({}, "b", { turns: 1, toolCalls: 0, usage: { inputTokens: 7, outputTokens: 1 } });

  it("runs only what has no outcome, under the attempt that the journal gives", async () => {
    const ran: [number, string, string][] = [];
    const pay = tool(
      "pay",
      (_args, { attempt, idempotencyKey, toolCallId }) => {
        ran.push([attempt, idempotencyKey, toolCallId]);
        return "paid";
      },
      { effect: "write" },
    );
    const asked: string[] = [];
    const { journal, batches, told } = notebook({ 0: { kind: "ok", content: "paid before", cut: 0 } });
    const { stop, history, events } = await playLoop({
      steps: [say("done")],
      tools: [pay],
      budget: batch(),
      history: begun(),
      pendingCalls: calls,
      journal: { ...journal, attempt: () => 2 },
      policies: [{ call: ({ callId }) => void asked.push(callId) }],
      runId: "r",
    });
    expect(stop).toEqual({ kind: "finished", finalAnswer: "done" });
    expect(ran).toEqual([
      [2, "r:0.1", "c1"],
      [2, "r:0.2", "c2"],
    ]);
    expect(asked).toEqual(["c1", "c2"]);
    expect(told).toEqual(["begin 0 1 2", "end 1", "end 2"]);
    expect(batches[0]).toMatchObject({ turnIndex: 0, resumed: true, spent: { turns: 1, toolCalls: 0 } });
    expect(toolResults(history)).toEqual(["c0: paid before", "c1: paid", "c2: paid"]);
    expect(events.map(({ turn, type }) => `${turn} ${type}`)).toEqual([
      ...["0 tool-result", "0 tool-result", "0 tool-result", "1 turn-start", "1 llm-turn"],
    ]);
  });

  it("asks only `after` of the turn it finishes", async () => {
    const places: string[] = [];
    await playLoop({
      ...{
        steps: [say("done")],
        tools: [tool("pay", () => 1)],
        budget: batch(),
        history: begun(),
        pendingCalls: calls,
      },
      boundary: ({ at, turnIndex }) => void places.push(`${at} ${turnIndex}`),
      prepare: (turnIndex) => void places.push(`prepare ${turnIndex}`),
    });
    expect(places).toEqual(["after 0", "before 1", "begin 1", "prepare 1", "after 1"]);
  });

  it("takes the calls from the cap again, so that the same ones are cut", async () => {
    const ran: string[] = [];
    const { stop, history } = await playLoop({
      ...{ tools: [tool("pay", () => ran.push("pay"))], history: begun(), pendingCalls: calls },
      budget: createBudget({ maxToolCalls: 2 }, "b", batch().spent),
    });
    expect(stop).toEqual({ kind: "budget", cap: "toolCalls" });
    expect(ran).toHaveLength(2);
    expect(toolResults(history)).toHaveLength(2);
  });

  it("gives a known failure its effect on the run", async () => {
    const { journal } = notebook({ 0: { kind: "failed", content: "no", message: "no" } });
    const { error } = await playLoop({
      ...{ tools: [tool("pay", () => 1)], budget: batch(), history: begun(), pendingCalls: calls, journal },
      onToolError: "fail",
    });
    expect(error).toMatchObject({ code: "tool-failed", message: "tool pay failed: no" });
  });

  it("goes on before the next turn where no call is open, and keeps what the budget learnt", async () => {
    const budget = createBudget({ maxTokens: 1_000 }, "b", {
      ...{ turns: 1, toolCalls: 0, usage: { inputTokens: 600, outputTokens: 1 } },
      estimate: { known: { tokens: 601, messages: 2 }, answers: 1, reports: true },
    });
    const { stop } = await playLoop({ budget, history: begun(), pendingCalls: [], steps: [say("x")] });
    expect(stop).toEqual({ kind: "budget", cap: "tokens" });
  });
});
