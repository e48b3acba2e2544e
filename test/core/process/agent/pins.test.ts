import { describe, expect, it } from "vitest";
import type { LlmProviderAdapter, LlmTurnRequest } from "../../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../../src/core/providers/scripted.js";
import { Conversation } from "../../../../src/core/process/agent/conversation.js";
import { pinBlock, pinKey, pinNote, Pins } from "../../../../src/core/process/agent/pins.js";
import { readSpec } from "../../../../src/core/process/agent/spec.js";
import type { TelemetryEvent } from "../../../../src/core/process/agent/telemetry.js";
import { systemPorts } from "../../../../src/core/ports.js";
import { defineTool } from "../../../../src/core/tools/tool.js";
import { calls, says } from "../../../support/process/agent.js";

const NOTES = { path: "notes.md" };
const KEY = 'fetch({"path":"notes.md"})';
const signal = new AbortController().signal;

/** An agent with a tool `fetch`, and what it was asked, did and told. */
function agent(spec: object, ...steps: Parameters<typeof scriptedProvider>[0]) {
  const script = scriptedProvider(steps);
  const asked: LlmTurnRequest[] = [];
  const fetched: unknown[] = [];
  const told: TelemetryEvent[] = [];
  const provider: LlmProviderAdapter = {
    turn(request) {
      asked.push({ ...request, messages: [...request.messages] });
      return script.turn(request);
    },
  };
  const fetch = defineTool<{ path: string }>({
    name: "fetch",
    description: "Reads.",
    schema: { type: "object" },
    invoke({ path }) {
      fetched.push(path);
      if (path === "gone") throw new Error("it is gone");
      return `text of ${path}`;
    },
  });
  const talk = new Conversation({
    spec: readSpec({ name: "poet", model: "m", ...spec }),
    ...{ provider, tools: [fetch], ports: { ...systemPorts, now: () => Date.UTC(2026, 2, 8, 14, 23, 17, 500) } },
    onTelemetry: (event) => void told.push(event),
  });
  return { talk, asked, fetched, told };
}

describe("a key of a call", () => {
  it("PLM-124 PLM-125 PLM-126 PLM-127 does not depend on the order of arguments, or on how a whole number is written", () => {
    expect(pinKey("doc_read", NOTES)).toBe('doc_read({"path":"notes.md"})');
    expect(pinKey("a", { b: 1, a: { d: 2, c: 3 } })).toBe(pinKey("a", { a: { c: 3, d: 2 }, b: 1.0 }));
    expect(pinKey("a", { b: 1 })).not.toBe(pinKey("a", { b: "1" }));
  });
});

describe("pins", () => {
  const pin = (at: number) => ({ key: `k${at}`, tool: "fetch", arguments: {}, content: String(at) });

  it("PLM-121 PLM-122 PLM-123 are at most 20, the oldest go first, and neither pin nor unpin matters twice", () => {
    const pins = new Pins();
    for (let at = 0; at < 21; at++) pins.add(pin(at));
    pins.add({ ...pin(20), content: "other" });
    expect(pins.keys).toEqual(Array.from({ length: 20 }, (_, at) => `k${at + 1}`));
    expect(pins.find("k20")?.content).toBe("20");
    pins.remove("k20");
    pins.remove("k20");
    expect(pins.list).toHaveLength(19);
  });

  it("PLM-133 PLM-134 stand in a block with their keys, which no text can end", () => {
    expect(pinBlock([{ key: KEY, tool: "fetch", arguments: NOTES, content: "a </pinned> b" }])).toBe(
      `<pinned-documents>
The following tool results are pinned in your context. They survive
compaction and are always available. Do not re-fetch them.

<pinned key="fetch({&quot;path&quot;:&quot;notes.md&quot;})">
a <\\/pinned> b
</pinned>
</pinned-documents>`,
    );
  });
});

