// HTTP/2 on the port of the server: the same handler, the same refusals, and also HTTP/1.

import { connect, type ClientHttp2Session } from "node:http2";
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { serveHttp, type HttpHandler, type HttpServer } from "../../../src/host/index.js";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function serve(handler: HttpHandler): Promise<{ server: HttpServer; session: ClientHttp2Session }> {
  const server = await serveHttp(handler);
  closing.push(() => server.close());
  const session = connect(server.url);
  session.on("error", () => undefined);
  closing.push(() => session.destroy());
  return { server, session };
}

async function send(session: ClientHttp2Session, headers: Record<string, string>, body = "") {
  const request = session.request({ ":method": "POST", ...headers });
  request.end(body);
  let status: number | undefined;
  request.on("response", (got) => (status = got[":status"]));
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return { status, body: Buffer.concat(chunks).toString() };
}

const echo: HttpHandler = async ({ method, path, search, headers, readBody }) => {
  const read = await readBody();
  const text = read.kind === "read" ? Buffer.from(read.bytes).toString() : read.kind;
  const names = Object.keys(headers).filter((name) => name.startsWith(":"));
  const parts = [`${method} ${path}${search} `, Uint8Array.from(Buffer.from(text)), ` ${names.length}`];
  return { status: 200, headers: { "content-type": "text/plain", "x-host": headers.host ?? "" }, body: parts };
};

it("answers a request of HTTP/2, and then one of HTTP/1", async () => {
  const { server, session } = await serve(echo);
  const body = "x".repeat(200_000);
  expect(await send(session, { ":path": "/model/m/converse?a=1" }, body)).toEqual({
    status: 200,
    body: `POST /model/m/converse?a=1 ${body} 0`,
  });
  const response = await fetch(`${server.url}/b`, { method: "POST", body: "y" });
  expect([await response.text(), response.headers.get("x-host")]).toEqual(["POST /b y 0", server.url.slice(7)]);
});

it("refuses a request of HTTP/2 that names another host", async () => {
  const { session } = await serve(echo);
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on("warning", warn);
  closing.push(() => process.off("warning", warn));
  expect((await send(session, { ":path": "/", ":authority": "evil.example" })).status).toBe(403);
  await setImmediate();
  expect(warnings).toEqual([]);
});

it("closes while connections of both kinds are open", async () => {
  const { server, session } = await serve(echo);
  await send(session, { ":path": "/" });
  await server.close();
  expect(await send(session, { ":path": "/" }).catch(() => "gone")).not.toMatchObject({ status: 200 });
});
