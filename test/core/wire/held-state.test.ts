// Bodies that continue state on the vendor's server, and bodies that only look as if they did.

import { describe, expect, it } from "vitest";
import { findHeldState } from "../../../src/core/wire/held-state.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";

const messages = [{ role: "user", content: "And what else?" }];
const HELD: readonly (readonly [field: string, body: object])[] = [
  ["thread", { thread: { type: "continue", previous_message_id: "msg_1" } }],
  ["thread", { thread: { type: "fork", previous_message_id: "msg_1" } }],
  ["thread", { thread: "thr_1" }],
  ["previous_response_id", { previous_response_id: "resp_1" }],
  ["conversation", { conversation: "conv_1" }],
  ["conversation", { conversation: { id: "conv_1" } }],
  ["container", { container: "container_1" }],
  ["container", { container: { id: "container_1", skills: [] } }],
  ["messages[1].audio.id", { messages: [...messages, { role: "assistant", audio: { id: "audio_1" } }] }],
];

const OWN: readonly object[] = [
  {},
  { thread: { type: "create" } },
  { thread: null, previous_response_id: null, conversation: null, container: null },
  { container: { skills: [{ type: "anthropic", skill_id: "pptx" }] } },
  { store: true, metadata: { conversation: "1" } },
  { messages: [{ role: "assistant", content: "Hi.", audio: null }] },
];

describe("a request that continues a conversation on the vendor's server", () => {
  it.each(HELD)("is refused by the name of its field on every wire: %s %j", (field, body) => {
    expect(findHeldState({ messages, ...body })?.field).toBe(field);
    // Gemini has no such field, and one of its own (test/core/vendors/gemini).
    for (const wire of Object.values(VENDORS).filter(({ name }) => name !== "gemini")) {
      expect(() => wire.parse({ model: "m", messages, ...body })).toThrow(`on the vendor's server (${field})`);
    }
  });

  it.each(OWN)("is not one that holds its whole conversation: %j", (body) => {
    expect(findHeldState({ messages, ...body })).toBeUndefined();
  });

  it("is answered as the vendor answers where it lost the thread, so that its client sends the whole conversation", () => {
    const state = findHeldState({ thread: { type: "continue", previous_message_id: "msg_1" } });
    expect(state).toMatchObject({ status: 404, isRecoverable: true });
    expect(state?.hint).toContain("thread: false");
    const { status = 0, code = "", message = "" } = state ?? {};
    expect(VENDORS.anthropic.fail({ status, code, message })).toEqual({
      type: "error",
      error: { type: "not_found_error", message, details: { error_code: "thread_not_found" } },
      message,
    });
  });
});
