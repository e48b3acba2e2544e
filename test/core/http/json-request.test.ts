import type { IncomingMessage, ServerResponse } from "node:http";
import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LlmProviderHttpError } from "../../../src/core/errors.js";
import { systemPorts, type Ports } from "../../../src/core/ports.js";
import { postJson, type HttpCall } from "../../../src/core/http/json-request.js";
import { agentErrorOf, apiKey, listen } from "../../support/wire.js";

const call: HttpCall = {
  providerName: "openai:gpt-4o",
  url: "https://api.example.com/v1/chat",
  headers: { authorization: `Bearer ${apiKey}` },
  body: { a: 1 },
  secret: apiKey,
};
const now = Date.UTC(2026, 10, 20, 12, 0, 0);
const ports: Ports = { ...systemPorts, now: () => now };

describe("postJson through msw", () => {
  const server = setupServer();
  beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
  afterEach(() => server.resetHandlers());
  afterAll(() => server.close());

  const answerWith = (status: number, body: string, headers: Record<string, string> = {}) =>
    server.use(http.post(call.url, () => new HttpResponse(body, { status, headers })));
  const failWith = async (status: number, body: string, headers: Record<string, string> = {}) => {
    answerWith(status, body, headers);
    return (await agentErrorOf(() => postJson(call, ports))) as LlmProviderHttpError;
  };

  it("posts the body as JSON with the headers and returns the parsed answer", async () => {
    const seen: unknown[] = [];
    server.use(
      http.post(call.url, async ({ request }) => {
        seen.push(await request.json(), request.headers.get("content-type"), request.headers.get("authorization"));
        return HttpResponse.json({ ok: true });
      }),
    );
    expect(await postJson(call, ports)).toEqual({ ok: true });
    expect(seen).toEqual([{ a: 1 }, "application/json", `Bearer ${apiKey}`]);
  });

  it.each([[400], [401], [403], [404], [413], [418], [422]])("PLK-32 %i is final", async (status) => {
    const error = await failWith(status, "no", { "retry-after": "5" });
    expect(error).toBeInstanceOf(LlmProviderHttpError);
    expect(error).toMatchObject({ status, bodySnippet: "no", retryable: false, retryAfterMs: undefined });
    expect(error.message).toBe(`openai:gpt-4o answered HTTP ${status}: no`);
  });

  it.each([[408], [409], [425], [429], [500], [503], [529]])(
    "PLK-35 %i may be retried, when the vendor says",
    async (status) => {
      expect(await failWith(status, "", { "retry-after": "5" })).toMatchObject({ retryable: true, retryAfterMs: 5000 });
      expect(await failWith(status, "")).toMatchObject({ retryable: true, retryAfterMs: undefined });
    },
  );

  it("PLK-35 reads Retry-After as a date against the clock of the ports", async () => {
    const error = await failWith(429, "", { "retry-after": "Fri, 20 Nov 2026 12:00:20 GMT" });
    expect(error).toMatchObject({ retryAfterMs: 20_000, hint: "rate-limited – back off and retry" });
  });

  it("masks the key that a vendor echoes", async () => {
    const error = await failWith(401, JSON.stringify({ error: `Incorrect API key provided: ${apiKey}` }));
    expect(error.bodySnippet).toBe('{"error":"Incorrect API key provided: ***"}');
    expect(error.message).not.toContain(apiKey);
  });

  it("PLK-33 shows 500 characters of a long error", async () => {
    expect((await failWith(500, "x".repeat(100_000))).bodySnippet).toBe("x".repeat(500));
  });

  it("refuses an answer that is not JSON, with its beginning", async () => {
    answerWith(200, `<html>Login ${apiKey}</html>`);
    const error = await agentErrorOf(() => postJson(call, ports));
    expect(error).toMatchObject({ code: "provider-response", retryable: false });
    expect(error.message).toBe("the answer of openai:gpt-4o is not JSON: <html>Login ***</html>");
    answerWith(200, "");
    expect((await agentErrorOf(() => postJson(call, ports))).message).toContain("is not JSON: nothing");
  });

  it("reads an answer up to the limit and says when it is larger", async () => {
    const text = JSON.stringify("x".repeat(98));
    answerWith(200, text);
    expect(await postJson({ ...call, maxBodyBytes: 100 }, ports)).toBe("x".repeat(98));
    answerWith(200, text);
    const error = await agentErrorOf(() => postJson({ ...call, maxBodyBytes: 99 }, ports));
    expect(error).toMatchObject({ code: "provider-response" });
    expect(error.message).toContain("larger than 99 bytes");
  });

  it("names the host and the reason when the vendor cannot be reached", async () => {
    server.use(http.post(call.url, () => HttpResponse.error()));
    const error = await agentErrorOf(() => postJson(call, ports));
    expect(error).toMatchObject({ code: "provider-response", retryable: true });
    expect(error.message).toContain("openai:gpt-4o could not be reached (api.example.com)");
    expect(error.cause).toBeDefined();
  });

  it("does not reach for the network when the signal has fired already", async () => {
    const error = await agentErrorOf(() => postJson({ ...call, signal: AbortSignal.abort("enough") }, ports));
    expect(error).toMatchObject({ code: "aborted", retryable: false, cause: "enough" });
  });
});

