// What hosts and clients of the Responses API do differently, each by a body written by hand.

import { describe, expect, it } from "vitest";
import { VENDORS, wireOf } from "../../../../src/core/vendors/vendors.js";
import { cutAs } from "../../../../src/core/wire/cut.js";
import { toSse } from "../../../../src/core/wire/pieces.js";
import type { JsonObject } from "../../../../src/core/canon/value.js";
import { agentErrorOf } from "../../../support/wire.js";

const wire = VENDORS.responses;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const whole = (body: object) => wire.read({ bytes: bytesOf(JSON.stringify(body)), isStream: false, isCut: false });
const stream = (text: string) => wire.read({ bytes: bytesOf(text), isStream: true, isCut: true });
const asked = (input: unknown, more: object = {}) => wire.parse({ model: "m", input, ...more }).request;
const message = (text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  content: [{ type: "output_text", text }],
});
const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "weather", arguments: '{"city":"Oslo"}' };
const toolCall = { id: "c1", name: "weather", arguments: { city: "Oslo" } };

describe("a request", () => {
  it("has a text, or a list of items with and without a type", () => {
    const user = { role: "user", content: "q" };
    for (const input of ["q", [user], [{ type: "message", ...user }]]) expect(asked(input).messages).toEqual([user]);
  });

  it("has function calls with and without an id", () => {
    const { id: _id, ...bare } = call;
    const output = { type: "function_call_output", call_id: "c1", output: "rain" };
    const said = [
      { role: "user", content: "q" },
      { role: "assistant", content: "", toolCalls: [toolCall] },
      { role: "tool", toolCallId: "c1", name: "weather", content: "rain" },
    ];
    for (const item of [call, bare])
      expect(asked([{ role: "user", content: "q" }, item, output]).messages).toEqual(said);
  });

  it("is not one for an answer in the background, unless that is streamed", () => {
    expect(() => asked("q", { background: true })).toThrow("background asks for an answer later");
    expect(asked("q", { background: true, stream: true }).settings).toMatchObject({ responses: { background: true } });
  });

  it("names an Azure deployment in its path", () => {
    const path = "/openai/deployments/gpt-4o/responses?api-version=2025-03-01-preview";
    expect(wire.parse({ input: "q" }, path).request.settings.model).toBe("gpt-4o");
  });

  it.each(["/v1/responses", "/openai/v1/responses", "/backend-api/codex/responses", "/api/v1/responses"])(
    "is one at %s",
    (path) => {
      expect(wireOf({ method: "POST", path })?.name).toBe("responses");
      expect(wireOf({ method: "GET", path })).toBeUndefined();
    },
  );

  it("is the same with other labels of its client, such as the ids of a run of Codex", () => {
    const labelled = (id: string) => asked("q", { client_metadata: { session_id: id, turn: `{"turn_id":"${id}"}` } });
    expect(labelled("s-1")).toEqual(labelled("s-2"));
    expect(labelled("s-1")).toEqual(asked("q"));
  });

  it("is the same with other labels on its items, also on those that the client only repeats", () => {
    const items = (at: number | undefined) =>
      [
        { role: "user", content: "q" },
        { type: "reasoning", summary: [], encrypted_content: "e" },
        { ...call, type: "custom_tool_call", input: "x" },
        { type: "custom_tool_call_output", call_id: "c1", output: "y" },
      ].map((item) => ({
        ...item,
        ...(at === undefined
          ? {}
          : { internal_chat_message_metadata_passthrough: { turn_id: `${at}`, create_time: at } }),
      }));
    expect(asked(items(1)).messages).toEqual(asked(items(undefined)).messages);
  });

  it("has tools and settings that the client changes on the way, apart from what the model wrote", () => {
    const before = (id: string) => [
      { type: "additional_tools", id, role: "developer", tools: [{ type: "custom", name: "exec" }] },
      { role: "user", content: "q" },
      { type: "configuration_update", id, reasoning: { effort: "low" } },
    ];
    expect(asked(before("at_1")).messages).toEqual(asked(before("at_2")).messages);
    const after = asked([...before("at_1"), call]).messages;
    expect(after.slice(0, 3)).toEqual(asked(before("at_1")).messages);
    expect(after[3]).toEqual({ role: "assistant", content: "", toolCalls: [toolCall] });
    expect(after[0]).toMatchObject({ responses: { item: { tools: [{ name: "exec" }] } } });
  });

  it("with another reasoning effort is another request", () => {
    expect(asked("q", { reasoning: { effort: "low" } })).not.toEqual(asked("q", { reasoning: { effort: "high" } }));
    const chat = (effort: string) =>
      VENDORS.openai.parse({ model: "m", messages: [{ role: "user", content: "q" }], reasoning_effort: effort })
        .request;
    expect(chat("low")).not.toEqual(chat("high"));
  });
});

