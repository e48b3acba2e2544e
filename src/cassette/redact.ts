// Redaction at record time: answers are scrubbed before they are hashed and stored, and so are the same answers where a
// later prompt repeats them. On replay the loop is given the scrubbed answers, so its prompts hash the same.

import {
  canonicalize,
  copyJson,
  findResponseFlaw,
  seal,
  type LlmMessage,
  type LlmTurnResponse,
} from "../core/index.js";

/** Gives back the response with its secrets replaced. It is handed a copy and may change it. */
export type Redact = (response: LlmTurnResponse) => LlmTurnResponse;

export interface Redactor {
  response(response: LlmTurnResponse): LlmTurnResponse;
  messages(messages: readonly LlmMessage[]): readonly LlmMessage[];
}

export function createRedactor(redact: Redact | undefined): Redactor {
  if (redact === undefined) return { response: (response) => response, messages: (messages) => messages };
  // From an answer's own canonical text to the scrubbed message that stands for it.
  const scrubbed = new Map<string, LlmMessage>();

  return {
    response(response) {
      const clean = redact(copyJson(response));
      if (findResponseFlaw(clean) === undefined) {
        scrubbed.set(canonicalize(copyJson(response.message)), seal(clean.message));
      }
      return clean;
    },
    messages: (messages) =>
      messages.map((message) => {
        if (message.role !== "assistant") return message;
        return scrubbed.get(canonicalize(seal(message))) ?? message;
      }),
  };
}