describe("postJson against a transport of the caller", () => {
  const never = () => new Promise<never>(() => undefined);
  /** Ports whose timers fire when the test says so. */
  function manualTimers(fetch: Ports["fetch"]) {
    const timers = new Set<() => void>();
    const delays: number[] = [];
    const manual: Ports = {
      ...ports,
      fetch,
      timer(ms, fire) {
        delays.push(ms);
        timers.add(fire);
        return () => timers.delete(fire);
      },
    };
    return { manual, timers, delays, fire: () => timers.forEach((fire) => fire()) };
  }

  it("PLK-30 ends at the time limit even where the transport ignores its signal", async () => {
    const { manual, timers, fire } = manualTimers(never);
    const pending = agentErrorOf(() => postJson({ ...call, timeoutMs: 30_000 }, manual));
    fire();
    const error = await pending;
    expect(error).toMatchObject({ code: "timeout", retryable: true });
    expect(error.message).toContain("30000 ms");
    expect(timers.size).toBe(0);
  });

  it("PLK-29 ends at the caller's signal even where the transport ignores it", async () => {
    const controller = new AbortController();
    const { manual, timers } = manualTimers(never);
    const pending = agentErrorOf(() => postJson({ ...call, timeoutMs: 5, signal: controller.signal }, manual));
    controller.abort(new Error("the run was stopped"));
    expect(await pending).toMatchObject({
      code: "aborted",
      retryable: false,
      cause: { message: "the run was stopped" },
    });
    expect(timers.size).toBe(0);
  });

  it("PLK-30 covers a body that stalls, and lets go of it", async () => {
    let cancelled = 0;
    const stalling = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":')),
      cancel: () => void cancelled++,
    });
    const { manual, fire } = manualTimers(async () => new Response(stalling));
    const pending = agentErrorOf(() => postJson({ ...call, timeoutMs: 5 }, manual));
    await new Promise((resolve) => setImmediate(resolve));
    fire();
    expect(await pending).toMatchObject({ code: "timeout" });
    expect(cancelled).toBe(1);
  });

  it("leaves no timer and no listener behind after an answer", async () => {
    const controller = new AbortController();
    const listeners: string[] = [];
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => (listeners.push("add"), add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners.push("remove"), remove(...args));
    const { manual, timers } = manualTimers(async () => Response.json(1));
    await postJson({ ...call, timeoutMs: 5, signal }, manual);
    expect(timers.size).toBe(0);
    expect(listeners).toEqual(["add", "remove"]);
  });

  it("keeps a limit beyond what timers can count from firing at once", async () => {
    const { manual, delays } = manualTimers(async () => Response.json(1));
    await postJson({ ...call, timeoutMs: Number.MAX_SAFE_INTEGER }, manual);
    expect(delays).toEqual([2_147_483_647]);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses the time limit %s of a request",
    async (timeoutMs) => {
      expect(await agentErrorOf(() => postJson({ ...call, timeoutMs }, ports))).toMatchObject({
        code: "invalid-options",
      });
    },
  );

  it("masks the key in the words of a transport that throws", async () => {
    const fetch = () => {
      throw new TypeError(`bad header Bearer ${apiKey}`);
    };
    const error = await agentErrorOf(() => postJson(call, { ...ports, fetch }));
    expect(error).toMatchObject({ code: "provider-response", retryable: true });
    expect(error.message).not.toContain(apiKey);
  });

  it("PLK-33 reads 8 KiB of an error and cancels the rest", async () => {
    let sent = 0;
    let cancelled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1000;
        controller.enqueue(new Uint8Array(1000).fill(120));
      },
      cancel: () => void cancelled++,
    });
    const fetch = async () => new Response(endless, { status: 500 });
    const error = await agentErrorOf(() => postJson(call, { ...ports, fetch }));
    expect(error).toMatchObject({ status: 500, bodySnippet: "x".repeat(500) });
    expect(sent).toBeLessThanOrEqual(10_000);
    expect(cancelled).toBe(1);
  });

  it("keeps the status of an error whose body breaks off", async () => {
    const breaking = new ReadableStream({
      pull(controller) {
        controller.error(new Error("reset"));
      },
    });
    const fetch = async () => new Response(breaking, { status: 503 });
    const error = await agentErrorOf(() => postJson(call, { ...ports, fetch }));
    expect(error).toMatchObject({ status: 503, bodySnippet: "" });
    expect(error.message).toBe("openai:gpt-4o answered HTTP 503 with an empty body");
  });

  it("reads text that is split between two chunks", async () => {
    const bytes = new TextEncoder().encode('"grün😀"');
    const split = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    expect(await postJson(call, { ...ports, fetch: async () => new Response(split) })).toBe("grün😀");
  });
});

