// Reading a file of ours whole, with words for each way in which it can fail.

import type { FilePort } from "../../core/index.js";
import { CassetteError } from "../errors.js";

export interface ReadOptions {
  /** What the file is, in words: "cassette". */
  what: string;
  maxBytes: number;
  /** What to do when there is none. */
  missing: string;
}

/** Throws {@link CassetteError} `file-not-found`, `too-large` or `file-unreadable`. */
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
