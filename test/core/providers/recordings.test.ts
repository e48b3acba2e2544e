import { describe, expect, it } from "vitest";
import { canonicalize } from "../../../src/core/canon/json.js";
import { AgentError } from "../../../src/core/errors.js";
import type { LlmTurnResponse } from "../../../src/core/model/provider.js";
import { findResponseFlaw } from "../../../src/core/model/response.js";
import { decodeAnthropic } from "../../../src/core/vendors/anthropic/decode.js";
import { decodeOllama } from "../../../src/core/vendors/ollama/decode.js";
import { decodeOpenAi } from "../../../src/core/vendors/openai/decode.js";
import { hasShared } from "../../support/shared.js";
import { exchangeFiles, readBodies, readExchanges } from "../../support/wire.js";

// What vendors really sent, decoded from the raw body here by the shortest means and compared with what the decoders say.

interface RawCall {
  id?: string;
  name?: string;
  input?: unknown;
  function?: { name?: string; arguments?: unknown };
}
interface RawBody {
  error?: unknown;
  choices?: {
    message: { content?: unknown; tool_calls?: RawCall[] | null; function_call?: { name?: string } | null };
  }[];
  content?: { type: string; text?: string; name?: string; input?: unknown }[];
  message?: { content?: string; tool_calls?: RawCall[] };
  usage?: { total_tokens?: number };
}

interface Wire {
  path: RegExp;
  decode: (json: unknown) => LlmTurnResponse;
  /** Names of the calls in the raw body. */
  names: (body: RawBody) => (string | undefined)[];
}

const wires: Record<string, Wire> = {
  openai: {
    path: /\/chat\/completions(\?|$)/,
    decode: decodeOpenAi,
    names(body) {
      const message = body.choices?.[0]?.message;
      if (message?.tool_calls?.length) return message.tool_calls.map((call) => call.function?.name);
      return message?.function_call?.name ? [message.function_call.name] : [];
    },
  },
  anthropic: {
    path: /\/v1\/messages(\?|$)/,
    decode: decodeAnthropic,
    names: (body) => (body.content ?? []).filter((block) => block.type === "tool_use").map((block) => block.name),
  },
  ollama: {
    path: /\/api\/chat$/,
    decode: decodeOllama,
    names: (body) => (body.message?.tool_calls ?? []).map((call) => call.function?.name),
  },
};

function bodiesOf(wire: Wire, file: string) {
  return readExchanges(file)
    .filter((exchange) => exchange.response.status === 200 && wire.path.test(exchange.request.url))
    .map((exchange) => ({ id: exchange.id, body: JSON.parse(exchange.response.body) as RawBody }));
}

describe.skipIf(!hasShared)("recorded answers", () => {
  const atLeast: Record<string, { responses: number; calls: number }> = {
    openai: { responses: 1100, calls: 350 },
    anthropic: { responses: 320, calls: 100 },
    ollama: { responses: 11, calls: 3 },
  };

  it.each(Object.entries(wires))(
    "PLK-31 every recorded %s answer becomes a response with all its tool calls",
    (vendor, wire) => {
      const seen = { responses: 0, calls: 0 };
      for (const file of exchangeFiles) {
        for (const { id, body } of bodiesOf(wire, file)) {
          if (body.error !== undefined) continue;
          const response = wire.decode(body);
          const calls = response.message.toolCalls ?? [];
          expect(findResponseFlaw(response), id).toBeUndefined();
          expect(() => canonicalize(response), id).not.toThrow();
          expect(
            calls.map((call) => call.name),
            id,
          ).toEqual(wire.names(body));
          expect(new Set(calls.map((call) => call.id)).size, id).toBe(calls.length);
          expect(
            calls.filter((call) => call.malformedArguments !== undefined),
            id,
          ).toEqual([]);
          expect(Object.hasOwn(response, "finalAnswer"), id).toBe(calls.length === 0);
          seen.responses += 1;
          seen.calls += calls.length;
        }
      }
      const { responses, calls } = atLeast[vendor] ?? { responses: 1, calls: 1 };
      expect(seen.responses).toBeGreaterThanOrEqual(responses);
      expect(seen.calls).toBeGreaterThanOrEqual(calls);
    },
  );

  it("keeps arguments as they were written", () => {
    let compared = 0;
    for (const file of exchangeFiles) {
      for (const { id, body } of bodiesOf(wires["openai"]!, file)) {
        const raw = body.choices?.[0]?.message.tool_calls ?? [];
        if (raw.length === 0) continue;
        const calls = decodeOpenAi(body).message.toolCalls ?? [];
        for (const [index, { function: named }] of raw.entries()) {
          expect(calls[index]?.arguments, id).toEqual(JSON.parse(String(named?.arguments)) ?? {});
          compared += 1;
        }
      }
      for (const { id, body } of bodiesOf(wires["anthropic"]!, file)) {
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
    for (const { id, body } of bodiesOf(wires["anthropic"]!, "anthropic")) {
      const texts = (body.content ?? []).map((block) => (block.type === "text" ? block.text : ""));
      expect(decodeAnthropic(body).message.content, id).toBe(texts.join(""));
    }
  });

  it("counts tokens that add up to the vendor's own total", () => {
    let exact = 0;
    let off = 0;
    for (const file of exchangeFiles) {
      for (const { body } of bodiesOf(wires["openai"]!, file)) {
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
    const errors = bodiesOf(wires["openai"]!, "cross-model-req_llm").filter(({ body }) => body.error !== undefined);
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
      for (const { decode } of Object.values(wires)) {
        try {
          expect(findResponseFlaw(decode(body))).toBeUndefined();
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
