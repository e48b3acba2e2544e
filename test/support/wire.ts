// Helpers that the tests of the vendor wires share: requests and options, the recorded exchanges, a server on this
// machine, and access to errors.

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { AgentError } from "../../src/core/errors.js";
import type { LlmProviderAdapter, LlmToolDefinition, LlmTurnRequest } from "../../src/core/model/provider.js";
import type { Vendor } from "../../src/core/vendors/vendor.js";
import { WIRE_NAMES, type WireName } from "../../src/core/vendors/table.js";
import { VENDORS, vendorProvider } from "../../src/core/vendors/vendors.js";
import { readSharedLines } from "./shared.js";

/** A text with the shape of a key. It is not a real key. */
export const apiKey = "sk-test-0123456789abcdef";

export const hello: LlmTurnRequest = { messages: [{ role: "user", content: "hello" }] };

export const weatherTool: LlmToolDefinition = {
  name: "weather",
  description: "The weather in a city.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** The `AgentError` that `run` throws or rejects with. Any other error is thrown again. */
export async function agentErrorOf(run: () => unknown): Promise<AgentError> {
  try {
    await run();
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** A server on the loopback interface, and the base URL to reach it. */
export async function listen(handler: RequestListener): Promise<{ baseURL: string; close(): Promise<void> }> {
  const server: Server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface Exchange {
  id: string;
  streaming: boolean;
  request: { url: string };
  response: { status: number; headers: Record<string, string | string[]>; body: string };
}

/** The files of `data/http` with turns. */
export const exchangeFiles: readonly string[] = [
  ...["openai", "azure-openai", "openai-compatible", "ollama-openai-compat", "cross-model-req_llm", "mistral", "xai"],
  ...["openai-responses", "azure-responses", "codex-responses", "responses-compatible"],
  ...["anthropic", "gemini", "vertex-gemini", "bedrock-converse", "bedrock-converse-stream", "cohere", "ollama"],
];

/** The provider of each wire, with a key and a model. */
export const BUILDERS = Object.fromEntries(
  Object.entries(VENDORS).map(([name, vendor]) => [
    name,
    (options: object = {}) => vendorProvider(vendor, { ...keyOf(vendor), model: "m", ...options }),
  ]),
) as Readonly<Record<WireName, (options?: object) => LlmProviderAdapter>>;

/** The wires whose vendor needs a key. */
export const KEYED_WIRES = WIRE_NAMES.filter((name) => "apiKey" in keyOf(VENDORS[name]));

function keyOf({ keyVariable }: Vendor): { apiKey?: string } {
  return keyVariable === undefined ? {} : { apiKey };
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

const exchanges = new Map<string, Exchange[]>();

/** The recorded exchanges of one file that were not streamed, read once. */
export function readExchanges(file: string): Exchange[] {
  const known = exchanges.get(file);
  if (known !== undefined) return known;
  const read = readSharedLines<Exchange>(`data/http/${file}.jsonl.gz`).filter((exchange) => !exchange.streaming);
  exchanges.set(file, read);
  return read;
}

/** Response bodies without their requests. */
export function readBodies(): string[] {
  const lines = readSharedLines<{ format: string; body: string }>("data/http/response-only.jsonl.gz");
  return lines.filter((line) => line.format === "json").map((line) => line.body);
}

/** The parts of a written answer as one body. */
export function bodyBytes(parts: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}
