import { once } from "node:events";
import { request as requestHttp } from "node:http";
import { connect, Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { HttpHandler } from "../../../src/host/serve/exchange.js";
import { isLoopback, serveHttp, type HttpServer, type HttpServerOptions } from "../../../src/host/serve/server.js";

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function start(handler: HttpHandler, options: HttpServerOptions = {}): Promise<HttpServer> {
  const server = await serveHttp(handler, options);
  open.push(server);
  return server;
}

const echo: HttpHandler = async (request) => {
  const read = await request.readBody();
  const body = read.kind === "read" ? Buffer.from(read.bytes).toString("utf8") : read.kind;
  const { method, path, search } = request;
  return { status: 200, headers: { "x-asked": `${method} ${path}${search}` }, body };
};

/** What comes back for bytes that no well-behaved client would send. */
async function raw(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString("latin1")));
  socket.on("error", () => undefined);
  socket.write(text);
  await once(socket, "close");
  return answer;
}

describe("serveHttp", () => {
  it("hands over method, path, query and body, and takes any free port on 127.0.0.1", async () => {
    const { url } = await start(echo);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const response = await fetch(`${url}/a/b?c=d`, { method: "POST", body: "grüße" });
    expect(response.headers.get("x-asked")).toBe("POST /a/b?c=d");
    expect(await response.text()).toBe("grüße");
  });

  it("gives a path whose dots are resolved, and never another host's", async () => {
    const { url } = await start(echo);
    const host = new URL(url).host;
    const answer = await raw(url, `GET /v1/../../etc/%2e%2e/x HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    expect(answer).toContain("x-asked: GET /x\r\n");
    const absolute = await raw(url, `GET //evil.example/y HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    expect(absolute).toContain("x-asked: GET //evil.example/y\r\n");
  });

  it("answers 500 and goes on when the handler throws, and 400 if the path is invalid", async () => {
    const { url } = await start(async ({ path }) => {
      if (path === "/bad") throw new Error("secret detail");
      return { status: 200, headers: {}, body: "good" };
    });
    const failed = await fetch(`${url}/bad`);
    expect([failed.status, await failed.text()]).toEqual([500, "the server failed\n"]);
    const host = new URL(url).host;
    expect(await raw(url, `GET http://[x/ HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)).toContain(" 400 ");
    expect(await (await fetch(url)).text()).toBe("good");
  });

  it("tells a body over the limit apart, said or not, and the client can read the answer", async () => {
    const { url } = await start(echo, { maxBodyBytes: 1000 });
    expect(await (await fetch(url, { method: "POST", body: "x".repeat(1000) })).text()).toBe("x".repeat(1000));
    expect(await (await fetch(url, { method: "POST", body: "x".repeat(5_000_000) })).text()).toBe("too-large");
    const parts = ReadableStream.from(Array.from({ length: 40 }, () => new TextEncoder().encode("y".repeat(100))));
    const streamed = await fetch(url, { method: "POST", body: parts, duplex: "half" });
    expect(await streamed.text()).toBe("too-large");
  });

  it("waits for a body that comes byte by byte", async () => {
    const { url } = await start(echo);
    const request = requestHttp(url, { method: "POST" });
    for (const byte of "slow") {
      request.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    request.end();
    const [response] = (await once(request, "response")) as [AsyncIterable<Buffer>];
    let text = "";
    for await (const chunk of response) text += chunk.toString();
    expect(text).toBe("slow");
  });

  it("says of a body that broke off that it did, and outlives it", async () => {
    const kinds: string[] = [];
    let done: () => void = () => undefined;
    const seen = new Promise<void>((resolve) => (done = resolve));
    const socket = new Socket();
    const { url } = await start(async (request) => {
      const read = request.readBody();
      socket.destroy();
      kinds.push((await read).kind);
      done();
      return { status: 200, headers: {}, body: "" };
    });
    socket.connect(Number(new URL(url).port), "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf");
    await seen;
    expect(kinds).toEqual(["broken"]);
  });

  it("sends parts as they come and tells the handler when the client is gone", async () => {
    let signal: AbortSignal | undefined;
    let ended: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (ended = resolve));
    async function* parts(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          yield new TextEncoder().encode("part\n");
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        ended();
      }
    }
    const { url } = await start(async (request) => {
      signal = request.signal;
      return { status: 200, headers: {}, body: parts() };
    });
    const controller = new AbortController();
    const response = await fetch(url, { signal: controller.signal });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value as Uint8Array)).toContain("part\n");
    controller.abort();
    await finished;
    expect(signal?.aborted).toBe(true);
  });

  it("breaks the connection off when a part throws, so that a half answer is not taken for a whole one", async () => {
    async function* parts(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode("half");
      throw new Error("gone");
    }
    const { url } = await start(async () => ({ status: 200, headers: {}, body: parts() }));
    const response = await fetch(url);
    await expect(response.text()).rejects.toThrow();
  });

  it("refuses another host's name on a loopback address", async () => {
    const { url } = await start(echo);
    const answer = await raw(url, "GET / HTTP/1.1\r\nhost: evil.example:80\r\n\r\n");
    expect(answer).toContain(" 403 ");
    expect(answer).not.toContain("x-asked");
    const named = await raw(url, "GET / HTTP/1.1\r\nhost: localhost:1\r\nconnection: close\r\n\r\n");
    expect(named).toContain(" 200 ");
  });

  it("rejects with the system's reason when the port is taken", async () => {
    const { url } = await start(echo);
    await expect(serveHttp(echo, { port: Number(new URL(url).port) })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  it("drops connections and waits for handlers when it closes", async () => {
    let release: () => void = () => undefined;
    let arrived: () => void = () => undefined;
    const isThere = new Promise<void>((resolve) => (arrived = resolve));
    const server = await serveHttp(async ({ signal }) => {
      arrived();
      await new Promise<void>((resolve) => {
        release = resolve;
        signal.addEventListener("abort", () => resolve());
      });
      return { status: 200, headers: {}, body: "" };
    });
    const asked = fetch(server.url).catch(() => "dropped");
    await isThere;
    await server.close();
    expect(await asked).toBe("dropped");
    release();
  });
});

it.each([
  ["127.0.0.1", true],
  ["127.9.9.9", true],
  ["localhost", true],
  ["::1", true],
  ["[::1]", true],
  ["127.0.0.1.evil.example", false],
  ["0.0.0.0", false],
  ["localhost.evil.example", false],
])("isLoopback(%s) is %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

describe("a server for this machine", () => {
  it.each(["LOCALHOST", "127.1", "::ffff:127.0.0.1"])(
    "guards its host however loopback is spelled: %s",
    async (host) => {
      const server = await start(echo, { host });
      expect(server.isLoopback).toBe(true);
      const answer = await raw(server.url, `GET / HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`);
      expect(answer).toContain(" 403 ");
    },
  );

  it("answers no page of another site, and every program", async () => {
    const { url } = await start(echo);
    const status = async (headers: Record<string, string>) => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const { host } = new URL(url);
      const answer = await raw(url, `GET / HTTP/1.1\r\nhost: ${host}\r\n${lines.join("")}connection: close\r\n\r\n`);
      return Number(answer.split(" ")[1]);
    };
    expect(await status({ origin: "http://evil.example" })).toBe(403);
    expect(await status({ origin: "null" })).toBe(403);
    expect(await status({ "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await status({ origin: "http://localhost:3000", "sec-fetch-site": "same-site" })).toBe(200);
    expect(await status({})).toBe(200);
  });

  it("reports a request that it refuses before the handler sees it", async () => {
    const refused: unknown[] = [];
    const onRefused: HttpServerOptions["onRefused"] = (request, why, status) => refused.push([request, why, status]);
    const { url } = await start(echo, { onRefused });
    await raw(url, `POST /v1/x?key=k HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`);
    const why = "this server listens on a loopback address and answers only to 127.0.0.1 and localhost";
    expect(refused).toEqual([[{ method: "POST", path: "/v1/x" }, why, 403]]);
  });

  it.each([
    ["GET /v1/x?key=k HTTP/1.1\r\nbad header\r\n\r\n", "GET", "/v1/x", 400, "the request is not HTTP: "],
    ["\u0016\u0003\u0001\u0002", "*", "(unreadable)", 400, "the client speaks https. Give it a base URL with http://"],
    ["CONNECT a.example:443 HTTP/1.1\r\nhost: a\r\n\r\n", "CONNECT", "a.example:443", 405, "Set the client's base URL"],
    [
      `GET /long HTTP/1.1\r\na: ${"x".repeat(20_000)}\r\n\r\n`,
      "GET",
      "/long",
      431,
      "headers of the request are too large",
    ],
  ])("answers and reports a value that is not a request: %j", async (text, method, path, status, why) => {
    const refused: unknown[] = [];
    const { url } = await start(echo, { onRefused: (...given) => refused.push(given) });
    const answer = await raw(url, text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain(why);
    expect(refused).toEqual([[{ method, path }, expect.stringContaining(why), status]]);
    expect(await (await fetch(url, { method: "POST", body: "b" })).text()).toBe("b");
  });

  it("reports a body that is not HTTP once, by its handler", async () => {
    const refused: unknown[] = [];
    const bodies: string[] = [];
    const { url } = await start(
      async (request) => {
        bodies.push((await request.readBody()).kind);
        return { status: 200, headers: {}, body: "" };
      },
      { onRefused: (...given) => refused.push(given) },
    );
    const answer = await raw(url, "POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n");
    expect([answer.slice(0, 12), refused, bodies]).toEqual(["HTTP/1.1 400", [], ["broken"]]);
  });

  it("holds no more than its share of memory for all bodies together", async () => {
    const { url } = await start(echo, { maxBodyBytes: 1000, maxHeldBytes: 1500 });
    const first = requestHttp(url, { method: "POST" });
    first.write("x".repeat(900));
    const busy = async () => (await fetch(url, { method: "POST", body: "y".repeat(900) })).text();
    while ((await busy()) !== "busy");
    first.end();
    const [answer] = (await once(first, "response")) as [NodeJS.ReadableStream];
    answer.resume();
    await once(answer, "end");
    expect(await busy()).toBe("y".repeat(900));
  });
});
