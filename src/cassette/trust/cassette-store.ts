// Loads and saves cassette files through a host's file port. Saving is atomic and never replaces a file unless `overwrite` is set.

import { defined, type FilePort } from "../../core/index.js";
import { DEFAULT_MAX_FILE_BYTES } from "../limits.js";
import { readEnvelope } from "./dsse-file.js";
import { CassetteError } from "../errors.js";
import type { Cassette } from "../file/format.js";
import { byteLength } from "../file/json.js";
import { parseCassette, type ParseOptions } from "./load-cassette.js";
import { readWhole } from "../file/read-bytes.js";

export const CASSETTE_SUFFIX = ".cassette.json";

/** The suffix of the recording of a failed test, which only `cassette drift` looks for. */
export const FAILED_SUFFIX = `.failed${CASSETTE_SUFFIX}`;

/** The cassettes below a folder, without recordings of failed tests. Undefined as for `list` of the port. */
export async function listCassettes(
  files: Pick<FilePort, "list">,
  folder: string,
  suffix = CASSETTE_SUFFIX,
): Promise<string[] | undefined> {
  return (await files.list(folder, suffix))?.filter((name) => !name.endsWith(FAILED_SUFFIX));
}

export interface SaveOptions {
  overwrite?: boolean;
  /** Default 64 MiB. */
  maxBytes?: number;
}

/** Loads and saves cassette files. Created by {@link createCassetteStore}. */
export interface CassetteStore {
  /** Reads and checks a cassette. With `trust`, also reads `<path>.dsse`. Throws `file-not-found`, `file-unreadable`, or a `LoadErrorCode`. */
  readonly load: (path: string, options?: Omit<ParseOptions, "file">) => Promise<Cassette>;
  /**
   * Writes a cassette. Throws `file-exists` unless `overwrite` is set, `too-large` above `maxBytes` (default 64 MiB, as for `load`), or
   * `file-unreadable`.
   */
  readonly save: (path: string, cassette: Cassette, options?: SaveOptions) => Promise<void>;
}

export function createCassetteStore(files: FilePort): CassetteStore {
  return {
    async load(path, options = {}) {
      const maxBytes = options.maxBytes ?? DEFAULT_MAX_FILE_BYTES;
      const missing = "Check the path, or record it first (CASSETTE_MODE=record).";
      const bytes = await readWhole(files, path, { what: "cassette", maxBytes, missing });
      const envelope = options.trust === undefined ? undefined : await readEnvelope(files, path);
      return parseCassette(bytes, { ...options, file: path, ...defined({ envelope }) });
    },
    async save(path, cassette, { overwrite = false, maxBytes = DEFAULT_MAX_FILE_BYTES } = {}) {
      const text = formatCassette(cassette);
      if (byteLength(text, maxBytes) > maxBytes) {
        throw new CassetteError("too-large", `${path} was not written: it would have more than ${maxBytes} bytes`, {
          file: path,
          hint: "Raise maxBytes here and for loading, or record less in one cassette.",
        });
      }
      const result = await files.write(path, text, { overwrite });
      switch (result.kind) {
        case "written":
          return;
        case "exists":
          throw new CassetteError("file-exists", `${path} exists and was not changed`, {
            file: path,
            hint: "Move it away, or record with CASSETTE_MODE=refresh to replace it.",
          });
        case "failed":
          throw new CassetteError("file-unreadable", `${path} cannot be written: ${result.message}`, { file: path });
      }
    },
  };
}

const FIELD_ORDER = [
  "version",
  "agentId",
  "recordedAt",
  "recordedProvider",
  "cassetteId",
  "entries",
  "extensions",
  "envelopeHash",
  "signature",
] as const;
const ENTRY_ORDER = ["turnIndex", "promptHash", "prompt", "responseHash", "response"] as const;

/** Returns the text of a cassette file: indented by two spaces, keys in the order of the format, one final newline. */
export function formatCassette(cassette: Cassette): string {
  const entries = cassette.entries.map((entry) => inOrder(entry, ENTRY_ORDER));
  return JSON.stringify(inOrder({ ...cassette, entries }, FIELD_ORDER), null, 2) + "\n";
}

function inOrder(object: object, order: readonly string[]): object {
  const present = order.filter((key) => Object.hasOwn(object, key));
  return Object.fromEntries(present.map((key) => [key, object[key as keyof typeof object]]));
}
