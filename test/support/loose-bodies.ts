// Recorded answers without their requests. No door can be tried with them, so they are read by their wire alone.

import type { WireName } from "../../src/core/vendors/table.js";
import { VENDORS } from "../../src/core/vendors/vendors.js";
import { toFrame } from "../../src/core/http/event-frames.js";
import { readSharedLines } from "./shared.js";

export interface LooseBody {
  readonly source: string;
  readonly provider: string;
  readonly format: "json" | "sse" | "ndjson" | "data-lines" | "text";
  readonly streaming: boolean;
  readonly body: string;
}

export function readLooseBodies(file = "response-only"): LooseBody[] {
  return readSharedLines<LooseBody>(`data/http/${file}.jsonl.gz`);
}

/** Some sources keep only the data of each event, one per line. This restores the framing. */
export function toSse(dataLines: string): string {
  return linesOf(dataLines)
    .map((line) => `data: ${line}\n\n`)
    .join("");
}

/** The bytes as the vendor sent them. */
export function looseBytes(loose: LooseBody): Buffer {
  if (loose.format !== "data-lines") return Buffer.from(loose.body);
  return wireOfLoose(loose) === "bedrock" ? toFrames(loose.body) : Buffer.from(toSse(loose.body));
}

/** Each line is an event by its type. */
function toFrames(dataLines: string): Buffer {
  const frames = linesOf(dataLines).map((line) => {
    const [[type = "", payload] = []] = Object.entries(JSON.parse(line) as Record<string, unknown>);
    const headers = { ":message-type": "event", ":event-type": type, ":content-type": "application/json" };
    return toFrame(headers, JSON.stringify(payload));
  });
  return Buffer.concat(frames);
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** Bodies of other endpoints, by their content. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/^(?:fake|echo)[\w-]*audio|-audio \n$/, "speech"],
  [/^ know by by that conference/, "transcriptions"],
  [/^\s*\{\s*(?:"model":\s*"voxtral[^"]*",\s*)?"text":/, "transcriptions"],
];

/** The endpoint of a body that is not a turn. */
export function endpointOfLoose({ provider, body }: LooseBody): string | undefined {
  if (provider === "gemini-interactions") return "Gemini interactions";
  if (provider === "gemini" && body.includes('"name": "cachedContents/')) return "cached contents of Gemini";
  return SHAPES.find(([pattern]) => pattern.test(body))?.[1];
}

/** Two of Ollama's are from its OpenAI-compatible API. */
export function wireOfLoose({ provider, body }: LooseBody): WireName {
  if (provider === "ollama" && body.startsWith('{"id":"chatcmpl')) return "openai";
  if (provider.includes("responses")) return "responses";
  const [name = ""] = provider.split("-");
  return name in VENDORS ? (name as WireName) : "openai";
}
