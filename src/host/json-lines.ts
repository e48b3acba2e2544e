// A file of JSON lines that survives a crash: every line is appended in one write (O_APPEND) before `write` returns. After `kill -9` at most
// the last line is torn, which opening repairs. A power failure may lose lines that were not flushed yet. `close` flushes.

import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { AgentError, assertKnownOptions, showValue, thrownText } from "../core/index.js";
import { codeOf } from "./files/failure.js";
import { MAX_REPAIRED_LINE_BYTES } from "./limits.js";

/** Every code of a {@link JsonLinesError}. Callers may rely on them. */
export type JsonLinesErrorCode =
  /** The file exists, and `append` is not set. */
  | "exists"
  /** The file does not contain JSON lines, so it was not changed. */
  | "not-json-lines"
  /** The value cannot be written as JSON. */
  | "not-json"
  /** The system refused: a full disk, no permission, a folder. After a failed write the file accepts no more lines. */
  | "failed"
  | "closed";

/** Every failure of a file of JSON lines. `message` names the file and the failure, `hint` says what to do. */
export class JsonLinesError extends Error {
  readonly code: JsonLinesErrorCode;
  readonly hint: string;

  constructor(code: JsonLinesErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "JsonLinesError";
    this.code = code;
    this.hint = hint;
  }
}

/** The options of {@link openJsonLines}. */
export interface JsonLinesOptions {
  /** Adds to an existing file, or creates a new one. Default false: an existing file is an error. */
  readonly append?: boolean;
}

/** The repair of a last line without its line break. */
export interface MendedLine {
  /** `closed`: it was whole and got its line break. `cut`: it was torn and was removed. */
  readonly action: "closed" | "cut";
  /** The length of the line that was found. */
  readonly bytes: number;
}

/** An open file of JSON lines. Its methods do not use `this`, so `file.write` can be passed on as a function. */
export interface JsonLinesFile {
  readonly path: string;
  /** Lines written since it was opened. */
  readonly lines: number;
  /** Set when `append` found a torn last line. */
  readonly mended: MendedLine | undefined;
  /** Writes `value` as one line. A BigInt becomes text. A value that JSON cannot represent is `not-json`. Throws {@link JsonLinesError}. */
  readonly write: (value: unknown) => void;
  /** Flushes and closes. Safe to call twice. */
  readonly close: () => void;
}

const NEWLINE = 0x0a;

/** Opens `path`, and creates missing folders. Throws {@link JsonLinesError}, and `AgentError` `invalid-options` for a wrong option. */
export function openJsonLines(path: string, options: JsonLinesOptions = {}): JsonLinesFile {
  const append = readAppend(options);
  const descriptor = open(path, append);
  let mended: MendedLine | undefined;
  try {
    mended = append ? mend(descriptor, path) : undefined;
  } catch (error) {
    closeSync(descriptor);
    throw error instanceof JsonLinesError ? error : failed(path, "cannot be appended to", error);
  }
  let lines = 0;
  let end: JsonLinesError | undefined;

  return {
    path,
    mended,
    get lines() {
      return lines;
    },
    write(value) {
      if (end !== undefined) throw end;
      const line = toLine(value, path);
      try {
        writeWhole(descriptor, line);
      } catch (error) {
        // A part of the line may be written, and a further line would make it a torn line in the middle.
        end = failed(path, "cannot be written to, and takes no more lines", error);
        closeSync(descriptor);
        throw end;
      }
      lines += 1;
    },
    close() {
      if (end !== undefined) return;
      end = new JsonLinesError("closed", `${path} was closed`, "Write before close().");
      try {
        fsyncSync(descriptor);
      } catch (error) {
        throw failed(path, "cannot be flushed", error);
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

function readAppend(options: JsonLinesOptions): boolean {
  assertKnownOptions("openJsonLines", options, ["append"]);
  const { append = false } = options;
  if (typeof append === "boolean") return append;
  throw new AgentError("invalid-options", `append of openJsonLines is ${showValue(append)}`, {
    hint: "Pass true or false, or leave it out.",
  });
}

function open(path: string, append: boolean): number {
  // An empty path is what an unset variable leaves behind.
  if (path === "") throw failed("the file", "cannot be opened", "its path is empty");
  try {
    mkdirSync(dirname(path), { recursive: true });
    if (append && statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
      throw failed(path, "cannot be opened", "it is not a regular file");
    }
    const { O_APPEND, O_CREAT, O_EXCL, O_RDWR, O_WRONLY } = constants;
    return openSync(path, O_APPEND | O_CREAT | (append ? O_RDWR : O_WRONLY | O_EXCL), 0o666);
  } catch (error) {
    if (error instanceof JsonLinesError) throw error;
    if (codeOf(error) !== "EEXIST" || append) throw failed(path, "cannot be opened", error);
    const hint = "Pass { append: true } to add to it, or use another name. A file can have one chain of receipts.";
    throw new JsonLinesError("exists", `${path} already exists`, hint, error);
  }
}

function toLine(value: unknown, path: string): Buffer {
  let text: string | undefined;
  try {
    text = toText(value);
  } catch (error) {
    throw notJson(path, error);
  }
  if (text === undefined) throw notJson(path);
  return Buffer.from(`${text}\n`, "utf8");
}

function toText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? item.toString() : item));
  }
}

