// What `lock`, `prune` and `stats` need to know of each cassette: plain data, so that another thread can read the file.

import {
  createCassetteStore,
  exchangesOf,
  cassetteFigures,
  toLockEntry,
  type Cassette,
  type CassetteFigures,
  type CassetteV2,
  type LockEntry,
} from "../../cassette/index.js";
import { hashJson, type FilePort } from "../../core/index.js";
import type { Failure } from "../errors.js";
import { loadRecording, type LoadOptions } from "../options/recordings.js";

interface Facts {
  lock: LockEntry;
  /** Equal for cassettes with the same turns and exchanges. */
  prune: string;
  stats: CassetteFigures & { bytes: number };
}

export type FactsKind = keyof Facts;

export type Read<Kind extends FactsKind> =
  { kind: "read"; file: string; facts: Facts[Kind] } | { kind: "failed"; file: string; failure: Failure };

/** The settings of a thread. */
export interface FactsSettings<Kind extends FactsKind = FactsKind> {
  cwd: string;
  of: Kind;
  load: Pick<LoadOptions, "maxBytes" | "minVersion">;
}

const FACTS: { [Kind in FactsKind]: (cassette: Cassette, bytes: number) => Facts[Kind] } = {
  // Loaded with `minVersion` 2.
  lock: (cassette) => toLockEntry(cassette as CassetteV2),
  prune(cassette) {
    const turns = cassette.entries.map(({ promptHash, response }) => [promptHash, hashJson(response)]);
    return hashJson([turns, exchangesOf(cassette)]);
  },
  stats: (cassette, bytes) => ({ ...cassetteFigures(cassette), bytes }),
};

export function createFactsReader<Kind extends FactsKind>(files: FilePort, { of, load }: FactsSettings<Kind>) {
  return async (file: string): Promise<Read<Kind>> => {
    let bytes = 0;
    const read: FilePort["read"] = async (path, maxBytes) => {
      const result = await files.read(path, maxBytes);
      if (result.kind === "read") bytes = result.bytes.length;
      return result;
    };
    const loaded = await loadRecording(createCassetteStore({ ...files, read }), file, load);
    return loaded.kind === "failed" ? loaded : { kind: "read", file, facts: FACTS[of](loaded.cassette, bytes) };
  };
}
