import { describe, expect, it } from "vitest";
import { canonicalize } from "../../../src/core/canon/json.js";
import { AgentError } from "../../../src/core/errors.js";
import type { LlmTurnResponse } from "../../../src/core/model/provider.js";
import { findResponseFlaw } from "../../../src/core/model/response.js";
import { decodeAnthropic } from "../../../src/core/vendors/anthropic/decode.js";
import { decodeOpenAi } from "../../../src/core/vendors/openai/decode.js";
import type { WireName } from "../../../src/core/vendors/table.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { plainDecoding } from "../../../src/core/http/json-readers.js";
import { wireOf } from "../../support/exchanges.js";
import { hasShared } from "../../support/shared.js";
import { exchangeFiles, readBodies, readExchanges } from "../../support/wire.js";

// What vendors really sent, decoded from the raw body here by the shortest means and compared with what the decoders say.

interface RawCall {
  type?: string;
  id?: string;
  name?: string;
  input?: unknown;
  function?: { name?: string; arguments?: unknown };
}
interface RawBody {
  error?: unknown;
  status?: string;
  choices?: {
    message: { content?: unknown; tool_calls?: RawCall[] | null; function_call?: { name?: string } | null };
  }[];
  content?: { type: string; text?: string; name?: string; input?: unknown }[];
  message?: { content?: unknown; tool_calls?: RawCall[] };
  output?: { type: string; name?: string }[] & { message?: { content?: { toolUse?: RawCall }[] } };
  candidates?: { content?: { parts?: { functionCall?: RawCall }[] } }[];
  usage?: { total_tokens?: number };
}

/** The names of the calls in the raw body of each wire. */
const NAMES: Record<WireName, (body: RawBody) => (string | undefined)[]> = {
  openai(body) {
    const message = body.choices?.[0]?.message;
    if (message?.tool_calls?.length) return message.tool_calls.map((call) => call.function?.name);
    return message?.function_call?.name ? [message.function_call.name] : [];
  },
  responses: ({ output = [] }) =>
    output.filter(({ type }) => /^(?:function|custom_tool)_call$/.test(type)).map(({ name }) => name),
  anthropic: ({ content = [] }) => content.filter((block) => block.type === "tool_use").map((block) => block.name),
  gemini: ({ candidates }) =>
    (candidates?.[0]?.content?.parts ?? []).flatMap(({ functionCall }) => functionCall?.name ?? []),
  bedrock: ({ output }) =>
    (output?.message?.content ?? []).flatMap(({ toolUse }) =>
      toolUse?.type === "server_tool_use" ? [] : (toolUse?.name ?? []),
    ),
  cohere: ({ message }) => (message?.tool_calls ?? []).map((call) => call.function?.name),
  ollama: ({ message }) => (message?.tool_calls ?? []).map((call) => call.function?.name),
};

/** False for text that was cut at the limit of tokens, and for the free text of a custom tool. */
function isObject(text: unknown): boolean {
  return typeof parseOr(String(text)) === "object";
}

function decode(wire: WireName, body: unknown): LlmTurnResponse {
  return VENDORS[wire].format.decode(body, plainDecoding);
}

function bodiesOf(wire: WireName, file: string) {
  return readExchanges(file)
    .filter(({ response, request }) => response.status === 200 && wireOf(request.url) === wire)
    .filter(({ response }) => response.body.startsWith("{") || response.body.startsWith("\n"))
    .map((exchange) => ({ id: exchange.id, body: JSON.parse(exchange.response.body) as RawBody }));
}

