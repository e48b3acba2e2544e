import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { LlmStreamEvent } from "../../../src/core/model/provider.js";
import { anthropicProvider, ollamaProvider, openaiProvider } from "../../../src/core/vendors/providers.js";
import { namedSse, sse } from "../../support/exchanges.js";
import { gate } from "../../support/loop.js";
import { agentErrorOf, apiKey, hello } from "../../support/wire.js";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const delta = (text: string) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
const openAiChunk = (content: string, finish_reason: string | null = null) => ({
  model: "gpt-4o",
  choices: [{ index: 0, delta: { content }, finish_reason }],
});

/** How each vendor streams "It rains.", what it says when it does not stream, and what is asked of it. */
const vendors = [
  {
    name: "openai",
    build: (options: object) => openaiProvider({ apiKey, model: "gpt-4o", ...options }),
    url: "https://api.openai.com/v1/chat/completions",
    pieces: [sse(openAiChunk("It ")), sse(openAiChunk("rains."), openAiChunk("", "stop"), "[DONE]")],
    whole: { model: "gpt-4o", choices: [{ message: { content: "It rains." }, finish_reason: "stop" }] },
    asks: { stream: true, stream_options: { include_usage: true } },
  },
  {
    name: "anthropic",
    build: (options: object) => anthropicProvider({ apiKey, model: "claude", ...options }),
    url: "https://api.anthropic.com/v1/messages",
    pieces: [
      namedSse({ type: "message_start", message: { model: "claude", content: [] } } as { type: string }, delta("It ")),
      namedSse(delta("rains."), { type: "message_delta", delta: { stop_reason: "end_turn" } } as { type: string }) +
        namedSse({ type: "message_stop" }),
    ],
    whole: { model: "claude", content: [{ type: "text", text: "It rains." }], stop_reason: "end_turn" },
    asks: { stream: true },
  },
  {
    name: "ollama",
    build: (options: object) => ollamaProvider({ model: "llama3.1", ...options }),
    url: "http://localhost:11434/api/chat",
    pieces: [
      '{"model":"llama3.1","message":{"content":"It "},"done":false}\n',
      '{"model":"llama3.1","message":{"content":"rains."},"done":true}\n',
    ],
    whole: { model: "llama3.1", message: { content: "It rains." }, done: true },
    asks: { stream: true },
  },
] as const;

const quiet = { ports: { warn: () => undefined } };

