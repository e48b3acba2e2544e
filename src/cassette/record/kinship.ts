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

/** A conversation that a prompt may continue. */
export interface Kin {
  readonly steps: readonly PromptStep[];
  /** Hashes of prompts that the vendor refused, and that were not sent again yet. */
  readonly refused: Set<string>;
}

/** The conversation that a prompt repeats after a refusal or continues, or else one without a turn. Undefined if a new one begins. */
export function findContinued<T extends Kin>(all: readonly T[], prompt: AskedPrompt): T | undefined {
  const isRepeated = ({ refused }: T): boolean => refused.delete(prompt.step.hash);
  const isWaiting = ({ steps, refused }: T): boolean => steps.length + refused.size === 0;
  return all.find(isRepeated) ?? findKin(all, prompt) ?? all.find(isWaiting);
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
