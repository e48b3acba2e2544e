// Sorts turns and exchanges into conversations by the rules of the recording proxy (docs/serve.md#exchanges).

import type { JsonObject } from "../../../core/index.js";
import { findContinued, type AskedPrompt, type Kin, type PromptStep } from "../../record/kinship.js";

interface SortedConversation extends Kin {
  readonly steps: PromptStep[];
  readonly turns: JsonObject[];
  readonly exchanges: JsonObject[];
}

export type Sorter = ReturnType<typeof createSorter>;

/** No conversation yet. Turns and exchanges are added in the order of the recording. */
export function createSorter() {
  const conversations: SortedConversation[] = [];
  let latest: SortedConversation | undefined;
  const begin = (): SortedConversation => {
    const conversation = { steps: [], refused: new Set<string>(), turns: [], exchanges: [] };
    conversations.push(conversation);
    return conversation;
  };
  return {
    conversations: conversations as readonly Readonly<SortedConversation>[],
    turn(prompt: AskedPrompt, answerHash: string, turn: JsonObject): void {
      latest = findContinued(conversations, prompt) ?? begin();
      latest.steps.push({ ...prompt.step, answerHash });
      latest.turns.push(turn);
    },
    /** `refused` is the prompt of a refused turn. */
    exchange(exchange: JsonObject, refused?: AskedPrompt): void {
      if (refused !== undefined) latest = findContinued(conversations, refused);
      latest ??= begin();
      latest.exchanges.push(exchange);
      if (refused !== undefined) latest.refused.add(refused.step.hash);
    },
  };
}
