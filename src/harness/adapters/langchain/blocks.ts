// Content blocks of LangChain as parts of our messages: its standard blocks of version 1, its data blocks of version 0, and the
// vendors' own blocks, which their packages pass through.

import type { ContentPart, Reasoning } from "../../../core/index.js";
import { toLoose, type Loose } from "../loose.js";
import { isEmpty, listOf, refuse, textAt, type Ignored } from "./fields.js";

/** Loose of a block that the model does not read. */
const BOOKKEEPING = ["type", "id", "index", "cache_control", "annotations", "citations"];

/** The blocks of a message; a text is one block. Throws `cannot-convert` for other content. */
export function blocksOf(content: unknown, place: string): Loose[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return refuse(place, "has content that must be a text or a list of blocks");
  return content.map((block) => (typeof block === "string" ? { type: "text", text: block } : toLoose(block)));
}

export function typeOf(block: Loose): string {
  return typeof block["type"] === "string" ? block["type"] : "";
}

/** The text of a block. Refuses other fields with a meaning. */
export function textOf(block: Loose, place: string, ignore: Ignored): string {
  assertOnly(block, ["text"], place, ignore);
  return textAt(block["text"], `${place} (a text block)`);
}

/** The joined texts of a message that may hold nothing else. */
export function textsOf(content: unknown, place: string, ignore: Ignored): string {
  return blocksOf(content, place)
    .filter((block) => !ignore.includes(typeOf(block)))
    .map((block) => (typeOf(block) === "text" ? textOf(block, place, ignore) : refuseBlock(block, place)))
    .join("");
}

export function partOf(block: Loose, place: string, ignore: Ignored): ContentPart {
  switch (typeOf(block)) {
    case "text":
      return { type: "text", text: textOf(block, place, ignore) };
    case "image_url":
      return imageUrlOf(block, place, ignore);
    case "image":
      return imageOf(block, place, ignore);
  }
  return refuseBlock(block, place);
}

/** OpenAI's form: a URL, or bytes in one. */
function imageUrlOf(block: Loose, place: string, ignore: Ignored): ContentPart {
  assertOnly(block, ["image_url"], place, ignore);
  const given = block["image_url"];
  const { url, detail } = typeof given === "string" ? { url: given, detail: undefined } : toLoose(given);
  if (!isEmpty(detail) && detail !== "auto" && !ignore.includes("detail")) {
    refuse(place, `has an image with the detail ${JSON.stringify(detail)}`, "detail");
  }
  const text = textAt(url, `${place} (the URL of an image)`);
  const inline = /^data:([^;,]*);base64,([^]*)$/.exec(text);
  if (inline === null) return { type: "image", url: text };
  return { type: "image", mediaType: inline[1] ?? "", data: inline[2] ?? "" };
}

/** LangChain's two forms, and Anthropic's. */
function imageOf(block: Loose, place: string, ignore: Ignored): ContentPart {
  assertOnly(block, ["source", "source_type", "url", "data", "mime_type", "mimeType"], place, ignore);
  const source = "source" in block ? toLoose(block["source"]) : block;
  if (typeof source["url"] === "string") return { type: "image", url: source["url"] };
  const mediaType = source["mimeType"] ?? source["mime_type"] ?? source["media_type"];
  const { data } = source;
  if (typeof data !== "string") return refuse(place, "has an image that must be a URL or base64 text");
  return { type: "image", mediaType: textAt(mediaType, `${place} (the media type of an image)`), data };
}

export function thoughtOf(block: Loose, place: string, ignore: Ignored): Reasoning | undefined {
  switch (typeOf(block)) {
    case "thinking":
    case "reasoning": {
      assertOnly(block, [typeOf(block), "signature"], place, ignore);
      const { signature } = block;
      const text = textAt(block[typeOf(block)], `${place} (reasoning)`);
      return { type: "text", text, ...(typeof signature === "string" ? { signature } : {}) };
    }
    case "redacted_thinking":
      assertOnly(block, ["data"], place, ignore);
      return { type: "redacted", data: textAt(block["data"], `${place} (redacted reasoning)`) };
  }
  return undefined;
}

/** Throws for a block of a kind that our messages cannot hold. */
export function refuseBlock(block: Loose, place: string): never {
  const type = typeOf(block);
  return refuse(place, type === "" ? "has a block without a type" : `has a block of type "${type}"`, type || undefined);
}

function assertOnly(block: Loose, known: readonly string[], place: string, ignore: Ignored): void {
  const other = Object.keys(block).find(
    (key) => !known.includes(key) && !BOOKKEEPING.includes(key) && !ignore.includes(key) && !isEmpty(block[key]),
  );
  if (other !== undefined) refuse(place, `has a block of type "${typeOf(block)}" with ${other}`, other);
  // The text is complete without its citations, so `ignore` may give them up.
  const cited = ["annotations", "citations"].find((key) => listOf(block[key]).length > 0 && !ignore.includes(key));
  if (cited !== undefined) refuse(place, `has a block of type "${typeOf(block)}" with ${cited}`, cited);
}