describe("an answer", () => {
  it("keeps items of built-in tools and parallel calls in their places", () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { query: "x" } };
    const output = [search, message("a"), call, { ...call, call_id: "c2" }];
    const response = whole({ status: "completed", output });
    expect(response.message.toolCalls).toEqual([toolCall, { ...toolCall, id: "c2" }]);
    const written = wire.write(response, { id: "1", createdAt: 0, model: "m" })["output"] as JsonObject[];
    expect(written.map(({ type }) => type)).toEqual(["web_search_call", "message", "function_call", "function_call"]);
    expect(written[0]).toEqual(search);
  });

  it("is incomplete where it was cut off", () => {
    const body = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, output: [message("a")] };
    expect(whole(body).stopReason).toBe("length");
  });

  it.each([
    ["queued", "without `background`"],
    ["in_progress", "without `background`"],
    ["cancelled", "Retry."],
    ["failed", "Retry."],
  ])("with the status %s is refused, with advice", async (status, advice) => {
    const error = await agentErrorOf(() => whole({ status, output: [] }));
    expect([error.code, error.message]).toEqual(["provider-response", expect.stringContaining(`"${status}"`)]);
    expect(error.hint).toContain(advice);
  });

  it("that failed gives the vendor's reason", () => {
    const error = { code: "server_error", message: "out of luck" };
    expect(() => whole({ status: "failed", error, output: [] })).toThrow("out of luck");
  });
});

describe("a stream", () => {
  it("has a paragraph for each part of a summary, also where it is served again", () => {
    const event = (type: string, more: object) => toSse({ type: `response.${type}`, output_index: 0, ...more });
    const delta = (summary_index: number, text: string) =>
      event("reasoning_summary_text.delta", { summary_index, delta: text });
    const summary = ["One.", "Two."].map((text) => ({ type: "summary_text", text }));
    const item = { type: "reasoning", id: "rs_1", summary };
    const deltas = [delta(0, "On"), delta(0, "e."), delta(1, "Two"), delta(1, ".")].join("");
    const end = toSse({ type: "response.completed", response: { status: "completed", model: "m", output: [item] } });
    const heard: string[] = [];
    const read = (text: string) =>
      wire.read(
        { bytes: bytesOf(text), isStream: true, isCut: true },
        { ends: [], take: (each) => void (each.type === "reasoning-delta" && heard.push(each.text)) },
      );
    const response = read(event("output_item.added", { item: { ...item, summary: [] } }) + deltas + end);
    expect(response.message.reasoning).toMatchObject([{ type: "text", text: "One.\n\nTwo." }]);
    expect(heard).toEqual(["On", "e.", "\n\nTwo", "."]);
    const cut = cutAs(heard.splice(0).map((text) => ({ delta: { type: "reasoning-delta", text }, at: 0 })));
    const events = wire.events(response, { id: "1", createdAt: 0, model: "m" }, cut).map(({ text }) => text);
    expect(read(events.join(""))).toEqual(response);
    expect(heard).toEqual(["On", "e.", "\n\nTwo", "."]);
  });

  const done = (output_index: number, item: JsonObject) => ({ type: "response.output_item.done", output_index, item });
  const completed = (output: JsonObject[]): JsonObject => ({
    type: "response.completed",
    response: { status: "completed", output },
  });
  const reasoning = (id: string, encrypted: string) => ({
    type: "reasoning",
    id,
    summary: [],
    encrypted_content: encrypted,
  });

  it("is read with and without event lines, with comments, numbers and an end mark", () => {
    const events: JsonObject[] = [
      { type: "response.created", response: { status: "in_progress" }, sequence_number: 0 },
      { type: "response.output_text.delta", output_index: 0, delta: "a", obfuscation: "x" },
      { type: "keepalive" },
      done(0, message("a")),
      completed([message("a")]),
    ];
    const named = events.map((event) => toSse(event, event["type"] as string)).join("");
    const bare = `: OPENROUTER PROCESSING\n\n${events.map((event) => toSse(event)).join("")}data: [DONE]\n\n`;
    for (const text of [named, bare]) expect(stream(text).finalAnswer).toBe("a");
  });

  it("takes the items that were done if the last event has none", () => {
    const events = [done(0, reasoning("rs_1", "e")), done(1, call), completed([])];
    const { message: said } = stream(events.map((event) => toSse(event)).join(""));
    expect(said.toolCalls).toEqual([toolCall]);
    expect(said.reasoning).toEqual([{ type: "redacted", data: "e" }]);
  });

  it("matches items by their index, since a host may change their ids", () => {
    const added = { type: "response.output_item.added", output_index: 2, item: reasoning("rs_a", "first") };
    const events = [added, done(2, reasoning("rs_b", "last")), done(3, message("a")), completed([])];
    const { message: said } = stream(events.map((event) => toSse(event)).join(""));
    expect(said).toEqual({ role: "assistant", content: "a", reasoning: [{ type: "redacted", data: "last" }] });
  });

  it("that ends in an error is that error", () => {
    expect(() => stream(toSse({ type: "error", code: "x", message: "out of luck" }, "error"))).toThrow("out of luck");
  });
});
