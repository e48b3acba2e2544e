// Redaction by the user's own function. It scrubs each answer before the recorder hashes and stores it, and again where a later
// prompt repeats the answer. A replay gives the loop the scrubbed answers, so the prompts have the same hashes.
//
// An agent may resend only parts of an answer, so these are recognised too: the text, each call and each thought. The limit: part
// of a text is not recognised, nor is an answer quoted in a message of another role.

import {
  canonicalize,
  copyJson,
  findMessageFlaw,
  findResponseFlaw,
  seal,
  type AssistantMessage,
  type LlmMessage,
  type LlmToolCall,
  type LlmTurnResponse,
  type Reasoning,
} from "../../core/index.js";
import { mapMessage } from "./leaves.js";

/**
 * Returns the response with its secrets replaced. It receives a copy, which it may change. If it leaves `finalAnswer` unchanged, the
 * recorder updates that: a copy of `message.content` becomes the new content. Any other final answer goes through a second call, as
 * the content.
 */
export type Redact = (response: LlmTurnResponse) => LlmTurnResponse;

export interface AnswerRedactor {
  response(response: LlmTurnResponse): LlmTurnResponse;
  messages(messages: readonly LlmMessage[]): readonly LlmMessage[];
}

/** Creates the redactor of one recording. Without a function it changes nothing. */
export function createAnswerRedactor(redact: Redact | undefined): AnswerRedactor {
  if (redact === undefined) return { response: (response) => response, messages: (messages) => messages };
  // Maps the canonical text of an answer to the scrubbed message that replaces it.
  const scrubbed = new Map<string, LlmMessage>();
  const parts = createParts();

  return {
    response(response) {
      const given = redact(copyJson(response));
      if (findResponseFlaw(given) !== undefined) return given;
      const clean = withoutCopies(response, given, redact);
      const [raw, kept] = [copyJson(response.message), seal(clean.message)];
      scrubbed.set(canonicalize(raw), kept);
      parts.note(raw, kept);
      return clean;
    },
    messages: (messages) =>
      Array.from(messages, (message) => {
        if (message.role !== "assistant") return message;
        const own = seal(message);
        return scrubbed.get(canonicalize(own)) ?? parts.scrub(own);
      }),
  };
}

/** Replaces copies of the old content: thoughts and arguments equal to it, and the final answer, which usually repeats it. */
function withoutCopies(raw: LlmTurnResponse, clean: LlmTurnResponse, redact: Redact): LlmTurnResponse {
  const [before, after] = [raw.message.content, clean.message.content];
  const message =
    before === after || before === ""
      ? clean.message
      : (mapMessage(seal(clean.message), (text) => (text === before ? after : text)) as AssistantMessage);
  const { finalAnswer } = clean;
  if (finalAnswer === undefined || finalAnswer !== raw.finalAnswer) return { ...clean, message };
  return { ...clean, message, finalAnswer: finalAnswer === before ? after : redactText(finalAnswer, raw, redact) };
}

/** Runs the function on a final answer that differs from the content, by passing it as the content. */
function redactText(text: string, raw: LlmTurnResponse, redact: Redact): string {
  const copy = copyJson(raw);
  const clean = redact({ ...copy, message: { ...copy.message, content: text } });
  return findResponseFlaw(clean) === undefined ? clean.message.content : text;
}

/** Maps each part of an answer, by its canonical text, to the scrubbed part. The last answer wins. */
function createParts() {
  const contents = new Map<string, string>();
  const calls = new Map<string, { raw: LlmToolCall; clean: LlmToolCall }>();
  const thoughts = new Map<string, Reasoning>();

  function scrubCall(call: LlmToolCall): LlmToolCall {
    const known = calls.get(callText(call));
    if (known === undefined) return call;
    // An agent may give the calls new ids.
    return { ...known.clean, id: call.id === known.raw.id ? known.clean.id : call.id };
  }

  return {
    note(raw: AssistantMessage, clean: AssistantMessage): void {
      if (raw.content !== "") contents.set(raw.content, clean.content);
      for (const [before, after] of pairs(raw.toolCalls, clean.toolCalls)) {
        calls.set(callText(before), { raw: before, clean: after });
      }
      for (const [before, after] of pairs(raw.reasoning, clean.reasoning)) thoughts.set(canonicalize(before), after);
    },
    /** Returns the message itself if no part of it is known. */
    scrub(message: AssistantMessage): AssistantMessage {
      if (findMessageFlaw(message) !== undefined) return message;
      const { content, toolCalls, reasoning } = message;
      const clean: AssistantMessage = { ...message, content: contents.get(content) ?? content };
      if (toolCalls !== undefined) clean.toolCalls = toolCalls.map(scrubCall);
      if (Array.isArray(reasoning)) clean.reasoning = reasoning.map((own) => thoughts.get(canonicalize(own)) ?? own);
      return canonicalize(clean) === canonicalize(message) ? message : clean;
    },
  };
}

/** Pairs the items of two lists by index. Lists of different lengths give no pairs, since it is unclear which items correspond. */
function pairs<T>(before: readonly T[] | undefined, after: readonly T[] | undefined): [T, T][] {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return [];
  return before.map((item: T, index) => [item, after[index] as T]);
}

function callText({ id, ...call }: LlmToolCall): string {
  return canonicalize(call);
}
