// `extract`: the content of a target as text, Markdown, JSON or links, in parts if it is long.

import { defined, findTooDeep, type JsonValue } from "../../core/index.js";
import {
  DEFAULT_MAX_EXTRACTED_CHARACTERS,
  DEFAULT_MAX_EXTRACTED_LINKS,
  MAX_EXTRACTED_JSON_DEPTH,
  MAX_PAGE_LINKS,
} from "../limits.js";
import { loadContent, textOf, type Content } from "./content.js";
import { fileUrl, parseTarget, type Target } from "./target.js";
import { shown } from "./descent.js";
import { VerbError } from "./error.js";
import { readPage, type Link } from "./html.js";
import { isHtml, isJson } from "./media.js";
import type { World } from "./options.js";
import { sliceList, sliceText } from "./slice.js";

type ExtractForm = "text" | "markdown" | "json" | "links";

export interface ExtractArgs {
  readonly uri: string;
  readonly as?: ExtractForm;
  readonly from?: number;
  readonly limit?: number;
}

interface Extracted {
  readonly uri: string;
  readonly as: ExtractForm;
  readonly mediaType?: string;
  readonly charset?: string;
  readonly title?: string;
  /** All characters or links. */
  readonly total: number;
  readonly from: number;
  /** Where the next part begins. Absent for the last part. */
  readonly next?: number;
  readonly links?: readonly Link[];
  readonly text?: string;
  /** The JSON value, if its text is within the limit. Otherwise `text` has it in parts. */
  readonly value?: JsonValue;
}

export async function extract(args: ExtractArgs, world: World, signal: AbortSignal): Promise<Extracted> {
  const target = parseTarget(args.uri, world);
  const folder = await listFolder(target, args);
  if (folder !== undefined) return folder;
  const content = await loadContent(target, world, signal);
  const { text, charset } = textOf(content);
  const { type } = content.media ?? {};
  const as = args.as ?? (isHtml(type) ? "markdown" : isJson(type) ? "json" : "text");
  const about = { uri: content.uri, as, ...defined({ mediaType: type }), charset };
  if (as === "json") return { ...about, ...readJson(text, content.uri, args) };
  if (!isHtml(type)) {
    return { ...about, ...(as === "links" ? pickLinks(linksInText(text), args) : pickText(text, args)) };
  }
  const page = await readPage(text, content.base, signal);
  const title = page.title === "" ? {} : { title: page.title };
  if (as === "links") return { ...about, ...title, ...pickLinks(page.links, args) };
  return { ...about, ...title, ...pickText(as === "markdown" ? await page.markdown() : page.text(), args) };
}

/** The links of a page or a text. */
export async function linksOf(content: Content, signal: AbortSignal): Promise<readonly Link[]> {
  const { text } = textOf(content);
  return isHtml(content.media?.type) ? (await readPage(text, content.base, signal)).links : linksInText(text);
}

async function listFolder(target: Target, args: ExtractArgs): Promise<Extracted | undefined> {
  if (target.kind === "http") return undefined;
  const { path, root } = target;
  if ((await root.describe(path)).kind !== "folder") return undefined;
  if (args.as === "json") throw new VerbError("content", `${shown(path)} is a folder, not JSON`);
  const { names } = await root.list(path);
  const about = { uri: shown(path), as: args.as ?? "text" } as const;
  if (args.as !== "links") return { ...about, ...pickText(names.join("\n"), args) };
  const links = names.map((name) => ({ uri: fileUrl([...path, name.replace(/\/$/, "")]).href, text: name }));
  return { ...about, ...pickLinks(links, args) };
}

type Parts = Pick<Extracted, "total" | "from" | "next" | "links" | "text" | "value">;

function pickText(text: string, { from = 0, limit = DEFAULT_MAX_EXTRACTED_CHARACTERS }: ExtractArgs): Parts {
  const { part, ...place } = sliceText(text, from, limit);
  return { ...place, text: part };
}

function pickLinks(all: readonly Link[], { from = 0, limit = DEFAULT_MAX_EXTRACTED_LINKS }: ExtractArgs): Parts {
  const { part, ...place } = sliceList(all, from, limit);
  return { ...place, links: part };
}

function readJson(text: string, uri: string, args: ExtractArgs): Parts {
  if (findTooDeep(text, MAX_EXTRACTED_JSON_DEPTH) !== undefined) {
    throw new VerbError("content", `${uri} is nested deeper than ${MAX_EXTRACTED_JSON_DEPTH} levels`);
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new VerbError("content", `${uri} is not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  const { from = 0, limit = DEFAULT_MAX_EXTRACTED_CHARACTERS } = args;
  if (from === 0 && text.length <= limit) return { total: text.length, from, value };
  return pickText(text, args);
}

function linksInText(text: string): Link[] {
  const found = new Set<string>();
  for (const [uri] of text.matchAll(/https?:\/\/[^\s<>"'`)\]}]{1,2000}/g)) {
    if (found.size >= MAX_PAGE_LINKS) break;
    if (URL.canParse(uri)) found.add(new URL(uri.replace(/[.,;:!?]+$/, "")).href);
  }
  return [...found].map((uri) => ({ uri, text: "" }));
}
