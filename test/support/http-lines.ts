// Recorded HTTP traffic: the lines of `data/http`, with their bytes.

import { readSharedLines } from "./shared.js";

/** A request with its answer. */
export interface HttpLine {
  readonly id: string;
  readonly source: string;
  readonly index: number;
  readonly request: { method?: string; url: string; headers?: Headers; body?: string };
  readonly response: { status: number; headers?: Headers; body?: string; body_encoding?: "base64" };
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The lines of one file by their source, each source in its order. */
export function readSources(file: string): HttpLine[][] {
  const sources = new Map<string, HttpLine[]>();
  for (const line of readSharedLines<HttpLine>(`data/http/${file}`)) {
    const own = sources.get(line.source);
    if (own === undefined) sources.set(line.source, [line]);
    else own.push(line);
  }
  return [...sources.values()].map((lines) => lines.sort((one, other) => one.index - other.index));
}

export function readBytes({ response }: HttpLine): Buffer {
  return Buffer.from(response.body ?? "", response.body_encoding ?? "utf8");
}

/** The request as it comes to a door. Some recorders put a word in the place of the host, and one marks streams by a fragment. */
export function requestOf({ request }: HttpLine, body = request.body ?? "") {
  const [path = "/", search = ""] = request.url
    .replace(/^[a-z]+:\/\/[^/]*/i, "")
    .replace(/#.*$/, "")
    .split(/(?=\?)/);
  const type = typeOf(request.headers) ?? "application/json";
  return { method: request.method ?? "POST", path, search, type, bytes: new TextEncoder().encode(body) };
}

export function typeOf(headers: Headers = {}): string | undefined {
  const value = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  return typeof value === "string" ? value : value?.[0];
}

/** True for an answer in parts. Frames of Bedrock begin with a zero byte. A list of Gemini is read whole. */
export function isStreamed(bytes: Uint8Array): boolean {
  if (bytes[0] === 0) return true;
  try {
    JSON.parse(Buffer.from(bytes).toString());
    return false;
  } catch {
    return true;
  }
}
