// Sends every recorded exchange through its provider, and counts the outcomes in a Markdown table.

import { AgentError, LlmProviderHttpError } from "../../src/core/errors.js";
import type { LlmProviderAdapter, LlmTurnResponse } from "../../src/core/model/provider.js";
import { findResponseFlaw } from "../../src/core/model/response.js";
import { anthropicProvider, ollamaProvider, openaiProvider } from "../../src/core/vendors/providers.js";
import {
  readLooseBodies,
  readRecorded,
  toSse,
  wireOf,
  type LooseBody,
  type Recorded,
  type WireName,
} from "./exchanges.js";
import { apiKey, exchangeFiles, hello } from "./wire.js";

/** An exchange without a matching outcome. There must not be any. */
export const UNEXPLAINED = "unexplained";

export interface Counted {
  file: string;
  outcome: string;
  streamed: boolean;
}

/** All of `data/http`: the exchanges by file, then the bodies without a request. */
export async function countAll(): Promise<Counted[]> {
  const counted: Counted[] = [];
  for (const file of exchangeFiles) {
    for (const exchange of readRecorded(file)) {
      counted.push({ file, streamed: exchange.streaming, outcome: await outcomeOf(exchange) });
    }
  }
  for (const loose of readLooseBodies()) {
    counted.push({ file: "response-only", streamed: isStream(loose), outcome: await outcomeOfLoose(loose) });
  }
  return counted;
}

const ENDPOINTS: readonly [RegExp, string][] = [
  [/\/count_tokens(\?|$)/, "not ours: token counting"],
  [/\/api\/generate$/, "not ours: Ollama's completion of a plain prompt"],
];

async function outcomeOf({ request, response, streaming }: Recorded): Promise<string> {
  const wire = wireOf(request.url);
  if (wire === undefined) return ENDPOINTS.find(([path]) => path.test(request.url))?.[1] ?? UNEXPLAINED;
  const pieces = response.chunks ?? [response.body];
  return ask(wire, streaming, () => new Response(bodyOf(pieces), { status: response.status }));
}

/** Bodies of other endpoints, by their content. */
const SHAPES: readonly [RegExp, string][] = [
  [/^(fake|echo)[\w-]*audio|-audio \n$/, "not ours: speech"],
  [/^ know by by that conference/, "not ours: transcription as text"],
  [/^\s*\{\s*("model":\s*"voxtral[^"]*",\s*)?"text":/, "not ours: transcription"],
];

async function outcomeOfLoose(loose: LooseBody): Promise<string> {
  const shape = SHAPES.find(([pattern]) => pattern.test(loose.body));
  if (shape !== undefined) return shape[1];
  const wire = wireOfLoose(loose);
  const body = loose.format === "data-lines" ? toSse(loose.body) : loose.body;
  return ask(wire, isStream(loose), () => new Response(body));
}

/** One source kept streams under the name of JSON. */
function isStream({ streaming, body }: LooseBody): boolean {
  return streaming || body.startsWith("data:");
}

/** Two of Ollama's are from its OpenAI-compatible API. */
function wireOfLoose({ provider, body }: LooseBody): WireName {
  if (provider === "anthropic") return "anthropic";
  return provider === "ollama" && !body.startsWith('{"id":"chatcmpl') ? "ollama" : "openai";
}

/** A body that arrives in these pieces. */
export function bodyOf(pieces: readonly string[]): ReadableStream {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
}

/** The adapter of each wire, with a key and a model. */
export const BUILDERS: Record<WireName, (options: object) => LlmProviderAdapter> = {
  openai: (options) => openaiProvider({ apiKey, model: "m", ...options }),
  anthropic: (options) => anthropicProvider({ apiKey, model: "m", ...options }),
  ollama: (options) => ollamaProvider({ model: "m", ...options }),
};

async function ask(wire: WireName, streaming: boolean, answer: () => Response): Promise<string> {
  const ports = { warn: () => undefined };
  const provider = BUILDERS[wire]({ fetch: async () => answer(), streaming, ports });
  try {
    return describe(await provider.turn(hello));
  } catch (error) {
    return describeError(error);
  }
}

function describe(response: LlmTurnResponse): string {
  if (findResponseFlaw(response) !== undefined) return UNEXPLAINED;
  return (response.message.toolCalls ?? []).length > 0 ? "response with tool calls" : "response";
}

function describeError(error: unknown): string {
  if (error instanceof LlmProviderHttpError) return `error \`provider-http\`, status ${error.status}`;
  if (!(error instanceof AgentError)) return UNEXPLAINED;
  const isVendors = error.message.includes("answered with an error");
  return isVendors ? `error \`${error.code}\`, in an answer of status 200` : UNEXPLAINED;
}

/** One row for each file and outcome. */
export function toTable(counted: readonly Counted[]): string {
  const rows = [...new Set(counted.map(({ file }) => file))].flatMap((file) => {
    const own = counted.filter((item) => item.file === file);
    return [...new Set(own.map(({ outcome }) => outcome))].sort(byOutcome).map((outcome) => {
      const same = own.filter((item) => item.outcome === outcome);
      const streamed = same.filter((item) => item.streamed).length;
      return `| ${file} | ${outcome} | ${same.length - streamed} | ${streamed} |`;
    });
  });
  const streamed = counted.filter((item) => item.streamed).length;
  const unexplained = counted.filter(({ outcome }) => outcome === UNEXPLAINED).length;
  return [
    "| file | outcome | whole | streamed |",
    "| --- | --- | ---: | ---: |",
    ...rows,
    `| all | | ${counted.length - streamed} | ${streamed} |`,
    "",
    `${counted.length} exchanges, ${unexplained} unexplained.`,
  ].join("\n");
}

const ORDER = ["response", "error", "not ours", UNEXPLAINED];

function byOutcome(a: string, b: string): number {
  const place = (outcome: string) => ORDER.findIndex((begin) => outcome.startsWith(begin));
  return place(a) - place(b) || (a < b ? -1 : 1);
}
