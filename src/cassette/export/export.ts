// A cassette as chat messages or traces of other tools: one JSON document per conversation. Pure and deterministic.

import { canonicalize, defined, type JsonObject } from "../../core/index.js";
import { CassetteError, assertKnownOptions } from "../errors.js";
import { createTally } from "../count/tally.js";
import type { Cassette, CassetteV2 } from "../file/format.js";
import { toAiSdk } from "./ai-sdk.js";
import { countAnswerLosses, countCassetteLosses } from "./answers.js";
import { toAnthropic } from "./anthropic.js";
import { contextOf, headOf } from "./head.js";
import type { Loss, LossKind, LossLog } from "./loss.js";
import { toOpenAi } from "./openai.js";
import { toOtlp } from "./otlp.js";
import { findThreads, type Thread, type ThreadExtent } from "./threads.js";

export type ExportFormat = "openai" | "anthropic" | "otlp" | "ai-sdk";

export const EXPORT_FORMATS: readonly ExportFormat[] = ["openai", "anthropic", "otlp", "ai-sdk"];

export interface ExportOptions {
  readonly format: ExportFormat;
  /** The path for error messages. */
  readonly file?: string;
}

export interface ExportedCassette {
  /** One document for each thread, in the order in which they ended. Empty if there were no turns. */
  documents: JsonObject[];
  turns: number;
  /** The losses of the export, counted by kind. */
  losses: Loss[];
}

/**
 * Exports a checked cassette. Throws `CassetteError`: `export-without-prompts` (version 1, or only hashes), `export-too-large` or
 * `invalid-options`.
 */
export function exportCassette(cassette: Cassette, options: ExportOptions): ExportedCassette {
  assertKnownOptions("exportCassette", options, ["format", "file"]);
  const { format, file } = options;
  if (!EXPORT_FORMATS.includes(format)) {
    throw new CassetteError("invalid-options", `${JSON.stringify(format)} is not an export format`, {
      hint: `The formats are ${EXPORT_FORMATS.join(", ")}.`,
    });
  }
  const source = assertPrompts(cassette, format, file);
  const losses = createTally<LossKind>();
  const threads = source.entries.length === 0 ? [] : findThreads(source.entries, extentOf(source, format));
  const documents = toDocuments(source, threads, format, losses);
  countCassetteLosses(source, losses);
  return { documents, turns: source.entries.length, losses: losses.list() };
}

function assertPrompts(cassette: Cassette, format: ExportFormat, file: string | undefined): CassetteV2 {
  const where = defined({ file });
  if (cassette.version === 1) {
    throw new CassetteError("export-without-prompts", "the cassette has version 1, which does not store prompts", {
      hint: "Record it again.",
      ...where,
    });
  }
  if (format === "otlp" || cassette.entries.every(({ prompt }) => prompt !== undefined)) return cassette;
  throw new CassetteError("export-without-prompts", "the cassette stores only hashes of its prompts", {
    hint: "Record it with prompts, or export it as otlp, which can hold answers alone.",
    ...where,
  });
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