/** Needs one call, unless the system accepts only a part. */
function writeWhole(descriptor: number, line: Buffer): void {
  for (let at = 0; at < line.length;) at += writeSync(descriptor, line, at);
}

/** Cuts or closes a last line without its line break. Refuses a file that does not end with JSON lines. */
function mend(descriptor: number, path: string): MendedLine | undefined {
  const { size } = fstatSync(descriptor);
  const { before, last } = readTail(descriptor, size, path);
  if (before !== undefined && !isJson(before)) throw notJsonLines(path);
  if (last.length === 0) return undefined;
  if (isJson(last)) {
    writeWhole(descriptor, Buffer.from("\n"));
    return { action: "closed", bytes: last.length };
  }
  // The file has only this line, so it must begin like ours.
  if (before === undefined && last[0] !== 0x7b && last[0] !== 0x5b) throw notJsonLines(path);
  ftruncateSync(descriptor, size - last.length);
  return { action: "cut", bytes: last.length };
}

/** The bytes after the last line break, and the line before it, if there is one. */
function readTail(descriptor: number, size: number, path: string): { before: Buffer | undefined; last: Buffer } {
  for (let length = Math.min(size, 65_536); ; length = Math.min(size, 2 * length)) {
    const tail = Buffer.alloc(length);
    for (let at = 0; at < length;) {
      const read = readSync(descriptor, tail, at, length - at, size - length + at);
      if (read === 0) throw new Error("it became shorter while it was read");
      at += read;
    }
    const end = tail.lastIndexOf(NEWLINE);
    const start = end <= 0 ? -1 : tail.lastIndexOf(NEWLINE, end - 1);
    const isWhole = length === size;
    if (end >= 0 && (start >= 0 || isWhole))
      return { before: tail.subarray(start + 1, end), last: tail.subarray(end + 1) };
    if (isWhole) return { before: undefined, last: tail };
    if (length > MAX_REPAIRED_LINE_BYTES) throw notJsonLines(path);
  }
}

function isJson(line: Buffer): boolean {
  try {
    JSON.parse(line.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}

function notJson(path: string, cause?: unknown): JsonLinesError {
  const message = `a value cannot be written to ${path} as JSON`;
  return new JsonLinesError("not-json", message, "Write events, receipts or other plain values without cycles.", cause);
}

function notJsonLines(path: string): JsonLinesError {
  const message = `${path} does not end with JSON lines, so it was not changed`;
  return new JsonLinesError("not-json-lines", message, "Check the path, or use a new file.");
}

function failed(path: string, what: string, cause: unknown): JsonLinesError {
  const hint =
    "Check the free space and the permissions, and that the path is not a folder. Then open it again with { append: true }.";
  return new JsonLinesError("failed", `${path} ${what}: ${thrownText(cause)}`, hint, cause);
}
