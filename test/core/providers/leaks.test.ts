// Every way by which a key could get into an error or a warning: none holds it, or a piece of eight characters of it.

import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { AgentError, LlmProviderHttpError } from "../../../src/core/errors.js";
import { anthropicProvider, openaiProvider } from "../../../src/core/vendors/providers.js";
import { agentErrorOf, hello } from "../../support/wire.js";

/** Of no shape that a vendor's keys have, so that only knowing it masks it. */
const apiKey = "qZ7wXk2/vB9+mTr4LpYc8sHd";

function expectNoKey(value: unknown): void {
  const shown = [inspect(value, { depth: 10, showHidden: true, getters: true }), JSON.stringify(value), String(value)];
  if (value instanceof Error) shown.push(value.stack ?? "", inspect(value.cause, { depth: 10 }));
  for (let at = 0; at + 8 <= apiKey.length; at++) {
    for (const text of shown) expect(text).not.toContain(apiKey.slice(at, at + 8));
  }
}

type Fetch = typeof globalThis.fetch;

/** What `turn` and `stream` reject with for one transport, none of it holding the key. */
async function errorsOf(fetch: Fetch | undefined, baseURL = "http://localhost:9"): Promise<AgentError[]> {
  const options = { apiKey, model: "m", baseURL, ports: { warn: () => undefined } };
  const errors: AgentError[] = [];
  for (const streaming of [false, true]) {
    for (const build of [openaiProvider, anthropicProvider]) {
      const provider = build({ ...options, streaming, ...(fetch === undefined ? {} : { fetch }) });
      const error = await agentErrorOf(() => provider.turn(hello));
      expectNoKey(error);
      errors.push(error);
    }
  }
  return errors;
}

const answer =
  (text: string, status = 200): Fetch =>
  async () =>
    new Response(text, { status });

