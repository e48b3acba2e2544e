// Proof of an imported cassette that shares no code with its writer: another canonical JSON, another SHA-256, and the
// Python oracle next to the repository.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { canonicalize } from "json-canonicalize";
import type { LlmMessage } from "../../../src/core/index.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import type { ImportExtension } from "../../../src/cassette/import/cassette.js";
import { importLog, type ImportedCassette, type ImportOptions } from "../../../src/cassette/import/import.js";
import { sharedPath } from "../../support/shared.js";

export const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasPython) console.warn("python3 is absent: imported cassettes are not checked by the oracle");

/** The one run of a record, imported. */
export function importOne(record: unknown, options: Partial<ImportOptions> = {}): ImportedCassette {
  const [imported, ...more] = importLog(JSON.stringify(record), {
    source: "log.json",
    recordedAt: "2026-11-20T12:00:00.000Z",
    ...options,
  });
  if (imported === undefined || more.length > 0) throw new Error("not one run");
  return imported;
}

/** The whole conversation of a record, imported. */
export function readConversation(record: unknown, options: Partial<ImportOptions> = {}): LlmMessage[] {
  return conversationOf(importOne(record, options).cassette);
}

/** The repairs a record took, by kind. */
export function repairsOf(record: unknown, options: Partial<ImportOptions> = {}): Record<string, number> {
  return importOf(importOne(record, options).cassette).repairs;
}

/** The file a cassette would be. */
export function toFile(cassette: CassetteV2): string {
  return `${JSON.stringify(cassette, undefined, 2)}\n`;
}

export function importOf(cassette: CassetteV2): ImportExtension {
  return cassette.extensions?.["import"] as ImportExtension;
}

/** Every prompt rebuilt from the deltas, in order. */
export function rebuildPrompts(cassette: CassetteV2): LlmMessage[][] {
  let prompt: LlmMessage[] = [];
  return cassette.entries.map((entry) => {
    prompt = [...prompt.slice(0, entry.prompt?.keep), ...(entry.prompt?.messages ?? [])];
    return prompt;
  });
}

/** The whole conversation: the last prompt, its answer, and what came after. */
export function conversationOf(cassette: CassetteV2): LlmMessage[] {
  const last = cassette.entries.at(-1);
  const answered = last === undefined ? [] : [...(rebuildPrompts(cassette).at(-1) ?? []), last.response.message];
  return [...answered, ...(importOf(cassette).trailing ?? [])];
}

/** The hashes of a cassette that do not hold, by name; the values come from its file text. */
export function findBadHashes(file: string): string[] {
  const cassette = JSON.parse(file) as CassetteV2;
  const { entries, envelopeHash, ...envelope } = cassette;
  const bad: string[] = [];
  const prompts = rebuildPrompts(cassette);
  entries.forEach(({ turnIndex, promptHash, response, responseHash }, index) => {
    if (turnIndex !== index) bad.push(`turnIndex ${index}`);
    if (hash(prompts[index]) !== promptHash) bad.push(`promptHash ${index}`);
    const bound = { cassetteId: cassette.cassetteId, turnIndex, promptHash, response };
    if (hash(bound) !== responseHash) bad.push(`responseHash ${index}`);
  });
  const entryDigests = entries.map((entry) => entry.responseHash);
  if (hash({ ...envelope, entryDigests }) !== envelopeHash) bad.push("envelopeHash");
  return bad;
}

function hash(value: unknown): string {
  return createHash("sha256").update(canonicalize(value)).digest("hex");
}

/** What the oracle says of each cassette, their files written to a folder of their own in one go. */
export function askOracle(imported: readonly ImportedCassette[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "playhead-import-"));
  try {
    for (const { path, cassette } of imported) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), toFile(cassette));
    }
    const oracle = sharedPath("oracle/cassette_oracle.py");
    const paths = imported.map(({ path }) => path);
    const said = execFileSync("python3", [oracle, "verify", ...paths], { cwd: folder, encoding: "utf8" });
    return said.trimEnd().split("\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
