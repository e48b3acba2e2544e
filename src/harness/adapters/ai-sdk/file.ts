// A file in a prompt or an answer. The three versions of the interface write one differently; here it is one JSON object, so that a
// recording made under one version replays under another.

import { toBase64, type JsonObject } from "../../../core/index.js";
import { type Loose, optional, toJson, toLoose, asText } from "../loose.js";
import { refuse } from "./extras.js";
import type { SpecVersion } from "./sdk-types.js";

/** Reads a file. Exactly one of `data` (base64), `url`, `reference` and `text` is set. */
export function readFile(part: Loose): JsonObject {
  return {
    ...optional({ mediaType: part["mediaType"], filename: part["filename"] }),
    ...readData(part["data"] ?? part["url"] ?? part["fileId"], part),
  };
}

function readData(data: unknown, part: Loose): JsonObject {
  if (data instanceof URL) return { url: asText(part["originalUrl"]) || data.href };
  if (data instanceof Uint8Array) return { data: toBase64(data) };
  const type = asText(part["type"]);
  if (typeof data === "string" && type.endsWith("-url")) return { url: data };
  if (type.endsWith("file-id")) return { reference: toJson(data) };
  if (typeof data === "string") return { data };
  const tagged = toLoose(data);
  switch (tagged["type"]) {
    case "data":
      return readData(tagged["data"], {});
    case "url":
      return { url: asText(tagged["originalUrl"]) || String(tagged["url"]) };
    case "reference":
      return { reference: toJson(tagged["reference"]) };
    case "text":
      return { text: asText(tagged["text"]) };
  }
  return refuse("a file", "its data must be bytes, base64, a URL or a reference");
}

export function writeFile(file: Loose, version: SpecVersion): JsonObject {
  const { mediaType, filename } = file;
  const type = asText(mediaType) || "application/octet-stream";
  return { mediaType: type, ...optional({ filename }), ...writeData(file, version) };
}

function writeData({ data, url, reference, text }: Loose, version: SpecVersion): JsonObject {
  if (typeof data === "string") return { data: version === "v4" ? { type: "data", data } : data };
  if (typeof url === "string") {
    if (!URL.canParse(url)) refuse("a file", "its URL is invalid");
    const parsed = new URL(url);
    const spelled = parsed.href === url ? {} : { originalUrl: url };
    const link = parsed as unknown as JsonObject;
    return version === "v4" ? { data: { type: "url", url: link, ...spelled } } : { data: link, ...spelled };
  }
  const tagged: JsonObject =
    reference === undefined
      ? { type: "text", text: asText(text) }
      : { type: "reference", reference: toJson(reference) };
  if (version === "v4") return { data: tagged };
  return refuse(`a file by ${asText(tagged["type"])}`, `the model has version ${version}`);
}

export function writeResultFile(file: Loose, version: SpecVersion): JsonObject {
  if (version === "v4") return { type: "file", ...writeFile(file, version) };
  const { mediaType, filename, data, url, reference } = file;
  const kind = optional({ mediaType, filename });
  if (typeof data === "string") return { type: version === "v2" ? "media" : "file-data", data, ...kind };
  if (version === "v3" && typeof url === "string") return { type: "file-url", url, ...kind };
  if (version === "v3" && reference !== undefined) return { type: "file-id", fileId: toJson(reference) };
  return refuse("a file in the result of a tool", `the model has version ${version}`);
}
