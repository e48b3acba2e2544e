// `connect`: describes a target from the head of an answer and the beginning of a page.

import { defined } from "../../core/index.js";
import { MAX_TITLE_SOURCE_BYTES } from "../limits.js";
import { decodeText } from "./charset.js";
import { shown } from "./descent.js";
import { readTitle } from "./html.js";
import { exchange } from "./http-fetch.js";
import { mediaOf } from "./content.js";
import { isHtml, mediaTypeOfName, type MediaType } from "./media.js";
import type { World } from "./options.js";
import { parseTarget } from "./target.js";

interface Connected {
  readonly kind: "http" | "file" | "folder";
  /** As a target: the URL after redirects, or the path below the root. */
  readonly uri: string;
  readonly status?: number;
  readonly mediaType?: string;
  /** Bytes, if the target says so, or entries of a folder. */
  readonly size?: number;
  readonly title?: string;
  /** ISO 8601. */
  readonly lastModified?: string;
}

export async function connect({ uri }: { uri: string }, world: World, signal: AbortSignal): Promise<Connected> {
  const target = parseTarget(uri, world);
  if (target.kind === "http") return connectHttp(target.url, world, signal);
  const { path, root } = target;
  const entry = await root.describe(path);
  const lastModified = entry.modified.toISOString();
  if (entry.kind === "folder") {
    const { names } = await root.list(path);
    return { kind: "folder", uri: shown(path), size: names.length, lastModified };
  }
  const media = mediaTypeOfName(path.at(-1) ?? "");
  const title = isHtml(media?.type)
    ? await titleOf((await root.read(path, MAX_TITLE_SOURCE_BYTES)).bytes, media, signal)
    : undefined;
  return { kind: "file", uri: shown(path), ...described(media, title), size: entry.size, lastModified };
}

async function connectHttp(url: URL, { net }: World, signal: AbortSignal): Promise<Connected> {
  const { answer, media, head } = await exchange(net, { url }, signal, async (answer) => {
    const media = mediaOf(answer);
    const head = isHtml(media?.type) ? await answer.read({ maxBytes: MAX_TITLE_SOURCE_BYTES, cut: true }) : undefined;
    return { answer, media, head };
  });
  const title = head === undefined ? undefined : await titleOf(head.bytes, media, signal);
  const { "content-length": length, "last-modified": changed } = answer.headers;
  const isPlain = answer.headers["content-encoding"] === undefined;
  return {
    kind: "http",
    uri: answer.url.href,
    status: answer.status,
    ...described(media, title),
    ...(isPlain && length !== undefined && /^\d{1,15}$/.test(length) ? { size: Number(length) } : {}),
    ...modified(changed),
  };
}

function described(media: MediaType | undefined, title: string | undefined): Pick<Connected, "mediaType" | "title"> {
  return defined({ mediaType: media?.type, title: title === "" ? undefined : title });
}

async function titleOf(bytes: Uint8Array, media: MediaType | undefined, signal: AbortSignal): Promise<string> {
  return readTitle(decodeText(bytes, media?.charset, true).text, signal);
}

/** An HTTP date as ISO 8601, or nothing for anything else. */
export function modified(header: string | undefined): { lastModified?: string } {
  const time = Date.parse(header ?? "");
  return Number.isNaN(time) ? {} : { lastModified: new Date(time).toISOString() };
}
