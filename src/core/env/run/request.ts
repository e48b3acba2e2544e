// Reads a request before anything is stored or spent.

import { seal } from "../../canon/copy.js";
import { invalidOptions } from "../../errors.js";
import { MAX_CONTENT_CHARACTERS } from "../../limits.js";
import { textOf, type ContentPart, type UserMessage } from "../../model/message.js";
import { findMessageFlaw } from "../../model/response.js";
import { assertKnownOptions, isObject } from "../../options.js";
import { showValue } from "../../text/show.js";
import { thrownText } from "../../text/thrown.js";

/** One message to an agent. */
export interface SendRequest {
  readonly agent: string;
  /** Default "": the owner. Each sender has a separate conversation with each agent. */
  readonly sender?: string;
  /** Text, or texts and images. At most 1,048,576 characters of text. If omitted, the run continues where an earlier one stopped. */
  readonly content?: string | readonly ContentPart[];
  readonly signal?: AbortSignal;
}

export interface CheckedSend {
  readonly agent: string;
  readonly sender: string;
  readonly content: UserMessage["content"] | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Throws `AgentError` `invalid-options`. */
export function readSend(request: SendRequest): CheckedSend {
  if (!isObject(request)) throw invalidOptions(`send was given ${showValue(request)}`, "Pass { agent, content }.");
  assertKnownOptions("send", request, ["agent", "sender", "content", "signal"]);
  const { agent, sender = "", content, signal } = request as unknown as SendRequest;
  if (signal !== undefined && typeof signal?.addEventListener !== "function")
    throw invalidOptions("`signal` of send must be an AbortSignal", "Pass an AbortSignal, or omit it.");
  return { agent, sender, content: content === undefined ? undefined : readContent(content), signal };
}

function readContent(content: unknown): UserMessage["content"] {
  const message = { role: "user", content } as UserMessage;
  const flaw = findMessageFlaw(message);
  if (flaw !== undefined) throw refuse(`${flaw.pointer} must be ${flaw.expected}`);
  const { length } = textOf(message.content);
  if (message.content.length === 0) throw refuse("it is empty");
  if (length > MAX_CONTENT_CHARACTERS)
    throw refuse(`it has ${length} characters, and the limit is ${MAX_CONTENT_CHARACTERS}`);
  try {
    return seal(message).content;
  } catch (error) {
    throw refuse(thrownText(error));
  }
}

function refuse(why: string): Error {
  return invalidOptions(`send cannot take this content: ${why}`, "Pass a string, or a list of texts and images.");
}
