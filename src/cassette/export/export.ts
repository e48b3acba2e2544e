// A cassette as chat messages or traces of other tools. The writers of the formats are loaded by the first export.

import { defined } from "../../core/index.js";
import { CassetteError, assertKnownOptions } from "../errors.js";
import type { Cassette, CassetteV2 } from "../file/format.js";
import { EXPORT_FORMATS, type ExportedCassette, type ExportFormat } from "./format.js";

export interface ExportOptions {
  readonly format: ExportFormat;
  /** The path for error messages. */
  readonly file?: string;
}

/**
 * Exports a checked cassette. Rejects with `CassetteError`: `export-without-prompts` (version 1, or only hashes), `export-too-large` or
 * `invalid-options`.
 */
export async function exportCassette(cassette: Cassette, options: ExportOptions): Promise<ExportedCassette> {
  assertKnownOptions("exportCassette", options, ["format", "file"]);
  const { format, file } = options;
  if (!EXPORT_FORMATS.includes(format)) {
    throw new CassetteError("invalid-options", `${JSON.stringify(format)} is not an export format`, {
      hint: `The formats are ${EXPORT_FORMATS.join(", ")}.`,
    });
  }
  const source = assertPrompts(cassette, format, file);
  const { exportDocuments } = await import("./documents.js");
  return exportDocuments(source, format);
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
