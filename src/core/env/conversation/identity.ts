// The id of a conversation: a function of agent and sender, so that it is the same in every process and in a replay.

import { sha256Hex } from "../../canon/digest.js";
import { invalidOptions } from "../../errors.js";
import { MAX_CONVERSATION_ID_CHARACTERS } from "../../limits.js";
import { showValue } from "../../text/show.js";

/**
 * The id of the conversation of an agent with a sender: both percent-encoded, with a colon between them. An id of more than 200
 * characters becomes `h::` and its SHA-256. Throws `AgentError` `invalid-options` for a text with a lone surrogate.
 */
export function conversationIdOf(agent: string, sender: string): string {
  const id = `${encode("agent", agent)}:${encode("sender", sender)}`;
  // Two colons, which no other id has: one alone would be the id of an agent named h.
  return id.length > MAX_CONVERSATION_ID_CHARACTERS ? `h::${sha256Hex(id)}` : id;
}

function encode(what: string, text: string): string {
  if (typeof text === "string" && text.isWellFormed()) return encodeURIComponent(text);
  throw invalidOptions(`the ${what} of a conversation is ${showValue(text)}`, "Pass a string without lone surrogates.");
}
