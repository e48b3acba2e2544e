// Recorded text on a page: a preview line, and the text word for word. Long text is folded. Text beyond the page's limits is
// cut.

import { canonicalize } from "../../core/index.js";
import { MAX_PAGE_TEXT_CHARACTERS } from "../limits.js";
import type { Allowance } from "./allowance.js";
import { counted } from "./figures.js";
import { html, shown, type Html } from "./template.js";

/** A longer text is folded. */
const FOLD_CHARACTERS = 3_000;
const FOLD_LINES = 40;

type Setting = "prose" | "code";

/** White space, except for the three characters that are invisible and therefore shown as escapes. */
const SPACES = /(?:(?![\u2028\u2029\ufeff])\s)+/g;

export function preview(text: string, length: number): string {
  const line = text
    .slice(0, 4 * length)
    .replaceAll(SPACES, " ")
    .replaceAll(/^ | $/g, "");
  return line.length <= length ? line : `${firstOf(line, length - 1)}…`;
}

/** At most the first `length` UTF-16 units, without splitting a surrogate pair. */
function firstOf(text: string, length: number): string {
  const isSplit = (text.codePointAt(length - 1) ?? 0) > 0xffff;
  return text.slice(0, isSplit ? length - 1 : length);
}

/** The text, with a note if it was cut. */
export function textView(text: string, setting: Setting, allowance: Allowance): Html {
  const kept = firstOf(text, allowance.text(text.length));
  const body =
    setting === "code"
      ? html`<pre class="code" dir="auto" tabindex="0">${shown(kept)}</pre>`
      : html`<div class="prose" dir="auto">${shown(kept)}</div>`;
  if (kept.length === text.length) return body;
  const missing = counted(text.length - kept.length, "more character");
  return html`${kept !== "" && body}${html`<p class="cut">… ${missing} cut here (${allowance.remedy}).</p>`}`;
}

/** The text. A long one is folded behind a preview. */
export function foldedView(text: string, setting: Setting, allowance: Allowance): Html {
  const isLong = text.length > FOLD_CHARACTERS || lineCount(text) > FOLD_LINES;
  if (!isLong) return textView(text, setting, allowance);
  const about = html`<span class="size">${counted(text.length, "character")}</span>
    <span class="about">${preview(text, 160)}</span>`;
  return fold("long", about, textView(text, setting, allowance));
}

function lineCount(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0 && lines <= FOLD_LINES; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

export function fold(name: string, summary: Html, body: Html): Html {
  return html`<details class="${name}">
    <summary>${summary}</summary>
    <div class="inner">${body}</div>
  </details>`;
}

/** Formats any JSON value over several lines. */
export function jsonText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

/** Formats arguments on one line: names, and the start of each value. */
export function argumentsLine(args: Readonly<Record<string, unknown>>): string {
  const parts: string[] = [];
  let length = 0;
  for (const [name, value] of Object.entries(args)) {
    const part = `${preview(name, 40)}: ${preview(typeof value === "string" ? JSON.stringify(value) : canonicalize(value), 60)}`;
    parts.push(part);
    length += part.length;
    if (length > 160) break;
  }
  return preview(parts.join(", "), 160);
}

/**
 * Formats one-line JSON over several lines. Only white space between tokens changes. Returns other text unchanged: text that is
 * not a JSON array or object, or already has several lines.
 */
export function laidOut(text: string): string {
  if (!/^\s*[[{]/.test(text) || text.length > MAX_PAGE_TEXT_CHARACTERS || text.trim().includes("\n") || !isJson(text))
    return text;
  let [depth, out] = [0, ""];
  const newLine = (): string => `\n${"  ".repeat(Math.min(depth, 40))}`;
  for (const token of text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g) ?? []) {
    if (token === "[" || token === "{") {
      depth++;
      out += token + newLine();
    } else if (token === "]" || token === "}") {
      depth--;
      out = /[[{]\s*$/.test(out.slice(-100)) ? out.trimEnd() + token : out + newLine() + token;
    } else if (token === ",") out += token + newLine();
    else out += token === ":" ? ": " : token;
  }
  return out;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
