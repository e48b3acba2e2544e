// What a wire cannot carry, each loss by name: docs/serve.md lists them.

import { describe, expect, it } from "vitest";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmTurnResponse } from "../../../src/core/model/provider.js";
import { WIRE_NAMES, type WireName } from "../../../src/core/vendors/table.js";
import { throughWire } from "../../../src/core/vendors/through-wire.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { ask, say } from "../../support/script.js";
import { weatherTool } from "../../support/wire.js";

const like = { messages: [], settings: { model: "m", maxTokens: 7 } };
const sent = (name: WireName, ...messages: LlmMessage[]) => throughWire({ messages }, VENDORS[name], like)?.messages;
const stamp = { id: "x", createdAt: 0, model: "asked" };
const got = (name: WireName, response: LlmTurnResponse) => {
  const bytes = new TextEncoder().encode(JSON.stringify(VENDORS[name].write(response, stamp)));
  return VENDORS[name].read({ bytes, isStream: false, isCut: false });
};

const user: LlmMessage = { role: "user", content: "q" };
const asked: LlmMessage = {
  role: "assistant",
  content: "",
  toolCalls: [{ id: "c1", name: "weather", arguments: {} }],
};
const failed: LlmMessage = { role: "tool", toolCallId: "c1", name: "weather", content: "no", isError: true };

describe("a request", () => {
  it("tells that a tool failed over the Messages API alone", () => {
    expect(sent("anthropic", user, asked, failed)?.[2]).toEqual(failed);
    const { isError: _isError, ...plain } = failed;
    expect(sent("openai", user, asked, failed)?.[2]).toEqual(plain);
    expect(sent("ollama", user, asked, failed)?.[2]).toEqual(plain);
    expect(sent("cohere", user, asked, failed)?.[2]).toEqual(plain);
  });

  it("has the name of a tool result from its call, and no name without a call", () => {
    const stray = { role: "tool", tool_call_id: "nowhere", content: "x" };
    expect(VENDORS.openai.parse({ messages: [stray] }).request.messages).toEqual([
      { role: "tool", toolCallId: "nowhere", name: "", content: "x" },
    ]);
  });

  it("finds the call of a result that names the tool alone, one result a call", () => {
    const call = { function: { name: "weather", arguments: {} } };
    const result = (content: string) => ({ role: "tool", tool_name: "weather", content });
    const { messages } = VENDORS.ollama.parse({
      messages: [{ role: "assistant", content: "", tool_calls: [call, call] }, result("a"), result("b")],
    }).request;
    expect(messages.slice(1)).toMatchObject([{ toolCallId: "call_0" }, { toolCallId: "call_1" }]);
    const legacy = VENDORS.openai.parse({
      messages: [
        { role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } },
        { role: "function", name: "weather", content: "a" },
      ],
      functions: [{ name: "weather" }],
      function_call: { name: "weather" },
    }).request;
    expect(legacy.messages[1]).toEqual({ role: "tool", toolCallId: "call_0", name: "weather", content: "a" });
    expect(legacy.tools).toEqual([{ name: "weather", description: "", schema: {} }]);
    expect(legacy.settings.toolChoice).toEqual({ name: "weather" });
  });

  it("has thoughts with a signature over the Messages API, one text over Ollama, none over OpenAI", () => {
    const thought: LlmMessage = {
      role: "assistant",
      content: "a",
      reasoning: [{ type: "text", text: "hm", signature: "s" }],
    };
    expect(sent("anthropic", user, thought)?.[1]).toEqual(thought);
    expect(sent("ollama", user, thought)?.[1]).toMatchObject({ reasoning: [{ type: "text", text: "hm" }] });
    expect(sent("openai", user, thought)?.[1]).toEqual({ role: "assistant", content: "a" });
  });

  it("has one system message, at the top, over the Messages API", () => {
    const later: LlmMessage = { role: "system", content: "two" };
    expect(sent("anthropic", { role: "system", content: "one" }, user, later)).toEqual([
      { role: "system", content: "one\n\ntwo" },
      user,
    ]);
  });

  it("reads results and words of one user message as messages of their own", () => {
    const { messages } = VENDORS.anthropic.parse({
      system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "weather", input: {} }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "rain" }], is_error: true },
            { type: "text", text: "and?" },
          ],
        },
      ],
    }).request;
    expect(messages).toEqual([
      { role: "system", content: "s" },
      { role: "assistant", content: "", toolCalls: [{ id: "t1", name: "weather", arguments: {} }] },
      { role: "tool", toolCallId: "t1", name: "weather", content: "rain", isError: true },
      { role: "user", content: [{ type: "text", text: "and?" }] },
    ]);
  });

  it("offers only the chosen tool over Ollama, which has no choice", () => {
    const other = { ...weatherTool, name: "other" };
    const request = { messages: [user], tools: [weatherTool, other], settings: { toolChoice: { name: "other" } } };
    const read = throughWire(request, VENDORS.ollama, like);
    expect(read?.tools).toEqual([other]);
    expect(read?.settings.toolChoice).toBeUndefined();
  });

  it("requires the only tool that it offers over Cohere, which has no choice of one", () => {
    const other = { ...weatherTool, name: "other" };
    const request = { messages: [user], tools: [weatherTool, other], settings: { toolChoice: { name: "other" } } };
    const read = throughWire(request, VENDORS.cohere, like);
    expect(read?.tools).toEqual([other]);
    expect(read?.settings.toolChoice).toBe("required");
  });

  it("cannot go over Ollama with an image by URL", () => {
    const image: LlmMessage = { role: "user", content: [{ type: "image", url: "https://x.example/a.png" }] };
    expect(sent("ollama", image)).toBeUndefined();
  });

  it.each<[WireName, unknown, string]>([
    ["openai", { messages: [{ role: "user", content: [{ type: "file" }] }] }, 'messages[0] has a part of type "file"'],
    ["openai", { messages: [{ role: "critic" }] }, 'messages[0] has the role "critic"'],
    ["openai", { messages: [], tools: [{ type: "custom" }] }, 'tools has one of type "custom"'],
    ["openai", { messages: [], tool_choice: {} }, "tool_choice names no tool"],
    ["openai", { messages: [], temperature: "hot" }, "temperature must be a number"],
    ["openai", [], "messages must be a list"],
    ["anthropic", { messages: [{ role: "user", content: [{ type: "document" }] }] }, 'has a block of type "document"'],
    ["anthropic", { messages: [{ role: "tool" }] }, 'messages[0] has the role "tool"'],
    ["anthropic", { messages: [], tool_choice: { type: "some" } }, 'tool_choice has the type "some"'],
    ["cohere", { messages: [{ role: "critic" }] }, 'messages[0] has the role "critic"'],
    ["cohere", { messages: [], tool_choice: "auto" }, "tool_choice must be REQUIRED or NONE"],
    ["cohere", { messages: [{ role: "user", content: [{ type: "file" }] }] }, 'messages[0] has a part of type "file"'],
    ["ollama", { messages: [{ role: "critic" }] }, 'messages[0] has the role "critic"'],
    ["ollama", null, "messages must be a list"],
    ["responses", { input: [{ role: "critic" }] }, 'input[0] has the role "critic"'],
    ["responses", { input: 7 }, "input must be a text or a list of items"],
    ["responses", { input: "q", previous_response_id: "resp_1" }, "continues a conversation"],
    ["gemini", { contents: [{ role: "critic", parts: [] }] }, 'contents[0] has the role "critic"'],
    ["gemini", {}, "contents must be a list"],
    ["gemini", { contents: "q", cachedContent: "cachedContents/1" }, "continues content"],
  ])("over %s with %j is refused", (name, body, what) => {
    expect(() => VENDORS[name].parse(body)).toThrow(what);
  });
});

