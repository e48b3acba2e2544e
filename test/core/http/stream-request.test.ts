import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { systemPorts, type Ports } from "../../../src/core/ports.js";
import { postStream } from "../../../src/core/http/stream-request.js";
import type { HttpCall } from "../../../src/core/http/json-request.js";
import { gate } from "../../support/loop.js";
import { agentErrorOf, apiKey, listen } from "../../support/wire.js";

const call: HttpCall = {
  providerName: "openai:gpt-4o",
  url: "https://api.example.com/v1/chat",
  headers: {},
  body: { stream: true },
  secret: apiKey,
};

const toText = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

async function readAll(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += toText(piece);
  return text;
}

/** A body that a test feeds, and ports whose timers it fires. */
function manualBody() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const state = { cancelled: 0, timers: new Set<() => void>(), delays: [] as number[] };
  const body = new ReadableStream<Uint8Array>({
    start: (started) => void (controller = started),
    cancel: () => void state.cancelled++,
  });
  const ports: Ports = {
    ...systemPorts,
    fetch: async () => new Response(body),
    timer(ms, fire) {
      state.delays.push(ms);
      state.timers.add(fire);
      return () => state.timers.delete(fire);
    },
  };
  return {
    state,
    ports,
    send: (text: string) => controller?.enqueue(new TextEncoder().encode(text)),
    close: () => controller?.close(),
    fail: (error: unknown) => controller?.error(error),
    fireTimers: () => state.timers.forEach((fire) => fire()),
  };
}

describe("postStream", () => {
  it("gives the bytes as they come and leaves no timer behind", async () => {
    const { ports, send, close, state } = manualBody();
    const pieces = postStream({ ...call, timeoutMs: 50 }, ports);
    send("a");
    expect(toText((await pieces.next()).value as Uint8Array)).toBe("a");
    send("b");
    expect(toText((await pieces.next()).value as Uint8Array)).toBe("b");
    close();
    expect((await pieces.next()).done).toBe(true);
    expect(state.timers.size).toBe(0);
  });

  it("PLK-30 gives each wait the whole limit, and none to a consumer that takes its time", async () => {
    const { ports, send, state } = manualBody();
    const pieces = postStream({ ...call, timeoutMs: 50 }, ports);
    send("a");
    await pieces.next();
    expect(state.timers.size).toBe(0);
    send("b");
    await pieces.next();
    // One for the way to the answer, one for each piece.
    expect(state.delays).toEqual([50, 50, 50]);
    await pieces.return();
  });

  it("PLK-30 a stall is a timeout that names the silence", async () => {
    const { ports, send, state, fireTimers } = manualBody();
    const pieces = postStream({ ...call, timeoutMs: 50 }, ports);
    send("a");
    await pieces.next();
    const stalled = agentErrorOf(() => pieces.next());
    fireTimers();
    const error = await stalled;
    expect(error).toMatchObject({ code: "timeout", kind: "timeout", retryable: true });
    expect(error.message).toBe("openai:gpt-4o sent nothing for 50 ms");
    expect(state).toMatchObject({ cancelled: 1, timers: new Set() });
  });

  it("PLK-29 an abort between two pieces ends it, also where nobody waits at that moment", async () => {
    const { ports, send, state } = manualBody();
    const controller = new AbortController();
    const pieces = postStream({ ...call, timeoutMs: 50, signal: controller.signal }, ports);
    send("a");
    await pieces.next();
    controller.abort("enough");
    expect(await agentErrorOf(() => pieces.next())).toMatchObject({
      code: "aborted",
      retryable: false,
      cause: "enough",
    });
    expect(state).toMatchObject({ cancelled: 1, timers: new Set() });
  });

  it("sends nothing when the signal has fired already", async () => {
    const fetch = () => Promise.reject(new Error("sent"));
    const pieces = postStream({ ...call, signal: AbortSignal.abort() }, { ...systemPorts, fetch });
    expect(await agentErrorOf(() => pieces.next())).toMatchObject({ code: "aborted" });
  });

  it("leaving early lets go of the body", async () => {
    const { ports, send, state } = manualBody();
    send("a");
    for await (const _piece of postStream({ ...call, timeoutMs: 50 }, ports)) break;
    expect(state).toMatchObject({ cancelled: 1, timers: new Set() });
  });

  it("a connection that breaks is retryable and names the host", async () => {
    const { ports, send, fail } = manualBody();
    const pieces = postStream(call, ports);
    send("a");
    await pieces.next();
    fail(new Error("reset"));
    const error = await agentErrorOf(() => pieces.next());
    expect(error).toMatchObject({ code: "provider-response", retryable: true });
    expect(error.message).toBe("openai:gpt-4o broke off its answer (api.example.com): reset");
    // An answer that began was not a redirect.
    expect(error.hint).toBe("Retry.");
  });

  it("refuses more bytes than the limit", async () => {
    const { ports, send, state } = manualBody();
    send("x".repeat(60));
    send("x".repeat(60));
    const error = await agentErrorOf(() => readAll(postStream({ ...call, maxBodyBytes: 100 }, ports)));
    expect(error.message).toBe("the stream of openai:gpt-4o is larger than 100 bytes");
    expect(state.cancelled).toBe(1);
  });

  it("PLK-32 a status other than 2xx is the error it is without streaming", async () => {
    const fetch = async () => new Response(`{"error":{"message":"${apiKey}"}}`, { status: 401 });
    const error = await agentErrorOf(() => readAll(postStream(call, { ...systemPorts, fetch })));
    expect(error).toMatchObject({ code: "provider-http", status: 401, retryable: false });
    expect(error.message).not.toContain(apiKey);
  });

  it("an answer without a body is an empty one", async () => {
    expect(await readAll(postStream(call, { ...systemPorts, fetch: async () => new Response(null) }))).toBe("");
  });
});

