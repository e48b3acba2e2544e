// The requests of a run as a recorder reads them, one after another: what is new in one is checked, cleaned of secrets and hashed,
// the rest is known from the one before.

import type { LlmMessage, LlmTurnRequest } from "../../core/index.js";
import { createContextReader, type TurnContext } from "../offer/context.js";
import { createPromptTracker, type HashFilter, type PromptStep } from "../prompt/prompt.js";
import { assertContext, assertMessage } from "./recordable.js";
import type { Redactor } from "../redact/redactor.js";
import { assertMessages, assertRequest } from "../prompt/request.js";
import { createSeenPrompt } from "../prompt/seen.js";

export interface RequestReader {
  /** Throws as `assertRequest` does, and `not-recordable` for what no cassette holds. The next request is read in full then. */
  read(request: LlmTurnRequest): PromptStep & { context: TurnContext };
  /** The messages of the last prompt from index `from` on, as they are recorded. */
  since(from: number): LlmMessage[];
}

export function createRequestReader(redactor: Redactor, filter: HashFilter | undefined): RequestReader {
  const seen = createSeenPrompt();
  const tracker = createPromptTracker(filter, assertMessage);
  const readContext = createContextReader((value) => redactor.json(value));
  let checked: TurnContext | undefined;
  return {
    since: (from) => tracker.since(from),
    read(request) {
      assertRequest(request);
      const { list, known } = seen.begin(request.messages);
      assertMessages(list, known);
      const context = readContext(request);
      if (context !== checked) assertContext(context);
      checked = context;
      const { clean, kept } = redactor.messages(list, known);
      const { promptHash, keep } = tracker.next(clean, kept);
      seen.take();
      return { promptHash, keep, context };
    },
  };
}
