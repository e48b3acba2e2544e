// The documents of an export, one per conversation. Pure and deterministic.

import { canonicalize, type JsonObject } from "../../core/index.js";
import { createTally } from "../count/tally.js";
import type { CassetteV2 } from "../file/format.js";
import { toAiSdk } from "./ai-sdk.js";
import { countAnswerLosses, countCassetteLosses } from "./answers.js";
import { toAnthropic } from "./anthropic.js";
import type { ExportedCassette, ExportFormat } from "./format.js";
import { contextOf, headOf } from "./head.js";
import type { LossKind, LossLog } from "./loss.js";
import { toOpenAi } from "./openai.js";
import { toOtlp } from "./otlp.js";
import { findThreads, type Thread, type ThreadExtent } from "./threads.js";

/** Exports a cassette that has what the format needs. Throws `CassetteError` `export-too-large`. */
export function exportDocuments(cassette: CassetteV2, format: ExportFormat): ExportedCassette {
  const losses = createTally<LossKind>();
  const threads = cassette.entries.length === 0 ? [] : findThreads(cassette.entries, extentOf(cassette, format));
  const documents = toDocuments(cassette, threads, format, losses);
  countCassetteLosses(cassette, losses);
  return { documents, turns: cassette.entries.length, losses: losses.list() };
}

function extentOf(cassette: CassetteV2, format: ExportFormat): ThreadExtent {
  if (format !== "otlp") return { kind: "threads" };
  const sizes = new Map<unknown, number>();
  const perTurn = (turnIndex: number): number => {
    const context = contextOf(cassette, turnIndex);
    if (!sizes.has(context)) sizes.set(context, canonicalize(context?.tools ?? []).length);
    return sizes.get(context) ?? 0;
  };
  return { kind: "prompts", perTurn };
}

function toDocuments(
  cassette: CassetteV2,
  threads: readonly Thread[],
  format: ExportFormat,
  losses: LossLog,
): JsonObject[] {
  if (format === "otlp") return toOtlp(cassette, threads, losses);
  countAnswerLosses(cassette, threads, losses);
  return threads.map((thread) => {
    const head = headOf(cassette, thread, losses);
    switch (format) {
      case "openai":
        return toOpenAi(thread, head, losses);
      case "anthropic":
        return toAnthropic(thread, head, losses);
      case "ai-sdk":
        return toAiSdk(thread, head);
    }
  });
}
