// A vendor on this machine that speaks every wire and gives scripted answers, for clients that are pointed at it.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { LlmTurnResponse } from "../../src/core/model/provider.js";
import type { WireRequest } from "../../src/core/wire/turn.js";
import { wireOf } from "../../src/core/vendors/vendors.js";
import { listen } from "./wire.js";

/** The vendor's reply: an answer, an error, or the beginning of a stream whose connection then breaks. */
export type Said = LlmTurnResponse | { status: number; body: string } | { broken: string };

export interface Vendor {
  readonly url: string;
  readonly asked: readonly { path: string; headers: IncomingHttpHeaders; request: WireRequest | undefined }[];
  close(): Promise<void>;
}

/** `answer` gets the request and the number of earlier turns. */
export async function startVendor(answer: (request: WireRequest, index: number) => Said): Promise<Vendor> {
  const asked: { path: string; headers: IncomingHttpHeaders; request: WireRequest | undefined }[] = [];
  let turns = 0;
  const server = await listen((incoming, response) => {
    void bodyOf(incoming).then((body) => {
      const path = incoming.url ?? "";
      const wire = wireOf({ method: incoming.method ?? "", path: path.split("?")[0] ?? "" });
      const turn = wire?.parse(JSON.parse(body), path);
      asked.push({ path, headers: incoming.headers, request: turn?.request });
      if (wire === undefined || turn === undefined) {
        response.writeHead(200, { "content-type": "application/json" }).end(`{"path":${JSON.stringify(path)}}`);
        return;
      }
      const said = answer(turn.request, turns++);
      if ("status" in said) {
        response.writeHead(said.status, { "content-type": "application/json" }).end(said.body);
        return;
      }
      const stamp = { id: `v${turns}`, createdAt: 0, model: turn.request.settings.model, wantsUsage: turn.wantsUsage };
      if ("broken" in said) {
        response.writeHead(200, { "content-type": wire.streamType });
        response.write(said.broken, () => response.destroy());
      } else if (turn.isStream) {
        response.writeHead(200, { "content-type": wire.streamType });
        for (const part of wire.stream(said, stamp)) response.write(part);
        response.end();
      } else {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(wire.write(said, stamp)));
      }
    });
  });
  return { url: server.baseURL, asked, close: () => server.close() };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
