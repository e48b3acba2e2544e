// Sends recorded traffic through the recording proxy, in front of a vendor on this machine that answers as recorded, and then through the
// server that replays what the proxy wrote.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { proxyHandler } from "../../src/cli/proxy/handler.js";
import { createProxyRecorder, type ProxyRecorder } from "../../src/cli/proxy/recorder.js";
import { serveHandler } from "../../src/cli/serve/handler.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { createShelf } from "../../src/cassette/serve/shelf.js";
import type { DoorOutcome } from "../../src/harness/wire/tally.js";
import type { HttpReply, HttpRequest } from "../../src/host/serve/exchange.js";
import { isStreamed, readBytes, requestOf, typeOf, type HttpLine } from "./http-lines.js";

/** What the proxy made of an exchange. */
export interface Passed {
  readonly line: HttpLine;
  readonly outcome: DoorOutcome;
  readonly reason: string | undefined;
  readonly cassette: CassetteV2 | undefined;
}

/** A vendor that gives the answer of one line after the other. */
export async function openRecordedVendor() {
  let current: HttpLine | undefined;
  const server = createServer((request, response) => {
    request.resume();
    if (current === undefined) throw new Error("no line is set");
    const type = typeOf(current.response.headers);
    response.writeHead(current.response.status, type === undefined ? {} : { "content-type": type });
    response.end(readBytes(current));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    target: new URL(`http://127.0.0.1:${port}`),
    next: (line: HttpLine) => void (current = line),
    close: () => void server.close().closeAllConnections(),
  };
}

export type RecordedVendor = Awaited<ReturnType<typeof openRecordedVendor>>;

const silent = { lost() {}, without() {}, passedOn() {}, exchanged() {}, kept() {}, closed() {} };

/** Records the exchanges of one source, in their order. Each has a recorder of its own, and so its own outcome. */
export function createPassing({ target, next }: RecordedVendor, keepErrors = false) {
  let recorder = createProxyRecorder(silent, { redact: false, keepErrors });
  const current = new Proxy({} as ProxyRecorder, { get: (_, key) => Reflect.get(recorder, key) as unknown });
  const handler = proxyHandler({
    ...{ target, recorder: current, isPassed: () => false, findSecrets: () => [] },
    ...{ claim: () => Promise.resolve(undefined), note() {}, sentBack() {}, forgot() {} },
  });
  return async (line: HttpLine): Promise<Passed> => {
    recorder = createProxyRecorder(silent, { redact: false, keepErrors });
    next(line);
    await readReply(await handler(toRequest(line)));
    recorder.end();
    const [row, ...others] = recorder.rows();
    if (row === undefined || others.length > 0 || row.count !== 1) throw new Error(`${line.id} has no single outcome`);
    return { line, outcome: row.outcome, reason: row.reason, cassette: recorder.toCassette(0) };
  };
}

/** Answers requests from what was recorded of one source. A client uses the ids of the answers that it gets. */
export function createReplay(passed: readonly Passed[]) {
  // By their places, since two equal requests are answered in the order of their recording.
  const items = passed.flatMap(({ cassette }, place) =>
    cassette === undefined ? [] : [{ file: `${place}`, cassette, names: [] }],
  );
  const shelf = createShelf(items, { redact: false });
  const why: string[] = [];
  const handler = serveHandler(
    shelf,
    {
      ...{ answered() {}, passed() {}, noted() {}, forgot() {}, probed() {} },
      missed: ({ message }) => void why.push(message),
      refused: (_, message) => void why.push(message),
    },
    { nameOf: (file) => file, streaming: { streaming: "chunked", speed: 1 } },
  );
  const ids = new Map<string, string>();
  return {
    unused: () => shelf.counts().reduce((sum, { turns, used }) => sum + turns - used, 0),
    async ask(line: HttpLine) {
      const body = (line.request.body ?? "").replaceAll(ID, (id) => ids.get(id) ?? id);
      const reply = await handler(toRequest(line, body));
      const bytes = await readReply(reply);
      const [before, now] = [readBytes(line), bytes].map((text) => text.toString().match(ID) ?? []);
      before?.forEach((id, place) => ids.set(id, ids.get(id) ?? now?.[place] ?? id));
      return { status: reply.status, bytes, isStream: isStreamed(bytes), why: why.splice(0).join("\n") };
    },
  };
}

/** The ids by which a request continues an answer. */
const ID = /\b(?:resp|conv)_[\w-]+/g;

function toRequest(line: HttpLine, body?: string): HttpRequest {
  const { method, path, search, type, bytes } = requestOf(line, body);
  return {
    ...{ method, path, search, headers: { "content-type": type } },
    signal: new AbortController().signal,
    onClose: () => undefined,
    readBody: () => Promise.resolve({ kind: "read", bytes }),
  };
}

async function readReply({ body }: HttpReply): Promise<Buffer> {
  if (typeof body === "string" || body instanceof Uint8Array) return Buffer.from(body);
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}