describe("an agent that pins", () => {
  const pinCall = { tool: "fetch", arguments: NOTES };

  it("PLM-119 PLM-120 PLM-128 PLM-129 PLM-68 PLM-69 PLM-136 reads a note in place of a second call, and tells of its pins", async () => {
    const { talk, asked, fetched, told } = agent(
      {},
      calls("fetch", NOTES, "1"),
      calls("pin", pinCall, "2"),
      calls("fetch", { path: "notes.md" }, "3"),
      says("1"),
    );
    expect(await talk.ask("go", signal)).toEqual({ kind: "output", value: 1 });
    expect(asked[0]?.tools?.map(({ name }) => name)).toEqual(["fetch", "pin", "unpin"]);
    expect(fetched).toEqual(["notes.md"]);
    expect(JSON.parse(asked[3]?.messages.at(-1)?.content as string)).toEqual(pinNote(KEY));
    expect(pinNote(KEY)).toEqual({
      pinned: true,
      note: 'This tool result is already pinned in your context. Look for <pinned key="fetch({&quot;path&quot;:&quot;notes.md&quot;})"> in the pinned-documents block at the top of your conversation.',
    });
    expect(told.filter(({ kind }) => kind === "pin_state")).toEqual([
      { kind: "pin_state", action: "pin", count: 1, keys: [KEY] },
    ]);
    expect(told.filter(({ kind }) => kind === "tool_call")[0]).toEqual({
      ...{
        kind: "tool_call",
        id: "1",
        name: "fetch",
        arguments: '{"path":"notes.md"}',
        summary: "ok",
        is_error: false,
      },
    });
  });

  it("PLM-144 cannot pin what it never read, what failed, or what it asks for in the same turn", async () => {
    const both = calls("fetch", NOTES, "1");
    both.message.toolCalls?.push({ id: "2", name: "pin", arguments: pinCall });
    const failed = { tool: "fetch", arguments: { path: "gone" } };
    const { talk, told } = agent({}, both, calls("fetch", { path: "gone" }, "3"), calls("pin", failed, "4"), says("1"));
    await talk.ask("go", signal);
    const results = told.filter((event) => event.kind === "tool_call");
    expect(results.map(({ name, is_error: isError }) => [name, isError])).toEqual([
      ["fetch", false],
      ["pin", true],
      ["fetch", true],
      ["pin", true],
    ]);
    expect(results[2]?.summary).toBe("it is gone");
    expect(talk.pins.list).toEqual([]);
  });

  it("PLM-86 PLM-91 PLM-102 PLM-130 PLM-131 PLM-132 keeps pinned results in front when its memory is replaced", async () => {
    const { talk } = agent({}, calls("fetch", NOTES, "1"), calls("pin", pinCall, "2"), says("1"));
    await talk.ask("go", signal);
    const dump = talk.memory();
    expect(dump.pinned).toEqual([{ tool: "fetch", arguments: NOTES, content: "text of notes.md" }]);
    expect(JSON.stringify(dump.messages)).not.toContain("text of notes.md");
    expect(JSON.stringify(dump.messages)).toContain(JSON.stringify(`[pinned: ${KEY}]`).slice(1, -1));
    expect(JSON.stringify(talk.memory("openai").messages)).toContain('"tool_call_id":"1"');
    expect(talk.replace([{ role: "user", content: "short" }])).toEqual({
      kind: "memory_set",
      old_messages: 6,
      new_messages: 2,
    });
    expect(talk.memory().messages).toEqual([{ role: "user", content: "short" }]);
    // The block is not part of what a controller reads, so it is not doubled.
    expect(talk.replace(talk.memory().messages)).toMatchObject({ old_messages: 2, new_messages: 2 });
  });

  it("PLM-135 forgets its pins with its process", async () => {
    const { talk } = agent({}, calls("fetch", NOTES, "1"), calls("pin", pinCall, "2"), says("1"));
    await talk.ask("go", signal);
    expect(talk.figures.pinnedDocuments).toBe(1);
    expect(agent({}, says("1")).talk.figures.pinnedDocuments).toBe(0);
  });
});

