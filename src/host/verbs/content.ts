// Loads the content of a URL or a file, and decodes it as text.

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
  readonly base: URL;
  readonly media: MediaType | undefined;
  readonly bytes: Uint8Array;
}

/** Rejects with `VerbError`: `status` for an answer other than 2xx, `too-large` beyond `maxBytes`, and all codes of the transfer. */
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

function assertSuccess({ status, url }: HttpAnswer): void {
  if (status < 200 || status > 299) throw new VerbError("status", `${url.host} answered with HTTP status ${status}`);
}

/** Throws `VerbError` `content` for anything but text, and names what it is. */
export function textOf({ bytes, media, uri }: Pick<Content, "bytes" | "media" | "uri">): DecodedText {
  const binary = findBinary(bytes, media);
  if (binary !== undefined) throw new VerbError("content", `${uri} is ${binary}, not text`);
  return decodeText(bytes, media?.charset, isHtml(media?.type));
}
