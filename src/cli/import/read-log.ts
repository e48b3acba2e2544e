// Reads a log file as UTF-8 text, within limits, and unpacks gzip and `.eval` files.

import { gunzipSync } from "node:zlib";
import { MAX_UNPACKED_RATIO } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { CliError } from "../errors.js";
import { FREE_LOG_BYTES, MAX_ARCHIVE_MEMBERS, MAX_LOG_BYTES } from "../limits.js";
import { isZip, readEvalArchive } from "./eval-archive.js";

/** Throws {@link CliError}. */
export async function readLog(files: FilePort, path: string, maxBytes = MAX_LOG_BYTES): Promise<string> {
  const result = await files.read(path, maxBytes);
  switch (result.kind) {
    case "read":
      return toText(isGzip(result.bytes) ? gunzip(result.bytes, path, maxBytes) : result.bytes, path, maxBytes);
    case "not-found":
      throw new CliError("log-not-found", `there is no log at ${path}`, "Check the path.", path);
    case "too-large":
      throw tooLarge(path, `has ${result.size} bytes, more than the limit of ${maxBytes}`);
    case "failed":
      throw new CliError("log-unreadable", `${path} cannot be read: ${result.message}`, "Check the path.", path);
  }
}

function toText(bytes: Uint8Array, path: string, maxBytes: number): string {
  if (!isZip(bytes)) return decode(bytes, path);
  const limits = { maxMembers: MAX_ARCHIVE_MEMBERS, maxBytes, freeBytes: FREE_LOG_BYTES, maxRatio: MAX_UNPACKED_RATIO };
  return readEvalArchive(bytes, path, limits);
}

/** RFC 1952 §2.3.1: the two magic bytes, which no JSON text begins with. */
function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function gunzip(bytes: Uint8Array, path: string, maxBytes: number): Uint8Array {
  const maxGrown = Math.max(FREE_LOG_BYTES, bytes.length * MAX_UNPACKED_RATIO);
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.min(maxBytes, maxGrown) });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE" && maxBytes <= maxGrown)
      throw tooLarge(path, `has more than the limit of ${maxBytes} bytes when gunzipped`);
    if (code === "ERR_BUFFER_TOO_LARGE") {
      const what = `grows beyond ${FREE_LOG_BYTES} bytes and ${MAX_UNPACKED_RATIO} times its size when gunzipped, which no log does`;
      throw tooLarge(path, what, "If it is a log, gunzip it yourself and import the result.");
    }
    const hint = "Download or write it again.";
    throw new CliError("log-unreadable", `${path} cannot be gunzipped: ${message}`, hint, path);
  }
}

/** Keeps a byte-order mark, because the importer refuses it with a clear message. */
function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_STRING_TOO_LONG") {
      throw tooLarge(path, `has ${bytes.length} bytes, which do not fit into one string`);
    }
    throw new CliError("log-unreadable", `${path} is not UTF-8 text`, "A log is JSON or JSON Lines in UTF-8.", path);
  }
}

function tooLarge(path: string, what: string, hint = "Split it into smaller files."): CliError {
  return new CliError("log-too-large", `${path} ${what}`, hint, path);
}
