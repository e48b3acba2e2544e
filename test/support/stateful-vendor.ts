// A vendor on this machine that holds conversations, as OpenAI and Anthropic do: it needs the ids that it gave, and it answers from
// the whole conversation. It has its own memory, apart from the one of the doors.

import { randomUUID } from "node:crypto";
import type { LlmTurnResponse } from "../../src/core/model/provider.js";
import { wireOf } from "../../src/core/vendors/vendors.js";
import type { WireRequest } from "../../src/core/wire/turn.js";
import { listen } from "./wire.js";

type Json = Record<string, unknown>;

interface Memory {
  items: unknown[];
  system?: unknown;
  tools?: unknown;
}

export interface StatefulVendor {
  readonly url: string;
  /** The bodies of the requests as they came. */
  readonly asked: readonly Json[];
  close(): Promise<void>;
}

export async function startStatefulVendor(answer: (request: WireRequest) => LlmTurnResponse): Promise<StatefulVendor> {
  const memories = new Map<string, Memory>();
  const items = new Map<string, unknown>();
  const asked: Json[] = [];
  const server = await listen((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const path = (incoming.url ?? "").split("?")[0] ?? "";
      const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as Json;
      asked.push(body);
      const send = (status: number, json: unknown): void => {
        response.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" });
        response.end(JSON.stringify(json));
      };
      if (path.endsWith("/conversations")) {
        const id = `conv_${randomUUID()}`;
        memories.set(id, { items: (body["items"] as unknown[] | undefined) ?? [] });
        return void send(200, { id, object: "conversation", created_at: 0, metadata: {} });
      }
      const wire = wireOf({ method: "POST", path });
      if (wire === undefined) return void send(404, {});
      const { thread, previous_response_id: previous, conversation, ...rest } = body as Record<string, Json | string>;
      const isThread = wire.name === "anthropic";
      const id = isThread ? (thread as Json | undefined)?.["previous_message_id"] : (previous ?? conversation);
      const memory = id === undefined || id === null ? { items: [] } : memories.get(id as string);
      if (memory === undefined) {
        const code = isThread ? "thread_not_found" : "previous_response_not_found";
        return void send(isThread ? 404 : 400, wire.fail({ status: 400, code, message: `${String(id)} not found` }));
      }
      const field = isThread ? "messages" : "input";
      const given = rest[field];
      const added = (typeof given === "string" ? [{ role: "user", content: given }] : (given as unknown as Json[])).map(
        (item) => (item["type"] === "item_reference" ? items.get(item["id"] as string) : item),
      );
      const { system, tools } = { ...memory, ...rest } as Memory;
      const kept = isThread ? { ...(system ? { system } : {}), ...(tools ? { tools } : {}) } : {};
      const whole = [...memory.items, ...added];
      const turn = wire.parse({ ...kept, ...rest, [field]: whole });
      const said = answer(turn.request);
      const stamp = { id: randomUUID(), createdAt: 0, model: "m-1" };
      const json = wire.write(said, stamp);
      const output = isThread ? [{ role: "assistant", content: json["content"] }] : (json["output"] as Json[]);
      for (const item of output as Json[]) if (typeof item["id"] === "string") items.set(item["id"], item);
      const next = { ...kept, items: [...whole, ...output] };
      if (isThread ? thread !== undefined : body["store"] !== false) memories.set(json["id"] as string, next);
      if (typeof conversation === "string") memories.set(conversation, next);
      if (!turn.isStream) return void send(200, json);
      response.writeHead(200, { "content-type": wire.streamType });
      for (const part of wire.stream(said, stamp)) response.write(part);
      response.end();
    });
  });
  return { url: server.baseURL, asked, close: () => server.close() };
}
