import type { IncomingHttpHeaders } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { forward } from "../../../src/host/serve/forward.js";
import { listen } from "../../support/wire.js";

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

async function vendor(answer: { status?: number; headers?: Record<string, string>; parts?: string[] } = {}) {
  const seen: Seen[] = [];
  const server = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString("utf8") });
      response.writeHead(answer.status ?? 200, answer.headers ?? {});
      for (const part of answer.parts ?? []) response.write(part);
      response.end();
    });
  });
  close = server.close;
  return { seen, baseURL: server.baseURL };
}

const never = new AbortController().signal;

describe("forward", () => {
  it("sends body and headers as they are, but for those of the connection", async () => {
    const { seen, baseURL } = await vendor();
    await forward({
      url: new URL(`${baseURL}/v1/messages?beta=true`),
      method: "POST",
      headers: {
        host: "127.0.0.1:1",
        connection: "keep-alive, x-hop",
        "x-hop": "dropped",
        "transfer-encoding": "chunked",
        "accept-encoding": "gzip, br",
        "content-length": "999",
        "content-type": "application/json",
        accept: "application/json",
        authorization: "Bearer sk-1",
        "x-api-key": "sk-2",
        "anthropic-version": "2023-06-01",
        "anthropic-beta": "a,b",
      },
      body: new TextEncoder().encode('{"a" :  "ü"}'),
      signal: never,
    });
    expect(seen).toEqual([
      {
        method: "POST",
        url: "/v1/messages?beta=true",
        body: '{"a" :  "ü"}',
        headers: {
          host: new URL(baseURL).host,
          connection: "close",
          "accept-encoding": "identity",
          "content-length": "13",
          "content-type": "application/json",
          accept: "application/json",
          authorization: "Bearer sk-1",
          "x-api-key": "sk-2",
          "anthropic-version": "2023-06-01",
          "anthropic-beta": "a,b",
        },
      },
    ]);
  });

  it("gives back status, headers and parts, and follows no redirect", async () => {
    const { seen, baseURL } = await vendor({
      status: 302,
      headers: { location: "/elsewhere", "x-request-id": "r1" },
      parts: ["one", "two"],
    });
    const answer = await forward({
      url: new URL(baseURL),
      method: "GET",
      headers: {},
      body: new Uint8Array(),
      signal: never,
    });
    expect(answer.status).toBe(302);
    expect(answer.headers).toMatchObject({ location: "/elsewhere", "x-request-id": "r1" });
    expect(Object.keys(answer.headers)).not.toContain("transfer-encoding");
    let text = "";
    for await (const part of answer.body) text += Buffer.from(part).toString();
    expect(text).toBe("onetwo");
    expect(seen).toHaveLength(1);
  });

  it("reaches a server that drops its idle connections without a word", async () => {
    const served = new WeakSet<object>();
    const server = await listen((request, response) => {
      const { socket } = request;
      if (served.has(socket)) return void socket.destroy();
      served.add(socket);
      response.end("ok");
    });
    close = server.close;
    const call = { method: "GET", headers: {}, body: new Uint8Array(), url: new URL(server.baseURL), signal: never };
    for (let round = 0; round < 3; round++) {
      const answer = await forward(call);
      let text = "";
      for await (const part of answer.body) text += Buffer.from(part).toString();
      expect(text).toBe("ok");
    }
  });

  it("rejects where nobody listens, and when it is aborted", async () => {
    const { baseURL } = await vendor();
    const call = { method: "GET", headers: {}, body: new Uint8Array() };
    const aborted = AbortSignal.abort();
    await expect(forward({ ...call, url: new URL(baseURL), signal: aborted })).rejects.toThrow();
    await close();
    close = async () => undefined;
    await expect(forward({ ...call, url: new URL(baseURL), signal: never })).rejects.toThrow("ECONNREFUSED");
  });
});
