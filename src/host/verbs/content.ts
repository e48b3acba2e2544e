// The content of a target, wherever it lies: bytes and what is known of them, and those bytes as text.

import { decodeText, type DecodedText } from "./charset.js";
import { shown } from "./descent.js";
import { VerbError } from "./error.js";
import { exchange, type HttpAnswer } from "./http-fetch.js";
import { findBinary, isHtml, mediaTypeOfName, parseMediaType, type MediaType } from "./media.js";
import type { World } from "./options.js";
import { fileUrl, type Target } from "./target.js";

export interface Content {
  /** As a target: the URL after redirects, or the path below the root. */
  readonly uri: string;
  /** What links in it are relative to. */
  readonly base: URL;
  readonly media: MediaType | undefined;
  readonly bytes: Uint8Array;
}

/** Rejects with `VerbError`: `status` for an answer other than 2xx, `too-large` beyond `maxBytes`, and whatever the way has. */
export async function loadContent(target: Target, { net }: World, signal: AbortSignal): Promise<Content> {
  if (target.kind === "http") {
    return exchange(net, { url: target.url }, signal, async (answer) => {
      assertSuccess(answer);
      const { bytes } = await answer.read();
      return { uri: answer.url.href, base: answer.url, media: mediaOf(answer), bytes };
    });
  }
  const { path, root } = target;
  const { bytes, isWhole } = await root.read(path, net.maxBytes);
  if (!isWhole) throw new VerbError("too-large", `${shown(path)} has more than ${net.maxBytes} bytes`);
  return { uri: shown(path), base: fileUrl(path), media: mediaTypeOfName(path.at(-1) ?? ""), bytes };
}

export function mediaOf({ headers }: Pick<HttpAnswer, "headers">): MediaType | undefined {
  return parseMediaType(headers["content-type"]);
}

export function assertSuccess({ status, url }: HttpAnswer): void {
  if (status < 200 || status > 299) throw new VerbError("status", `${url.host} answered with HTTP status ${status}`);
}

/** Throws `VerbError` `content`, saying what it is, for what is no text. */
export function textOf({ bytes, media, uri }: Pick<Content, "bytes" | "media" | "uri">): DecodedText {
  const binary = findBinary(bytes, media);
  if (binary !== undefined) throw new VerbError("content", `${uri} is ${binary}, which is no text`);
  return decodeText(bytes, media?.charset, isHtml(media?.type));
}
