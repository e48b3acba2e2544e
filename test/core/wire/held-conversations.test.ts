// What a door keeps of the conversations that a vendor's server holds.

import { describe, expect, it } from "vitest";
import { MAX_HELD_CHARACTERS, MAX_HELD_IDS } from "../../../src/core/limits.js";
import { followerOf, VENDORS } from "../../../src/core/vendors/vendors.js";
import { createHeldConversations, type HeldConversations } from "../../../src/core/wire/held-conversations.js";
import { hasShared, readSharedLines } from "../../support/shared.js";

const { responses, anthropic } = VENDORS;

const user = (content: string) => ({ role: "user", content });
const message = (id: string, text: string) => ({
  id: `msg_${id}`,
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});
/** An item of an answer, alike in every recording and replay. */
const item = (text: string) => ({
  ...{ id: "msg__0", type: "message", role: "assistant", status: "completed" },
  content: [{ type: "output_text", annotations: [], logprobs: [], text }],
});
const response = (id: string, text: string) => ({ id, output: [message(id, text)] });

/** Sends a turn and keeps its answer. Returns the body as it was read. */
function turn(held: HeldConversations, body: object, id: string, text = "ok"): Record<string, unknown> {
  const { body: whole, keep } = held.resolve(responses, body);
  keep?.(response(id, text));
  return whole as Record<string, unknown>;
}

describe("a conversation that the vendor's server holds", () => {
  it("is the input and the output of every request before, without their instructions", () => {
    const held = createHeldConversations();
    const first = { input: "a", instructions: "Be brief." };
    expect(turn(held, first, "r1", "b")).toBe(first);
    const second = { input: [user("c")], previous_response_id: "r1", store: true };
    expect(turn(held, second, "r2", "d")).toEqual({
      input: [user("a"), item("b"), user("c")],
      store: true,
    });
    // One answer can be continued twice.
    for (const id of ["r3", "r4"]) {
      const { input } = turn(held, { input: id, previous_response_id: "r2" }, id);
      expect(input).toEqual([user("a"), item("b"), user("c"), item("d"), user(id)]);
    }
  });

  it("is unknown where its answer was not kept, or by another vendor's id", () => {
    const held = createHeldConversations();
    turn(held, { input: "a", store: false }, "r1");
    turn(held, { input: "a" }, "r2");
    for (const id of ["r1", "r0"]) {
      const body = { input: "b", previous_response_id: id };
      expect(held.resolve(responses, body)).toEqual({ body, isUnknown: true, keep: undefined });
    }
    const thread = { type: "continue", previous_message_id: "r2" };
    expect(held.resolve(anthropic, { messages: [], thread })).toMatchObject({ isUnknown: true });
    expect(held.resolve(VENDORS.openai, { previous_response_id: "r0" })).toMatchObject({ isUnknown: false });
  });

  it("has the items that an input names by their ids", () => {
    const held = createHeldConversations();
    turn(held, { input: "a" }, "r1", "b");
    const reference = { type: "item_reference", id: "msg_r1" };
    expect(turn(held, { input: [user("a"), reference, { id: "msg_r1" }] }, "r2")["input"]).toEqual([
      user("a"),
      item("b"),
      item("b"),
    ]);
    expect(held.resolve(responses, { input: [{ ...reference, id: "msg_0" }] }).isUnknown).toBe(true);
  });

  it("is continued by other requests than turns", () => {
    expect(followerOf({ method: "POST", path: "/v1/responses/compact" })).toBe(responses);
    expect(followerOf({ method: "POST", path: "/v1/responses/input_tokens" })).toBe(responses);
    expect(followerOf({ method: "GET", path: "/v1/responses/input_tokens" })).toBeUndefined();
    const held = createHeldConversations();
    turn(held, { input: "a" }, "r1", "b");
    const { body } = held.resolve(responses, { model: "m", previous_response_id: "r1" });
    expect(body).toEqual({ model: "m", input: [user("a"), item("b")] });
  });

  it("goes on under the id of a conversation", () => {
    const held = createHeldConversations();
    expect(held.begin(responses, { items: [user("a")] }, { id: "conv_1" })).toEqual({ id: "conv_1" });
    const own = [1, 2].map(() => held.begin(responses, { metadata: { a: "b" } }));
    expect(own).toMatchObject([{ id: "conv_playhead_1", metadata: { a: "b" } }, { id: "conv_playhead_2" }]);
    turn(held, { input: "b", conversation: "conv_1" }, "r1", "c");
    const { input, ...rest } = turn(held, { input: "d", conversation: { id: "conv_1" } }, "r2");
    expect([input, rest]).toEqual([[user("a"), user("b"), item("c"), user("d")], {}]);
    expect(turn(held, { input: "e", previous_response_id: "r1" }, "r3")["input"]).toHaveLength(4);
  });

  it("keeps the system text and the tools of a thread, and its answer as a message", () => {
    const held = createHeldConversations();
    const [system, tools] = ["Be brief.", [{ name: "t", input_schema: {} }]];
    const begun = held.resolve(anthropic, { system, tools, messages: [user("a")], thread: { type: "create" } });
    begun.keep?.({ id: "m1", content: [{ type: "text", text: "b", citations: null }], stop_reason: "end_turn" });
    const thread = { type: "continue", previous_message_id: "m1" };
    expect(held.resolve(anthropic, { messages: [user("c")], thread }).body).toEqual({
      ...{ system, tools },
      messages: [user("a"), { role: "assistant", content: [{ type: "text", text: "b" }] }, user("c")],
    });
    expect(held.resolve(anthropic, { messages: [user("a")] }).keep).toBeUndefined();
  });

  it("of 200 turns shares its items with every answer of it", () => {
    const held = createHeldConversations();
    const inputs: (readonly unknown[])[] = [];
    for (let at = 1; at <= 200; at++) {
      const body = { input: [user(`q${at}`)], ...(at === 1 ? {} : { previous_response_id: `r${at - 1}` }) };
      inputs.push(turn(held, body, `r${at}`)["input"] as unknown[]);
    }
    expect(new Set(inputs.flat()).size).toBe(399);
    expect(inputs.at(-1)).toHaveLength(399);
  });

  it("is forgotten where it was unused for longest, when there are too many or they are too large", () => {
    for (const [count, size] of [
      [MAX_HELD_IDS, 1],
      [3, MAX_HELD_CHARACTERS / 5],
    ] as const) {
      let forgotten = 0;
      const held = createHeldConversations(() => forgotten++);
      const begin = (id: string) => held.begin(responses, { items: [user("x".repeat(size))] }, { id });
      const isKnown = (id: string) => !held.resolve(responses, { input: "q", conversation: id }).isUnknown;
      for (let at = 0; at < count; at++) begin(`c${at}`);
      expect([forgotten, isKnown("c0")]).toEqual([0, true]);
      for (let at = 0; at < 3; at++) begin(`d${at}`);
      expect(forgotten).toBe(1);
      expect(["c1", "c0", "d2"].map(isKnown)).toEqual([false, true, true]);
    }
  });

  it("may still be on its way, when it is waited for", async () => {
    const held = createHeldConversations();
    let isOver = false;
    held.track(Promise.resolve().then(() => (isOver = true)));
    held.track(Promise.reject(new Error("left")));
    await held.settled();
    expect(isOver).toBe(true);
  });
});

