// Small recorded runs for the tests of this folder: what was said and called, turn by turn.

import { buildCassette } from "../../../src/cassette/file/build.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import type { JsonObject, LlmToolCall } from "../../../src/core/index.js";

export interface RunTurn {
  say?: string;
  calls?: Omit<LlmToolCall, "id">[];
}

/** One call as it stands in a `RunTurn`. */
export function call(name: string, args: JsonObject = {}): Omit<LlmToolCall, "id"> {
  return { name, arguments: args };
}

/** A cassette of these turns. `prefix` starts every call id, so that two runs never share one. */
export function runOf(turns: readonly RunTurn[], prefix = "call"): CassetteV2 {
  let made = 0;
  return buildCassette(
    { recordedAt: "2026-11-20T12:00:00.000Z", recordedProvider: prefix, cassetteId: "0".repeat(32) },
    turns.map(({ say = "", calls = [] }) => ({
      promptHash: "0".repeat(64),
      response: {
        message: {
          role: "assistant",
          content: say,
          ...(calls.length === 0 ? {} : { toolCalls: calls.map((item) => ({ id: `${prefix}-${made++}`, ...item })) }),
        },
        stopReason: calls.length === 0 ? "stop" : "toolUse",
      },
    })),
  );
}

/** A cassette with one call per turn. */
export function stepsOf(...calls: Omit<LlmToolCall, "id">[]): CassetteV2 {
  return runOf(calls.map((step) => ({ calls: [step] })));
}
