// Reading a whole file, with an error for each kind of failure.

import type { FilePort } from "../../core/index.js";
import { CassetteError } from "../errors.js";

export interface ReadOptions {
  /** The kind of file, such as "cassette". */
  what: string;
  maxBytes: number;
  /** The hint for a missing file. */
  missing: string;
}

/** Reads a file. Throws {@link CassetteError} `file-not-found`, `too-large` or `file-unreadable`. */
export async function readWhole(files: FilePort, path: string, options: ReadOptions): Promise<Uint8Array> {
  const { what, maxBytes, missing } = options;
  const result = await files.read(path, maxBytes);
  switch (result.kind) {
    case "read":
      return result.bytes;
    case "not-found":
      throw new CassetteError("file-not-found", `there is no ${what} at ${path}`, { file: path, hint: missing });
    case "too-large":
      throw new CassetteError("too-large", `${path} has ${result.size} bytes, more than the limit of ${maxBytes}`, {
        file: path,
        hint: "Raise maxBytes if that is meant.",
      });
    case "failed":
      throw new CassetteError("file-unreadable", `${path} cannot be read: ${result.message}`, { file: path });
  }
}
