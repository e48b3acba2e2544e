// Redaction by a function of the user's: answers are scrubbed before they are hashed and stored, and so are the same answers
// where a later prompt repeats them. On replay the loop is given the scrubbed answers, so its prompts hash the same.
//
// An answer is recognised whole, and by its parts where an agent resends only some of them: its text, each of its calls, each
// of its thoughts. The limit: a part of a text, or an answer quoted in a message that is not the assistant's, stays as it is.

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
 * Gives back the response with its secrets replaced. It is handed a copy and may change it. A `finalAnswer` that it leaves as it
 * is follows `message.content`: it becomes the new content, or is handed over as the content of a second call where it differs.
 */
export type Redact = (response: LlmTurnResponse) => LlmTurnResponse;

export interface AnswerRedactor {
  response(response: LlmTurnResponse): LlmTurnResponse;
  messages(messages: readonly LlmMessage[]): readonly LlmMessage[];
}

/** One for each recording. Without a function it changes nothing. */
export function createAnswerRedactor(redact: Redact | undefined): AnswerRedactor {
  if (redact === undefined) return { response: (response) => response, messages: (messages) => messages };
  // From an answer's own canonical text to the scrubbed message that stands for it.
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

/** The answer without copies of the old content: a thought or argument that is it, and the final answer, which mostly repeats it. */
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

/** What the function makes of a final answer that is not the content: it is handed over as the content. */
function redactText(text: string, raw: LlmTurnResponse, redact: Redact): string {
  const copy = copyJson(raw);
  const clean = redact({ ...copy, message: { ...copy.message, content: text } });
  return findResponseFlaw(clean) === undefined ? clean.message.content : text;
}

/** What the parts of answers became, each under its own canonical text. The last answer wins. */
function createParts() {
  const contents = new Map<string, string>();
  const calls = new Map<string, { raw: LlmToolCall; clean: LlmToolCall }>();
  const thoughts = new Map<string, Reasoning>();

  function scrubCall(call: LlmToolCall): LlmToolCall {
    const known = calls.get(callText(call));
    if (known === undefined) return call;
    // An agent may number the calls anew.
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
    /** The message itself where no part of it is known. */
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

/** The items of two lists place by place; none where one was shortened, since then nobody knows which stands for which. */
function pairs<T>(before: readonly T[] | undefined, after: readonly T[] | undefined): [T, T][] {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return [];
  return before.map((item: T, index) => [item, after[index] as T]);
}

function callText({ id, ...call }: LlmToolCall): string {
  return canonicalize(call);
}