describe("no error holds the key", () => {
  let close: () => void = () => undefined;
  afterEach(() => close());
  const serveRaw = async (reply: (key: string) => string): Promise<string> => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("data", (head) => {
        const key = /(?:bearer|x-api-key:) ?(\S+)/i.exec(head.toString())?.[1] ?? "";
        socket.end(reply(key));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    close = () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    };
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it.each<[string, (key: string) => string]>([
    ["an invalid status line", (key) => `HTTP/1.1 ${key}\r\n\r\n`],
    ["an invalid header", (key) => `HTTP/1.1 200 OK\r\n${key}\r\n\r\n`],
    ["bytes after the body", (key) => `HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}${key}`],
    ["an invalid chunk size", (key) => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${key}\r\n`],
    ["a redirect", (key) => `HTTP/1.1 307 X\r\nlocation: http://localhost:1/${key}\r\ncontent-length: 0\r\n\r\n`],
    ["a body that is the key", (key) => `HTTP/1.1 200 OK\r\ncontent-length: ${key.length}\r\n\r\n${key}`],
  ])("of a server that sends it back in %s", async (_name, reply) => {
    const errors = await errorsOf(
      undefined,
      await serveRaw((key) => {
        expect(key).toBe(apiKey);
        return reply(key);
      }),
    );
    for (const error of errors) expect(error.code).toBe("provider-response");
  });

  it.each([
    ["the key", apiKey],
    ["the end of the key", apiKey.slice(6)],
    ["words around the middle of it", `{"a": ${apiKey.slice(4, 16)} }`],
    ["JSON that breaks after it", `{"choices":"${apiKey}`],
    ["a stream of it", `data: ${apiKey}\n\n`],
    ["an error in a stream", `event: error\ndata: ${apiKey}\n\n`],
    ["an error body", JSON.stringify({ error: { type: apiKey, message: `no ${apiKey}` } })],
  ])("of an answer that is %s", async (_name, text) => {
    for (const error of await errorsOf(answer(text))) expect(error.code).toBe("provider-response");
  });

  it.each([
    ["whole", `wrong key ${apiKey}`],
    ["in JSON", JSON.stringify({ error: { code: apiKey, type: apiKey, message: `wrong key ${apiKey}` } })],
    ["cut at both ends", `wrong key ...${apiKey.slice(3, 20)}...`],
  ])("of a refusal that quotes it %s", async (_name, text) => {
    for (const error of await errorsOf(answer(text, 401))) expect(error).toMatchObject({ status: 401 });
  });

  it("of a refusal in which the end of what is read cuts it, wherever", async () => {
    for (let length = 4; length < apiKey.length; length++) {
      // Keys of another shape are masked, so that the end of 8,192 bytes comes into the snippet.
      const filler = "sk-aaaa".padEnd(8_192 - length - 1, "a") + " ";
      const [error] = await errorsOf(answer(filler + apiKey, 401));
      expect((error as LlmProviderHttpError).bodySnippet).toBe("***");
    }
  });

  it.each<[string, unknown]>([
    ["an error with it in its words", new Error(`bad header Bearer ${apiKey}`)],
    [
      "an error with the request on it",
      Object.assign(new Error("x"), { config: { headers: { authorization: apiKey } } }),
    ],
    [
      "an error over another",
      new TypeError("fetch failed", { cause: Object.assign(new Error(apiKey), { data: apiKey }) }),
    ],
    ["an error with it as name and code", Object.assign(new Error("x"), { name: apiKey, code: apiKey })],
    ["an error in a list", new AggregateError([new Error(apiKey)], "")],
    ["a text", apiKey],
    ["an object", { apiKey, toString: () => apiKey }],
  ])("of a fetch that rejects with %s", async (_name, thrown) => {
    const fetch: Fetch = () => Promise.reject(thrown as Error);
    for (const error of await errorsOf(fetch)) {
      expect(error).toMatchObject({ code: "provider-response", retryable: true });
      expect(error.cause).not.toBe(thrown);
    }
  });

  it("of a body that breaks off with it", async () => {
    const fetch: Fetch = async () =>
      new Response(new ReadableStream({ pull: (controller) => controller.error(new Error(apiKey)) }));
    for (const error of await errorsOf(fetch)) expect(error.message).toContain("broke off its answer");
  });
});

describe("a fetch of the caller", () => {
  const trap = () => {
    throw new Error("trap");
  };
  const lockedBody = () => {
    const response = new Response("{}");
    response.body?.getReader();
    return response;
  };

  it.each<[string, () => unknown]>([
    ["undefined", () => undefined],
    ["null", () => null],
    ["a text", () => "{}"],
    ["an empty object", () => ({})],
    ["a response whose body is locked", lockedBody],
    [
      "a failure whose body is locked",
      () => ({ status: 500, ok: false, headers: new Headers(), body: lockedBody().body }),
    ],
    [
      "a response whose body is not a web stream",
      () => ({ status: 200, ok: true, headers: new Headers(), body: "{}" }),
    ],
    [
      "something with getters that throw",
      () => ({
        status: 200,
        ok: true,
        headers: new Headers(),
        get body() {
          return trap();
        },
      }),
    ],
  ])("may give %s: that is an AgentError, not retryable", async (_name, give) => {
    for (const error of await errorsOf((async () => give()) as Fetch)) {
      expect(error).toMatchObject({ code: "provider-response", kind: "unknown", retryable: false });
      expect(error.message).toMatch(/^fetch returned no readable response to (openai|anthropic):m$/);
    }
  });

  it.each<[string, unknown]>([
    ["a proxy that refuses everything", new Proxy({}, { get: trap, getPrototypeOf: trap })],
    [
      "an error whose getters throw",
      Object.defineProperties(new Error(), { message: { get: trap }, cause: { get: trap }, code: { get: trap } }),
    ],
    ["nothing", undefined],
    ["an object without text", Object.create(null)],
  ])("may reject with %s: that is an AgentError", async (_name, thrown) => {
    for (const error of await errorsOf(() => Promise.reject(thrown as Error))) {
      expect(error).toMatchObject({ code: "provider-response", kind: "unavailable" });
    }
  });

  it("may give a body of texts, which is broken off", async () => {
    const texts = () => new ReadableStream<string>({ start: (controller) => controller.enqueue("{}") });
    const fetch: Fetch = async () => new Response(texts() as unknown as ReadableStream<Uint8Array<ArrayBuffer>>);
    for (const error of await errorsOf(fetch)) expect(error.message).toContain("broke off its answer");
  });

  it("keeps name, code and words of what it rejects with", async () => {
    const below = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" });
    const [error] = await errorsOf(() => Promise.reject(new TypeError("fetch failed", { cause: below })));
    expect(error?.cause).toMatchObject({
      name: "TypeError",
      code: "ECONNREFUSED",
      message: "fetch failed (connect refused)",
    });
    expect((error?.cause as Error).cause).toBeUndefined();
  });
});

describe("no warning holds the key", () => {
  it.each([
    ["a finish reason", { choices: [{ message: { content: "x" }, finish_reason: apiKey }] }],
    ["a piece of it", { choices: [{ message: { content: "x" }, finish_reason: apiKey.slice(5, 18) }] }],
  ])("of an answer with it as %s", async (_name, body) => {
    const warnings: string[] = [];
    const ports = { warn: (text: string) => void warnings.push(text) };
    await openaiProvider({ apiKey, model: "gpt-4o", fetch: async () => Response.json(body), ports }).turn(hello);
    expect(warnings).toHaveLength(1);
    expectNoKey(warnings);
  });
});

describe("a deeply nested answer", () => {
  it.each([
    ["of millions of brackets", "[".repeat(14e6) + "]".repeat(14e6)],
    ["inside a message", `{"choices":[{"message":{"content":${"[".repeat(1e6)}${"]".repeat(1e6)}}}]}`],
    ["of one level too many", "[".repeat(129) + "]".repeat(129)],
  ])("%s is refused before it is parsed", async (_name, text) => {
    const provider = openaiProvider({ apiKey, model: "m", fetch: answer(text) });
    expect(await agentErrorOf(() => provider.turn(hello))).toMatchObject({
      code: "provider-response",
      retryable: false,
      message: "the answer of openai:m is nested deeper than 128 levels",
    });
  });

  it("of 128 levels is parsed", async () => {
    const text = JSON.stringify({ choices: [{ message: { content: "hi" } }], x: 0 }).replace(
      "0",
      "[".repeat(127) + "]".repeat(127),
    );
    const provider = openaiProvider({ apiKey, model: "gpt-4o", fetch: answer(text) });
    expect(await provider.turn(hello)).toMatchObject({ finalAnswer: "hi" });
  });

  it("that is a failure names no fault, and keeps its status", async () => {
    const text = `{"error":${"[".repeat(4000)}${"]".repeat(4000)}}`;
    const provider = openaiProvider({ apiKey, model: "m", fetch: answer(text, 500) });
    expect(await agentErrorOf(() => provider.turn(hello))).toMatchObject({ status: 500, vendor: {} });
  });
});
