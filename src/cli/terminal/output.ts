// Prints lines or one JSON document. Every piece of a line passes `toVisible`, so that no command prints recorded text raw.

import { styleText } from "node:util";
import { plural, toVisible, toVisibleJson } from "../../core/index.js";
import type { Failure } from "../errors.js";
import type { CliIo } from "./io.js";

/** Raised when a field of a JSON document is removed or changes its meaning. */
export const JSON_SCHEMA_VERSION = 1;

/** The meaning of a piece, which decides its colour. */
export type Look = "good" | "bad" | "warn" | "dim" | "bold";
export type Piece = string | { look: Look; text: string };

/** Prints one line made of its pieces. */
export type PrintLine = (...pieces: Piece[]) => void;

const FORMATS = { good: "green", bad: "red", warn: "yellow", dim: "dim", bold: "bold" } as const;

/** Prints to stdout, in colour if it is a terminal and NO_COLOR (no-color.org) is unset. */
export function createPrinter(io: CliIo): PrintLine {
  const hasColour = io.isTTY && (io.env["NO_COLOR"] ?? "") === "";
  return (...pieces) => io.stdout(`${pieces.map((piece) => render(piece, hasColour)).join("")}\n`);
}

/** Prints to stderr, never in colour, for anything but results. */
export function createNotes(io: CliIo): PrintLine {
  return (...pieces) => io.stderr(`${pieces.map((piece) => render(piece, false)).join("")}\n`);
}

/** Prints what happened and why. What to do about it follows a line break in `why`, and gets a line of its own. */
export function printWhy(print: PrintLine, what: Piece, why: string): void {
  const [first = "", ...rest] = why.split("\n");
  print(what, first);
  for (const line of rest) print(`  ${line.trimStart()}`);
}

function render(piece: Piece, hasColour: boolean): string {
  if (typeof piece === "string") return toVisible(piece);
  const text = toVisible(piece.text);
  return hasColour ? styleText(FORMATS[piece.look], text, { validateStream: false }) : text;
}

/** The one JSON document of a command. */
export function writeJson(io: CliIo, command: string | null, exitCode: number, body: object): void {
  io.stdout(toJsonText(command, exitCode, body));
}

export function toJsonText(command: string | null, exitCode: number, body: object): string {
  const document = { schemaVersion: JSON_SCHEMA_VERSION, command, exitCode, ...body };
  return `${toVisibleJson(JSON.stringify(document, null, 2))}\n`;
}

/** Prints a failure to stderr: what happened, which file, what to do. */
export function writeFailure(io: CliIo, { message, file, pointer, hint }: Failure): void {
  const note = createNotes(io);
  note("error: ", message);
  if (file !== undefined) note("  file: ", file, pointer === undefined ? "" : ` at ${pointer}`);
  if (hint !== undefined) note("  hint: ", hint);
}

/** A failure as the `error` of a JSON document. */
export function toJsonError({ code, message, file, pointer, hint }: Failure): object {
  return { code, message, hint, file, pointer };
}

export { plural as count } from "../../core/index.js";

/** "2 turns, 1 exchange": the contents of a recording. */
export function sizeText({ turns, exchanges = 0 }: { turns: number; exchanges?: number }): string {
  const parts = [...(turns > 0 || exchanges === 0 ? [plural(turns, "turn")] : [])];
  return [...parts, ...(exchanges > 0 ? [plural(exchanges, "exchange")] : [])].join(", ");
}

/** " (80 read from cache, 10 written to cache)": input tokens with other prices. Empty without such tokens. */
export function cachedOf(usage: { cacheReadTokens?: number; cacheWriteTokens?: number }): string {
  const { cacheReadTokens: read = 0, cacheWriteTokens: written = 0 } = usage;
  const parts = [
    ...(read > 0 ? [`${read} read from cache`] : []),
    ...(written > 0 ? [`${written} written to cache`] : []),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}