describe.skipIf(!hasShared)("recorded answers", () => {
  const atLeast: Record<string, { responses: number; calls: number }> = {
    openai: { responses: 1100, calls: 350 },
    responses: { responses: 590, calls: 180 },
    anthropic: { responses: 320, calls: 100 },
    gemini: { responses: 500, calls: 150 },
    bedrock: { responses: 180, calls: 60 },
    cohere: { responses: 50, calls: 15 },
    ollama: { responses: 11, calls: 3 },
  };

  it.each(Object.entries(NAMES) as [WireName, (typeof NAMES)[WireName]][])(
    "PLK-31 every recorded %s answer becomes a response with all its tool calls",
    (wire, namesOf) => {
      const seen = { responses: 0, calls: 0 };
      for (const file of exchangeFiles) {
        for (const { id, body } of bodiesOf(wire, file)) {
          if ((body.error ?? null) !== null || body.status === "queued") continue;
          const response = decode(wire, body);
          const calls = response.message.toolCalls ?? [];
          expect(findResponseFlaw(response), id).toBeUndefined();
          expect(() => canonicalize(response), id).not.toThrow();
          expect(
            calls.map((call) => call.name),
            id,
          ).toEqual(namesOf(body));
          expect(new Set(calls.map((call) => call.id)).size, id).toBe(calls.length);
          for (const { malformedArguments: text } of calls)
            if (text !== undefined) expect(isObject(text), id).toBe(false);
          expect(Object.hasOwn(response, "finalAnswer"), id).toBe(calls.length === 0);
          seen.responses += 1;
          seen.calls += calls.length;
        }
      }
      const { responses, calls } = atLeast[wire] ?? { responses: 1, calls: 1 };
      expect(seen.responses).toBeGreaterThanOrEqual(responses);
      expect(seen.calls).toBeGreaterThanOrEqual(calls);
    },
  );

  it("keeps arguments as they were written", () => {
    let compared = 0;
    for (const file of exchangeFiles) {
      for (const { id, body } of bodiesOf("openai", file)) {
        const raw = body.choices?.[0]?.message.tool_calls ?? [];
        if (raw.length === 0 || !raw.every((call) => isObject(call.function?.arguments))) continue;
        const calls = decodeOpenAi(body).message.toolCalls ?? [];
        for (const [index, { function: named }] of raw.entries()) {
          expect(calls[index]?.arguments, id).toEqual(JSON.parse(String(named?.arguments)) ?? {});
          compared += 1;
        }
      }
      for (const { id, body } of bodiesOf("anthropic", file)) {
        const raw = (body.content ?? []).filter((block) => block.type === "tool_use");
        const calls = decodeAnthropic(body).message.toolCalls ?? [];
        expect(
          calls.map((call) => call.arguments),
          id,
        ).toEqual(raw.map((block) => block.input));
        compared += raw.length;
      }
    }
    expect(compared).toBeGreaterThan(450);
  });

  it("keeps the text of every Anthropic answer, block after block", () => {
    for (const { id, body } of bodiesOf("anthropic", "anthropic")) {
      const texts = (body.content ?? []).map((block) => (block.type === "text" ? block.text : ""));
      expect(decodeAnthropic(body).message.content, id).toBe(texts.join(""));
    }
  });

  it("counts tokens that add up to the vendor's own total", () => {
    let exact = 0;
    let off = 0;
    for (const file of exchangeFiles) {
      for (const { body } of bodiesOf("openai", file)) {
        const total = body.usage?.total_tokens;
        if (body.error !== undefined || total === undefined) continue;
        const { usage } = decodeOpenAi(body);
        if ((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) === total) exact += 1;
        else off += 1;
      }
    }
    // Three gateways count something in the total that they name nowhere else.
    expect(off).toBe(3);
    expect(exact).toBeGreaterThan(1100);
  });

  it("refuses every error that came with status 200, with the vendor's words", () => {
    const errors = bodiesOf("openai", "cross-model-req_llm").filter(({ body }) => body.error !== undefined);
    expect(errors.length).toBe(2);
    for (const { body } of errors) {
      expect(() => decodeOpenAi(body)).toThrow(AgentError);
      expect(() => decodeOpenAi(body)).toThrow(/answered with an error: 502: ./);
    }
  });

  it("answers every recorded body, whatever its endpoint and status, with a response or a typed error", () => {
    const exchanged = exchangeFiles.flatMap((file) => readExchanges(file).map((exchange) => exchange.response.body));
    const outcomes = { responses: 0, errors: 0 };
    for (const text of [...exchanged, ...readBodies()]) {
      const body = parseOr(text);
      for (const wire of Object.keys(NAMES) as WireName[]) {
        try {
          expect(findResponseFlaw(decode(wire, body))).toBeUndefined();
          outcomes.responses += 1;
        } catch (error) {
          expect(error, text.slice(0, 200)).toBeInstanceOf(AgentError);
          outcomes.errors += 1;
        }
      }
    }
    expect(outcomes.responses).toBeGreaterThan(1500);
    expect(outcomes.errors).toBeGreaterThan(3000);
  });
});

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
