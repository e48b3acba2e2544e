// Threads that Anthropic's server holds: a conversation under the id of its last answer, with the system text and the tools that it
// began with. Specification: Anthropic API reference, `thread`.

import { defined } from "../../defined.js";
import { toList, toObject, toText } from "../../http/json-readers.js";
import { isGiven } from "../../wire/fields.js";
import type { WireState } from "../../wire/held-conversations.js";
import { decodeAnthropic } from "./decode.js";
import { writeAnthropic } from "./write.js";

const NO_STAMP = { id: "", createdAt: 0, model: "" };

export const anthropicState: WireState = {
  continues({ thread }) {
    const { type, previous_message_id: id } = toObject(thread);
    return type === "continue" && typeof id === "string" ? id : undefined;
  },
  isHeld: ({ thread }) => isGiven(thread),
  asked: ({ messages }) => toList(messages),
  // Read and written, since the blocks of a stream that was put together have fields of every type of block.
  answered(answer) {
    const { content } = writeAnthropic(decodeAnthropic(answer), NO_STAMP);
    return [{ item: { role: "assistant", content } }];
  },
  expand({ thread: _, ...body }, { items, first: { system, tools } }) {
    return { ...defined({ system, tools }), ...body, messages: items };
  },
  // A refused turn is not part of a thread.
  ids: (_, { id, stop_reason: reason }) => (reason === "refusal" ? [] : [toText(id)]),
};
