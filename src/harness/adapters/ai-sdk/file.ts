// A file in a prompt or an answer. The three versions of the interface spell one differently; here it is one JSON object, so that
// a recording made under one is replayed under another.

import { toBase64, type JsonObject } from "../../../core/index.js";
import { type Loose, optional, toJson, toLoose, toText } from "../loose.js";
import { refusePart } from "./extras.js";
import type { SpecVersion } from "./spec.js";

/** Exactly one of `data` (base64), `url`, `reference` and `text` is there. */
export function readFile(part: Loose): JsonObject {
  return {
    ...optional("mediaType", part["mediaType"]),
    ...optional("filename", part["filename"]),
    ...readData(part["data"] ?? part["url"] ?? part["fileId"], part),
  };
}

function readData(data: unknown, part: Loose): JsonObject {
  if (data instanceof URL) return { url: toText(part["originalUrl"]) || data.href };
  if (data instanceof Uint8Array) return { data: toBase64(data) };
  const type = toText(part["type"]);
  if (typeof data === "string" && type.endsWith("-url")) return { url: data };
  if (type.endsWith("file-id")) return { reference: toJson(data) };
  if (typeof data === "string") return { data };
  const tagged = toLoose(data);
  switch (tagged["type"]) {
    case "data":
      return readData(tagged["data"], {});
    case "url":
      return { url: toText(tagged["originalUrl"]) || String(tagged["url"]) };
    case "reference":
      return { reference: toJson(tagged["reference"]) };
    case "text":
      return { text: toText(tagged["text"]) };
  }
  return refusePart("a file", "its data is neither bytes, base64, a URL nor a reference");
}

/** The fields of a file part of a message, or of an answer. */
export function writeFile(file: Loose, version: SpecVersion): JsonObject {
  const { mediaType, filename } = file;
  return {
    mediaType: toText(mediaType) || "application/octet-stream",
    ...optional("filename", filename),
    ...writeData(file, version),
  };
}

function writeData({ data, url, reference, text }: Loose, version: SpecVersion): JsonObject {
  if (typeof data === "string") return { data: version === "v4" ? { type: "data", data } : data };
  if (typeof url === "string") {
    const parsed = toUrl(url);
    const spelled = parsed.href === url ? {} : { originalUrl: url };
    const link = parsed as unknown as JsonObject;
    return version === "v4" ? { data: { type: "url", url: link, ...spelled } } : { data: link, ...spelled };
  }
  const tagged: JsonObject =
    reference === undefined
      ? { type: "text", text: toText(text) }
      : { type: "reference", reference: toJson(reference) };
  return version === "v4"
    ? { data: tagged }
    : refusePart(`a file by ${toText(tagged["type"])}`, `its model is ${version}`);
}

function toUrl(url: string): URL {
  return URL.canParse(url) ? new URL(url) : refusePart("a file", "its URL is none");
}

/** A file within the result of a tool, which has names of its own in each version. */
export function writeResultFile(file: Loose, version: SpecVersion): JsonObject {
  if (version === "v4") return { type: "file", ...writeFile(file, version) };
  const { mediaType, filename, data, url, reference } = file;
  const kind = { ...optional("mediaType", mediaType), ...optional("filename", filename) };
  if (typeof data === "string") return { type: version === "v2" ? "media" : "file-data", data, ...kind };
  if (version === "v3" && typeof url === "string") return { type: "file-url", url, ...kind };
  if (version === "v3" && reference !== undefined) return { type: "file-id", fileId: toJson(reference) };
  return refusePart("a file in the result of a tool", `its model is ${version}`);
}