/** A promise that the test's own server fulfils. */
function latch(): { reached: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => (open = resolve));
  return { reached, open: () => open() };
}

describe("postJson against a server on this machine", () => {
  type Handler = (request: IncomingMessage, response: ServerResponse) => void;
  let close: () => Promise<void> = async () => undefined;
  afterEach(() => close());
  const serve = async (handler: Handler) => {
    const server = await listen(handler);
    close = server.close;
    return { ...call, url: `${server.baseURL}/v1/chat` };
  };

  it("PLK-29 an abort tears the socket down", async () => {
    const controller = new AbortController();
    const closed = latch();
    const local = await serve((_request, response) => {
      response.on("close", () => closed.open());
      controller.abort();
    });
    const error = await agentErrorOf(() => postJson({ ...local, signal: controller.signal }, ports));
    expect(error).toMatchObject({ code: "aborted" });
    await closed.reached;
  });

  it("PLK-30 a time limit tears the socket down while the body stalls, whatever the run's signal says", async () => {
    const [stalled, closed] = [latch(), latch()];
    const local = await serve((_request, response) => {
      response.on("close", () => closed.open());
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"a":', () => stalled.open());
    });
    const { signal } = new AbortController();
    const timer: Ports["timer"] = (_ms, fire) => {
      void stalled.reached.then(fire);
      return () => undefined;
    };
    const error = await agentErrorOf(() => postJson({ ...local, signal, timeoutMs: 50 }, { ...ports, timer }));
    expect(error).toMatchObject({ code: "timeout" });
    expect(signal.aborted).toBe(false);
    await closed.reached;
  });

  it("an answer without end is cut at the limit and its socket closed", async () => {
    const closed = latch();
    const local = await serve((_request, response) => {
      let isOpen = true;
      const pump = () => {
        while (isOpen && response.write("x".repeat(65_536)));
        if (isOpen) response.once("drain", pump);
      };
      response.on("close", () => {
        isOpen = false;
        closed.open();
      });
      pump();
    });
    const error = await agentErrorOf(() => postJson({ ...local, maxBodyBytes: 1_000_000 }, ports));
    expect(error.message).toContain("larger than 1000000 bytes");
    await closed.reached;
  });

  it("follows no redirect, so the key stays where it was sent", async () => {
    const paths: (string | undefined)[] = [];
    const local = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    const error = await agentErrorOf(() => postJson(local, ports));
    expect(error).toMatchObject({ code: "provider-response", kind: "unknown", retryable: false });
    expect(error.hint).toContain("Set baseURL to the final URL");
    expect(paths).toEqual(["/v1/chat"]);
  });

  it("says that an answer broke off when the server hangs up in the middle", async () => {
    const local = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"a":', () => response.destroy());
    });
    const error = await agentErrorOf(() => postJson(local, ports));
    expect(error).toMatchObject({ code: "provider-response", retryable: true });
    expect(error.message).toContain("broke off its answer");
  });

  it("says that nobody listens", async () => {
    const local = await serve(() => undefined);
    await close();
    const error = await agentErrorOf(() => postJson(local, ports));
    expect(error).toMatchObject({ code: "provider-response", retryable: true });
    expect(error.message).toContain("ECONNREFUSED");
  });
});