describe("an answer", () => {
  it("loses its cost on every wire", () => {
    const { costUsd: _costUsd, ...priced } = say("a", {
      costUsd: 1,
      model: "m",
      usage: { inputTokens: 1, outputTokens: 1 },
    });
    // The Responses API always counts cached and reasoning tokens.
    for (const name of WIRE_NAMES.filter((wire) => wire !== "responses")) {
      const { model: _model, ...nameless } = priced;
      const kept = name === "bedrock" || name === "cohere" ? nameless : priced;
      expect(got(name, { ...priced, costUsd: 1 })).toEqual(kept);
    }
  });

  it("has the asked model where the recording names none, and zeros for no usage over the Messages API", () => {
    expect(got("openai", say("a"))).toEqual(say("a", { model: "asked" }));
    expect(got("ollama", say("a"))).toEqual(say("a", { model: "asked" }));
    const usage = { inputTokens: 0, outputTokens: 0 };
    expect(got("anthropic", say("a"))).toEqual(say("a", { model: "asked", usage }));
  });

  it("has no model over Bedrock and Cohere, and its text next to calls is the plan", () => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    expect(got("bedrock", say("a", { model: "m", usage }))).toEqual(say("a", { usage }));
    expect(got("cohere", say("a", { model: "m" }))).toEqual(say("a"));
    const { message } = ask([{ name: "weather" }]);
    const answer = { message: { ...message, content: "I ask." }, stopReason: "toolUse" as const };
    expect(VENDORS.cohere.write(answer, stamp)).toMatchObject({ message: { tool_plan: "I ask." } });
    expect(got("cohere", answer)).toEqual(answer);
  });

  it("keeps a stop reason that a wire has no word for apart from others, as far as it can", () => {
    expect(VENDORS.anthropic.write(say("a", { stopReason: "error" }), stamp)["stop_reason"]).toBe("error");
    expect(VENDORS.ollama.write(say("a", { stopReason: "contentFilter" }), stamp)["done_reason"]).toBe(
      "content_filter",
    );
    expect(got("openai", say("a", { stopReason: "error" })).stopReason).toBe("error");
  });

  it("has no content next to calls over OpenAI, as clients there expect", () => {
    const { choices } = VENDORS.openai.write(ask([{ name: "weather" }]), stamp) as {
      choices: [{ message: { content: unknown } }];
    };
    expect(choices[0].message.content).toBeNull();
  });
});