describe("postStream against a server on this machine", () => {
  let close: () => Promise<void> = async () => undefined;
  afterEach(() => close());
  const serve = async (handler: (request: IncomingMessage, response: ServerResponse) => void) => {
    const server = await listen(handler);
    close = server.close;
    return { ...call, url: `${server.baseURL}/v1/chat` };
  };

  it("PLK-29 an abort in mid-stream tears the socket down", async () => {
    const controller = new AbortController();
    const closed = gate();
    const local = await serve((_request, response) => {
      response.on("close", closed.open);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
    });
    const pieces = postStream({ ...local, signal: controller.signal }, systemPorts);
    expect(toText((await pieces.next()).value as Uint8Array)).toBe("data: 1\n\n");
    const aborted = agentErrorOf(() => pieces.next());
    controller.abort();
    expect(await aborted).toMatchObject({ code: "aborted" });
    await closed.opened;
  });

  it("PLK-30 a stall tears the socket down", async () => {
    const closed = gate();
    const local = await serve((_request, response) => {
      response.on("close", closed.open);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
    });
    let late: () => void = () => undefined;
    const timer: Ports["timer"] = (_ms, fire) => {
      late = fire;
      return () => undefined;
    };
    const pieces = postStream({ ...local, timeoutMs: 50 }, { ...systemPorts, timer });
    expect(toText((await pieces.next()).value as Uint8Array)).toBe("data: 1\n\n");
    const error = agentErrorOf(() => pieces.next());
    late();
    expect(await error).toMatchObject({ code: "timeout" });
    await closed.opened;
  });

  it("leaving early tears the socket down", async () => {
    const closed = gate();
    const local = await serve((_request, response) => {
      response.on("close", closed.open);
      response.write("data: 1\n\n");
    });
    for await (const _piece of postStream(local, systemPorts)) break;
    await closed.opened;
  });

  it("a server that hangs up in mid-stream broke it off", async () => {
    const local = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n", () => response.destroy());
    });
    const error = await agentErrorOf(() => readAll(postStream(local, systemPorts)));
    expect(error).toMatchObject({ code: "provider-response", retryable: true });
  });
});
