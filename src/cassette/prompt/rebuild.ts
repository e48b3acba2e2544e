// Whole prompts from the deltas that a cassette stores.

import type { LlmMessage } from "../../core/index.js";
import type { Cassette, PromptDelta } from "../file/format.js";

/** The whole prompt of every turn, or undefined if the cassette keeps no prompts. Large for a long conversation. */
export function rebuildPrompts(cassette: Cassette): LlmMessage[][] | undefined {
  let prompt: LlmMessage[] = [];
  return deltasOf(cassette)?.map(({ keep, messages }) => {
    prompt = [...prompt.slice(0, keep), ...messages];
    return prompt;
  });
}

/** The prompt of every turn as it is stored, or undefined if the cassette keeps no prompts. */
export function deltasOf(cassette: Cassette): PromptDelta[] | undefined {
  if (cassette.version === 1) return undefined;
  const deltas = cassette.entries.flatMap(({ prompt }) => prompt ?? []);
  return deltas.length === cassette.entries.length ? deltas : undefined;
}

/** The whole prompt of one turn. */
export function rebuildPrompt(deltas: readonly PromptDelta[], turnIndex: number): LlmMessage[] {
  const prompt: LlmMessage[] = [];
  for (const { keep, messages } of deltas.slice(0, turnIndex + 1)) {
    prompt.length = keep;
    for (const message of messages) prompt.push(message);
  }
  return prompt;
}
