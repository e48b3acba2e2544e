// Files that one option names: read or written whole, or a failure of the command.

import { resolve } from "node:path";
import { BUNDLE_SUFFIX, CASSETTE_SUFFIX } from "../../cassette/index.js";
import type { FilePort, FileRead } from "../../core/index.js";
import { CliError, type CliErrorCode } from "../errors.js";

/** The bytes of a file of at most `maxBytes`. Throws `CliError` with the code. */
export async function readBytes(
  files: FilePort,
  path: string,
  maxBytes: number,
  { code, hint = "Check the path." }: { code: CliErrorCode; hint?: string },
): Promise<Uint8Array> {
  const read = await files.read(path, maxBytes);
  if (read.kind === "read") return read.bytes;
  throw new CliError(code, `${path} ${whyUnread(read, maxBytes)}`, hint, path);
}

/** Says why there are no bytes, to follow a name: "has 9 bytes, more than the limit of 8". */
export function whyUnread(read: Exclude<FileRead, { kind: "read" }>, maxBytes: number): string {
  switch (read.kind) {
    case "not-found":
      return "does not exist";
    case "too-large":
      return `has ${read.size} bytes, more than the limit of ${maxBytes}`;
    case "failed":
      return `cannot be read: ${read.message}`;
  }
}

/**
 * Throws `CliError` with the code if a report would replace a recording: for a name that recordings have, and for a path of `inputs`, which
 * the command reads.
 */
export function assertNoRecording(path: string, code: CliErrorCode, inputs: readonly string[] = []): void {
  const suffix = [CASSETTE_SUFFIX, BUNDLE_SUFFIX].find((each) => path.toLowerCase().endsWith(each));
  if (suffix !== undefined) {
    const what = `${path} ends in ${suffix}, which is reserved for recordings`;
    throw new CliError(code, what, "Give the file another name.", path);
  }
  if (!inputs.some((input) => resolve(input) === resolve(path))) return;
  throw new CliError(code, `${path} would be replaced, and the command reads it`, "Name another file.", path);
}

/**
 * Writes a whole file, but never one with the name of a recording. Throws `CliError` with the code; `taken` is the hint for a file that
 * exists and may not be replaced.
 */
export async function writeText(
  files: FilePort,
  path: string,
  text: string,
  { code, overwrite, mode, taken, hint = "Check the folder." }: WriteTextOptions,
): Promise<void> {
  assertNoRecording(path, code);
  const written = await files.write(path, text, { overwrite, ...(mode === undefined ? {} : { mode }) });
  if (written.kind === "written") return;
  if (written.kind === "exists") throw new CliError(code, `${path} exists and was not replaced`, taken ?? hint, path);
  throw new CliError(code, `${path} cannot be written: ${written.message}`, hint, path);
}

interface WriteTextOptions {
  code: CliErrorCode;
  overwrite: boolean;
  mode?: number;
  taken?: string;
  hint?: string;
}