async function eventsOf(events: AsyncIterable<LlmStreamEvent>): Promise<LlmStreamEvent[]> {
  const all: LlmStreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

type End = "open" | "close" | Promise<void>;

/** A body that after its pieces stays open, ends, or breaks when the promise is kept. */
function bodyOf(pieces: readonly string[], end: End): ReadableStream {
  const encoder = new TextEncoder();
  let index = 0;
  return new ReadableStream({
    async pull(controller) {
      const piece = pieces[index++];
      if (piece !== undefined) return controller.enqueue(encoder.encode(piece));
      if (end === "close") return controller.close();
      if (end === "open") return;
      await end;
      controller.error(new Error("reset"));
    },
  });
}

describe.each(vendors)("$name, streamed", ({ build, url, pieces, whole, asks }) => {
  const answer = (end: End, some: readonly string[] = pieces) => {
    const bodies: Record<string, unknown>[] = [];
    server.use(
      http.post(url, async ({ request }) => {
        bodies.push((await request.json()) as Record<string, unknown>);
        return new HttpResponse(bodyOf(some, end));
      }),
    );
    return bodies;
  };

  it("stream gives deltas and, last, the response that turn gives", async () => {
    server.use(http.post(url, () => HttpResponse.json(whole)));
    const expected = await build(quiet).turn(hello);
    const bodies = answer("close");
    const events = await eventsOf(build(quiet).stream!(hello));
    expect(events).toEqual([
      { type: "text-delta", text: "It " },
      { type: "text-delta", text: "rains." },
      { type: "response", response: expected },
    ]);
    expect(events.at(-1)).toStrictEqual({ type: "response", response: expected });
    expect(bodies).toMatchObject([asks]);
  });

  it("turn with streaming streams inside and gives the response alone", async () => {
    const bodies = answer("close");
    const response = await build({ ...quiet, streaming: true }).turn(hello);
    expect(response).toMatchObject({ finalAnswer: "It rains.", stopReason: "stop" });
    expect(bodies).toMatchObject([asks]);
  });

  it("turn without streaming asks for none", async () => {
    const bodies: unknown[] = [];
    server.use(
      http.post(url, async ({ request }) => {
        bodies.push(await request.json());
        return HttpResponse.json(whole);
      }),
    );
    await build(quiet).turn(hello);
    expect(bodies).not.toMatchObject([{ stream: true }]);
  });

  it("is over at the vendor's end mark, even where the connection stays open", async () => {
    answer("open");
    expect(await build({ ...quiet, streaming: true }).turn(hello)).toMatchObject({ finalAnswer: "It rains." });
  });

  it("PLK-32 a stream that breaks after words says that they were heard", async () => {
    const broken = gate();
    answer(broken.opened, pieces.slice(0, 1));
    const heard: LlmStreamEvent[] = [];
    const error = await agentErrorOf(async () => {
      for await (const event of build(quiet).stream!(hello)) {
        heard.push(event);
        broken.open();
      }
    });
    expect(heard).toEqual([{ type: "text-delta", text: "It " }]);
    expect(error).toMatchObject({
      code: "provider-response",
      retryable: true,
      responseStarted: true,
      kind: "unavailable",
    });
    expect(error.message).toContain("broke off its answer");
    expect(error.cause).toBeDefined();
  });

  it("a stream that breaks inside turn was heard by nobody", async () => {
    answer(Promise.resolve(), pieces.slice(0, 1));
    const error = await agentErrorOf(() => build({ ...quiet, streaming: true }).turn(hello));
    expect(error).toMatchObject({ code: "provider-response", retryable: true, responseStarted: false });
  });

  it("a stream that ends early was cut", async () => {
    answer("close", pieces.slice(0, 1));
    const error = await agentErrorOf(() => eventsOf(build(quiet).stream!(hello)));
    expect(error).toMatchObject({ code: "provider-response", retryable: true, responseStarted: true });
    expect(error.message).toContain("ended before its answer was whole");
  });

  it("PLK-29 an abort in mid-stream is aborted, not retried", async () => {
    answer("open", pieces.slice(0, 1));
    const controller = new AbortController();
    const error = await agentErrorOf(async () => {
      for await (const _event of build(quiet).stream!({ ...hello, signal: controller.signal })) controller.abort();
    });
    expect(error).toMatchObject({ code: "aborted", retryable: false, responseStarted: true });
  });

  it("PLK-30 a silence is a timeout", async () => {
    answer("open", pieces.slice(0, 1));
    const error = await agentErrorOf(() => eventsOf(build({ ...quiet, timeoutMs: 200 }).stream!(hello)));
    expect(error).toMatchObject({ code: "timeout", retryable: true });
    expect(error.message).toContain("sent nothing for 200 ms");
  });

  it("an error status before the first word is the same as without streaming", async () => {
    server.use(http.post(url, () => HttpResponse.json({ error: { message: "slow down" } }, { status: 429 })));
    const error = await agentErrorOf(() => eventsOf(build(quiet).stream!(hello)));
    expect(error).toMatchObject({ name: "LlmProviderHttpError", status: 429, retryable: true, responseStarted: false });
  });

  it("sends when it is first read, and not before", async () => {
    let sent = 0;
    const fetch = async () => (sent++, new Response(pieces.join("")));
    const events = build({ ...quiet, fetch }).stream!(hello);
    expect(sent).toBe(0);
    await eventsOf(events);
    expect(sent).toBe(1);
  });
});

describe("openai's include_usage", () => {
  const bodyFrom = async (options: object): Promise<unknown> => {
    let sent: unknown;
    const fetch = async (_url: unknown, init?: RequestInit) => {
      sent = JSON.parse(String(init?.body));
      return new Response(sse(openAiChunk("hi", "stop"), "[DONE]"));
    };
    const provider = openaiProvider({ apiKey, model: "m", streaming: true, fetch, ...quiet, ...options });
    await provider.turn(hello);
    return sent;
  };

  it("is asked for, but not at hosts that report usage unasked", async () => {
    const asked = { stream: true, stream_options: { include_usage: true } };
    expect(await bodyFrom({})).toMatchObject(asked);
    expect(await bodyFrom({ baseURL: "https://openrouter.ai/api/v1" })).toMatchObject(asked);
    for (const host of ["api.mistral.ai/v1", "api.perplexity.ai"]) {
      expect(await bodyFrom({ baseURL: `https://${host}` })).not.toHaveProperty("stream_options");
    }
  });

  it("can be set", async () => {
    expect(await bodyFrom({ includeUsage: false })).not.toHaveProperty("stream_options");
    expect(await bodyFrom({ includeUsage: true, baseURL: "https://api.mistral.ai/v1" })).toHaveProperty(
      "stream_options",
    );
  });
});

describe("the option streaming", () => {
  it("is refused if it is not a boolean", async () => {
    const error = await agentErrorOf(() => openaiProvider({ apiKey, model: "m", streaming: "yes" as never }));
    expect(error.message).toContain(`streaming is "yes": give true or false`);
  });
});