describe.skipIf(!hasShared)("recorded conversations of OpenAI", () => {
  interface Recorded {
    id: string;
    source: string;
    request: { url: string; body?: string };
    response: { status: number; body?: string };
  }

  it("are put together where their beginning was recorded, too", () => {
    const doors = new Map<string, HeldConversations>();
    const seen = { whole: 0, unknown: 0 };
    for (const { id, source, request, response } of readSharedLines<Recorded>("data/http/openai-responses.jsonl.gz")) {
      const path = request.url.replace(/\?.*/, "");
      if (!path.endsWith("/responses") || response.status !== 200 || !request.body?.startsWith("{")) continue;
      const held = doors.get(source) ?? createHeldConversations();
      doors.set(source, held);
      const body = JSON.parse(request.body) as { previous_response_id?: string };
      const { body: whole, isUnknown, keep } = held.resolve(responses, body);
      const bytes = new TextEncoder().encode(response.body);
      const isStream = !(response.body ?? "").trimStart().startsWith("{");
      try {
        responses.read({ bytes, isStream, isCut: false }, undefined, undefined, keep);
      } catch {
        continue;
      }
      if (!body.previous_response_id) continue;
      seen[isUnknown ? "unknown" : "whole"]++;
      if (isUnknown) continue;
      const { messages } = responses.parse(whole).request;
      expect(
        messages.some(({ role }) => role === "assistant"),
        id,
      ).toBe(true);
    }
    expect(seen.whole).toBeGreaterThanOrEqual(8);
    expect(seen.unknown).toBeLessThanOrEqual(3);
  });
});