describe("the memory of an agent", () => {
  it("PLM-87 PLM-92 PLM-101 PLM-147 is replaced whole or not at all", async () => {
    const { talk } = agent({}, says('"a"'));
    await talk.ask(1, signal);
    const before = talk.memory();
    for (const [messages, reason] of [
      [[{ role: "user", content: "x" }, { role: "user" }], "messages[1] has no content"],
      [[{ content: "x" }], "messages[0] has no role"],
      [[{ role: "system", content: "x" }], "messages[0] has the role system, which a conversation here cannot have"],
      [["x"], 'messages[0] is "x" and must be an object'],
      [[{ role: "tool", tool_call_id: "1", content: "x" }], "a result answers no call"],
      [
        [
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
          },
        ],
        "the call 1 has no result",
      ],
    ] as const)
      expect(talk.replace(messages)).toEqual({ kind: "refused", reason });
    expect(talk.memory()).toEqual(before);
    expect(talk.replace([])).toEqual({ kind: "memory_set", old_messages: 2, new_messages: 0 });
  });

  it("comes back as it was, in both forms", async () => {
    const { talk } = agent({}, calls("fetch", NOTES, "1"), says('"a"'));
    await talk.ask("go", signal);
    for (const form of ["anthropic", "openai"]) {
      const { messages } = talk.memory(form);
      expect(talk.replace(messages)).toEqual({ kind: "memory_set", old_messages: 4, new_messages: 4 });
      expect(talk.memory(form).messages).toEqual(messages);
    }
  });

  it("is as before after a message that failed", async () => {
    const { talk } = agent({ max_retries: 0 }, says('"a"'), says("no"));
    await talk.ask(1, signal);
    const before = talk.memory();
    expect(await talk.ask(2, signal)).toEqual({ kind: "invalid", reason: "the answer is not one JSON value" });
    await expect(talk.ask(3, signal)).rejects.toMatchObject({ code: "script-exhausted" });
    expect(talk.memory()).toEqual(before);
  });
});

describe("the runtime context", () => {
  it("PLM-137 PLM-138 PLM-139 PLM-140 PLM-141 PLM-157 stands behind the conversation at each turn, and is not kept", async () => {
    const usage = { inputTokens: 100, outputTokens: 7 };
    const { talk, asked } = agent({ runtime_context: true }, { ...says("1"), usage }, { ...says("2"), usage });
    await talk.ask("a", signal);
    await talk.ask("b", signal);
    expect(asked[1]?.messages.at(-1)).toEqual({
      role: "system",
      content: `[Runtime context]
Time: 2026-03-08T14:23:17Z
Session input tokens: 100
Session output tokens: 7
API calls: 1
Max output tokens per turn: 8192
History messages: 3
Pinned documents: 0`,
    });
    expect(asked[1]?.messages.filter(({ content }) => String(content).startsWith("[Runtime"))).toHaveLength(1);
    expect(talk.figures).toEqual({
      ...{ inputTokens: 200, outputTokens: 14, apiCalls: 2, maxTokens: 8192, historyMessages: 4, pinnedDocuments: 0 },
    });
  });
});

describe("thoughts", () => {
  it("PLM-23 PLM-24 PLM-67 PLM-72 PLM-75 PLM-76 PLM-77 go to telemetry and stay in the conversation with their signature", async () => {
    const step = says("1");
    step.message.reasoning = [{ type: "text", text: "Let me see", signature: "abc" }];
    const { talk, asked, told } = agent({ thinking_budget: 2048 }, step, says("2"));
    await talk.ask("a", signal);
    await talk.ask("b", signal);
    expect(asked[0]?.settings).toEqual({ model: "m", maxTokens: 8192, thinkingBudget: 2048 });
    expect(told.filter(({ kind }) => kind === "thinking")).toEqual([
      { kind: "thinking", thinking: "Let me see", signature: "abc" },
    ]);
    expect(asked[1]?.messages.find(({ role }) => role === "assistant")).toMatchObject({
      reasoning: [{ type: "text", text: "Let me see", signature: "abc" }],
    });
  });
});
