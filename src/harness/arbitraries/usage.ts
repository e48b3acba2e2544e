// What a vendor reports with an answer: tokens, a price, the model's name, each present or absent.

import fc from "fast-check";
import type { LlmTurnResponse, Usage } from "../../core/index.js";
import { text } from "./text.js";

/** Tokens of one turn. Cache reads are part of the input, and reasoning is part of the output. */
export function usage(): fc.Arbitrary<Usage> {
  const tokens = fc.nat(100_000);
  return fc
    .record({ input: tokens, output: tokens, read: fc.nat(100), thought: fc.nat(100), isDetailed: fc.boolean() })
    .map(({ input: inputTokens, output: outputTokens, read, thought, isDetailed }) => ({
      inputTokens,
      outputTokens,
      ...(isDetailed
        ? { cacheReadTokens: Math.min(read, inputTokens), reasoningTokens: Math.min(thought, outputTokens) }
        : {}),
    }));
}

export function answerFigures(): fc.Arbitrary<Pick<LlmTurnResponse, "usage" | "costUsd" | "model">> {
  return fc.record(
    { usage: usage(), costUsd: fc.nat(100_000).map((cents) => cents / 10_000), model: text() },
    { requiredKeys: [] },
  );
}
