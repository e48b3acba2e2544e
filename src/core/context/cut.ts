// Finds where a conversation may be cut: between whole steps, so that no call is separated from its result. A vendor refuses a
// conversation in which one of the two is missing.

import type { LlmMessage } from "../model/message.js";

/**
 * Returns the index of the first message that stays, or 0 if nothing is to be cut off. The newest whole steps within `keepTokens` stay,
 * and always the last one. `sizes` are the tokens of each message.
 */
export function findCut(messages: readonly LlmMessage[], sizes: readonly number[], keepTokens: number): number {
  const places = findCutPlaces(messages);
  const last = places.at(-1) ?? 0;
  let chosen = last;
  let kept = 0;
  let next = messages.length;
  for (const place of [...places.reverse(), 0]) {
    for (; next > place; next--) kept += sizes[next - 1] ?? 0;
    if (place < last && kept > keepTokens) break;
    chosen = place;
  }
  return chosen;
}

/** Indexes, in order, in front of which the conversation can be cut: user messages, and answers whose calls all have results. */
export function findCutPlaces(messages: readonly LlmMessage[]): number[] {
  const { owners, answered } = pairResults(messages);
  const places: number[] = [];
  // The first message that a result at or behind the index answers.
  let reach = messages.length;
  for (let index = messages.length - 1; index > 0; index--) {
    const message = messages[index] as LlmMessage;
    reach = Math.min(reach, owners.get(index) ?? index);
    if (reach < index || message.role === "tool" || message.role === "system") continue;
    if (message.role === "assistant" && !isAnswered(message, answered)) continue;
    places.push(index);
  }
  return places.reverse();
}

/** Pairs each result with the nearest call of its id in front of it: models repeat ids in later steps. */
function pairResults(messages: readonly LlmMessage[]): { owners: Map<number, number>; answered: Set<object> } {
  const owners = new Map<number, number>();
  const answered = new Set<object>();
  const open = new Map<string, { call: object; index: number }>();
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as LlmMessage;
    if (message.role === "assistant") {
      for (const call of message.toolCalls ?? []) open.set(call.id, { call, index });
    } else if (message.role === "tool") {
      const owner = open.get(message.toolCallId);
      if (owner === undefined) continue;
      owners.set(index, owner.index);
      answered.add(owner.call);
    }
  }
  return { owners, answered };
}

function isAnswered({ toolCalls = [] }: { toolCalls?: readonly object[] }, answered: ReadonlySet<object>): boolean {
  return toolCalls.every((call) => answered.has(call));
}
