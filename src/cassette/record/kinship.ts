// Finds the conversation that a prompt continues: the one with the longest earlier prompt that it begins with, and on a tie the one
// whose answer it repeats. A prompt equal to an earlier one begins a new conversation.

import { hashJson, sha256Hex, type LlmMessage } from "../../core/index.js";

/** One prompt of a conversation, by the hash of the whole prompt. */
export interface PromptStep {
  length: number;
  hash: string;
  /** The hash of the answer, once it has arrived. */
  answerHash?: string;
}

/** A new prompt: its step, and the hashes of the prompts that it may continue. */
export interface AskedPrompt {
  step: PromptStep;
  hashes: readonly string[];
  /** The hash of every leading part, from the empty one to the whole. */
  chain: readonly string[];
}

export function toAskedPrompt(messages: readonly LlmMessage[]): AskedPrompt {
  const hashes = messages.map((message) => hashJson(message));
  const chain = [""];
  for (const hash of hashes) chain.push(sha256Hex(`${chain.at(-1) ?? ""} ${hash}`));
  return { step: { length: hashes.length, hash: chain[hashes.length] ?? "" }, hashes, chain };
}

export function findKin<T extends { readonly steps: readonly PromptStep[] }>(
  all: readonly T[],
  { hashes, chain }: AskedPrompt,
): T | undefined {
  let best: { conversation: T; rank: number } | undefined;
  for (const conversation of all) {
    for (const { length, hash, answerHash } of conversation.steps) {
      if (length >= hashes.length || chain[length] !== hash) continue;
      const rank = 2 * length + (answerHash !== undefined && answerHash === hashes[length] ? 1 : 0);
      if (best === undefined || rank >= best.rank) best = { conversation, rank };
    }
  }
  return best?.conversation;
}
