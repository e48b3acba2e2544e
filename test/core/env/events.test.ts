import { describe, expect, it } from "vitest";
import type { EnvEvent } from "../../../src/core/env/run/event.js";
import { askUserHook } from "../../../src/core/env/hooks/ask-user.js";
import type { LlmProviderAdapter, LlmStreamEvent } from "../../../src/core/model/provider.js";
import { fromHex } from "../../../src/core/canon/bytes.js";
import { createSigner } from "../../../src/core/canon/signature.js";
import { verifyReceipts } from "../../../src/core/receipts/verify.js";
import { ask, say, tool } from "../../support/script.js";
import { AGENT, kindsOf, playEnv } from "../../support/env.js";

async function all(events: AsyncIterable<EnvEvent>): Promise<EnvEvent[]> {
  const seen: EnvEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

const streaming = (pieces: string[]): LlmProviderAdapter => ({
  turn: async () => say(pieces.join("")),
  async *stream(): AsyncGenerator<LlmStreamEvent> {
    yield { type: "reasoning-delta", text: "hm" };
    for (const text of pieces) yield { type: "text-delta", text };
    yield { type: "response", response: say(pieces.join("")) };
  },
});

describe("the events of a run", () => {
  it("CRB-21 CRB-25 tell each step and each call to the environment, frozen, with their place", async () => {
    const told: [string, string, EnvEvent][] = [];
    const { runtime } = playEnv({
      env: {
        hook: () => ({
          schema: () => [{ name: "look", description: "Looks.", schema: { type: "object" } }],
          dispatch: async () => "seen",
        }),
        onAgentEvent: (...args) => void told.push(args),
      },
      steps: [
        ask([{ name: "look", arguments: { a: 1 } }, { name: "no" }], { usage: { inputTokens: 5, outputTokens: 2 } }),
        say("end", { model: "m" }),
      ],
    });
    const { runId } = await runtime.send({ agent: AGENT, sender: "ann", content: "Go." });
    expect(told.every(([agent, id, event]) => agent === AGENT && id === "a:ann" && Object.isFrozen(event))).toBe(true);
    const place = { agent: AGENT, conversationId: "a:ann", runId };
    expect(told.map(([, , event]) => event)).toEqual([
      { ...place, step: 0, type: "step-start" },
      { ...place, step: 0, type: "tool-call", callId: "c0", tool: "look", args: { a: 1 } },
      { ...place, step: 0, type: "tool-call", callId: "c1", tool: "no", args: {}, refused: true },
      { ...place, step: 0, type: "tool-result", callId: "c0", tool: "look", output: "seen", isError: false },
      { ...place, step: 0, type: "tool-result", callId: "c1", tool: "no", output: "tool unavailable", isError: true },
      {
        ...place,
        step: 0,
        type: "step-end",
        stopReason: "toolUse",
        toolCalls: 2,
        usage: { inputTokens: 5, outputTokens: 2 },
      },
      { ...place, step: 1, type: "step-start" },
      { ...place, step: 1, type: "step-end", stopReason: "stop", toolCalls: 0, model: "m" },
      { ...place, step: 1, type: "done", finalAnswer: "end" },
    ]);
  });

  it("CRB-21 tell each compaction, and not its turn as a step", async () => {
    const { runtime } = playEnv({
      steps: [say("1"), say("summary"), say("2")],
      agent: { compaction: { maxTokens: 30, keepTokens: 5 } },
    });
    await runtime.send({ agent: AGENT, content: "x".repeat(100) });
    const events = await all(runtime.stream({ agent: AGENT, content: "y".repeat(20) }));
    expect(events.map(({ type }) => type)).toEqual(["compaction", "step-start", "step-end", "done"]);
    expect(events[0]).toMatchObject({ archive: "archive-1", messages: 2, summary: "summary" });
  });

  it("tell the end of a step once it is stored", async () => {
    const stored: number[] = [];
    const played = playEnv({
      env: { onAgentEvent: (_a, _id, { type }) => void (type === "step-end" && stored.push(played.entries().length)) },
      steps: [ask([{ name: "no" }]), say("end")],
    });
    await played.runtime.send({ agent: AGENT, content: "Go." });
    expect(stored).toEqual([4, 5]);
  });

  it("end with `failed` when the run fails, at whatever point", async () => {
    const failing = playEnv({ steps: [] });
    const seen: EnvEvent[] = [];
    const run = async () => {
      for await (const event of failing.runtime.stream({ agent: AGENT, content: "Go." })) seen.push(event);
    };
    await expect(run()).rejects.toMatchObject({ code: "script-exhausted" });
    expect(seen.map(({ type }) => type)).toEqual(["step-start", "step-error", "failed"]);
    expect(seen.at(-1)).toMatchObject({ code: "script-exhausted", retryable: false });
    const wrong = playEnv({ agent: { tools: ["x"] } });
    const told: EnvEvent[] = [];
    await expect(
      (async () => {
        for await (const event of wrong.runtime.stream({ agent: AGENT, content: "Go." })) told.push(event);
      })(),
    ).rejects.toMatchObject({ code: "invalid-options" });
    expect(told).toMatchObject([{ type: "failed", step: -1 }]);
  });

  it("cannot change the run when a listener throws or rejects", async () => {
    const { runtime, warnings } = playEnv({
      env: {
        onAgentEvent: (_a, _id, { type }) => {
          if (type === "done") return Promise.reject(new Error("late")) as never;
          throw new Error("full");
        },
      },
      steps: [say("end")],
      options: {
        onEvent: () => {
          throw new Error("no");
        },
      },
    });
    expect(await runtime.send({ agent: AGENT, content: "Go." })).toMatchObject({ finalAnswer: "end" });
    expect(warnings).toContain("playhead: onAgentEvent threw: full");
    expect(warnings).toContain("playhead: onAgentEvent threw: late");
  });
});

describe("a stream", () => {
  it("CRB-12 CRB-19 streams the provider by default, and the response enters the conversation", async () => {
    const { runtime, entries } = playEnv({ provider: streaming(["a", "b", "c"]) });
    const events = await all(runtime.stream({ agent: AGENT, content: "Go." }));
    const texts = events.flatMap((event) => ("text" in event ? [[event.type, event.text]] : []));
    expect(texts[0]).toEqual(["thinking-delta", "hm"]);
    expect(
      texts
        .slice(1)
        .map(([, piece]) => piece)
        .join(""),
    ).toBe("abc");
    expect(entries().at(-1)).toMatchObject({ message: { role: "assistant", content: "abc" } });
    const whole = playEnv({ provider: streaming(["a", "b"]), agent: { streaming: false } });
    expect((await all(whole.runtime.stream({ agent: AGENT, content: "Go." }))).map(({ type }) => type)).toEqual([
      "step-start",
      "step-end",
      "done",
    ]);
  });

  it("joins the pieces that a slow reader has not read", async () => {
    const { runtime } = playEnv({ provider: streaming(Array.from({ length: 500 }, () => "x")) });
    const reader = runtime.stream({ agent: AGENT, content: "Go." });
    await reader.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const rest = await all(reader);
    expect(rest.length).toBeLessThan(6);
    expect(rest.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("")).toBe("x".repeat(500));
  });

  it("begins at the first next(), and is aborted by leaving early", async () => {
    const { runtime, asked, entries } = playEnv({ steps: [say("never read"), say("next")] });
    const reader = runtime.stream({ agent: AGENT, content: "Go." });
    await Promise.resolve();
    expect(asked).toEqual([]);
    for await (const { type } of reader) if (type === "step-start") break;
    expect(await runtime.conversation(AGENT)).toMatchObject({ isOpen: expect.any(Boolean) as boolean });
    await runtime.send({ agent: AGENT, content: "Again." });
    expect(kindsOf(entries())[0]).toBe("created");
  });

  it("refuses a wrong request at once", () => {
    const { runtime } = playEnv();
    expect(() => runtime.stream({ agent: AGENT, content: 7 as never })).toThrow(/send cannot take this content/);
  });
});

describe("an abort", () => {
  it("of a question that is never answered ends at once, and the next run works", async () => {
    let asked = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (asked = resolve));
    const hook = askUserHook(() => (asked(), new Promise<string>(() => undefined)));
    const { runtime, entries } = playEnv({
      hook,
      steps: [ask([{ name: "ask_user", arguments: { question: "Why?" } }]), say("end")],
    });
    const run = runtime.send({ agent: AGENT, content: "Go." });
    await waiting;
    expect(runtime.cancel(AGENT)).toBe(true);
    await expect(run).rejects.toMatchObject({ code: "aborted" });
    expect(runtime.cancel(AGENT)).toBe(false);
    expect(await runtime.send({ agent: AGENT, content: "Again." })).toMatchObject({ finalAnswer: "end" });
    expect(kindsOf(entries())).toEqual(["created", "user", "user", "assistant"]);
  });

  it("leaves nothing behind that a late tool can change", async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let started = (): void => undefined;
    const begun = new Promise<void>((resolve) => (started = resolve));
    const late = tool("look", async () => (started(), await released, "late"));
    const told: string[] = [];
    const { runtime, entries } = playEnv({
      tools: [late],
      steps: [ask([{ name: "look" }]), say("never")],
      options: { onEvent: ({ type }) => void told.push(type) },
    });
    const stop = new AbortController();
    const run = runtime.send({ agent: AGENT, content: "Go.", signal: stop.signal });
    await begun;
    stop.abort();
    await expect(run).rejects.toMatchObject({ code: "aborted" });
    const before = [entries().length, told.length];
    release();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([entries().length, told.length]).toEqual(before);
    expect(told.at(-1)).toBe("run-end");
  });
});

it("receipts cover every turn, summaries included", async () => {
  const { runtime } = playEnv({
    steps: [say("1"), say("summary"), ask([{ name: "no" }]), say("2")],
    agent: { compaction: { maxTokens: 80, keepTokens: 5 } },
    options: { signingKey: "07".repeat(32) },
  });
  await runtime.send({ agent: AGENT, content: "x".repeat(300) });
  await runtime.send({ agent: AGENT, content: "y".repeat(20) });
  await runtime.destroy();
  expect(
    verifyReceipts(runtime.receipts, createSigner(fromHex("07".repeat(32)) as Uint8Array).publicKey),
  ).toMatchObject({ kind: "ok", complete: true });
  const turns = runtime.receipts.filter(({ body }) => body.kind === "turn");
  expect(turns.map(({ turnIndex }) => turnIndex)).toEqual([0, 0, 1, 2]);
});
