// Conversations on the vendor's server that `serve --auto` began by itself, since a cassette may hold them. If no cassette holds the first
// turn, the conversation begins at the vendor too, and the vendor answers all of it.

import { parseBoundedJson } from "../../core/index.js";
import type { HttpHandler, HttpReply, HttpRequest } from "../../host/index.js";
import { MAX_BEGUN_CONVERSATIONS } from "../limits.js";

export interface BegunConversation {
  /** `open` before its first turn, `recorded` when a cassette answered it, and `live` when the vendor did. */
  readonly kind: "open" | "recorded" | "live";
  /** Keeps the conversation from the vendor, which does not know the turns of a cassette. */
  answered(): void;
  /** Sends a request to the vendor, under the vendor's id. The first one begins the conversation there. */
  send(request: HttpRequest, body: Uint8Array): Promise<HttpReply>;
}

export interface BegunConversations {
  /** Keeps a conversation by the request and the reply that began it. Forgets the oldest one beyond the limit. */
  keep(request: HttpRequest, reply: HttpReply): void;
  /** The conversation that a request names in its path or its body. */
  find(request: HttpRequest, body: Uint8Array): BegunConversation | undefined;
}

/** `record` sends a request to the vendor and records it. */
export function createBegunConversations(record: HttpHandler): BegunConversations {
  const kept = new Map<string, BegunConversation>();
  return {
    keep(request, { body }) {
      const id = typeof body === "string" ? idOf(body) : undefined;
      if (id === undefined) return;
      kept.set(id, createBegun(id, request, record));
      for (const oldest of kept.keys()) if (kept.size > MAX_BEGUN_CONVERSATIONS) kept.delete(oldest);
    },
    find({ path }, body) {
      if (kept.size === 0) return undefined;
      const named = path.split("/").find((name) => kept.has(name)) ?? conversationOf(body);
      return named === undefined ? undefined : kept.get(named);
    },
  };
}

function createBegun(id: string, begin: HttpRequest, record: HttpHandler): BegunConversation {
  let kind: BegunConversation["kind"] = "open";
  let begun: Promise<string | HttpReply> | undefined;
  return {
    get kind() {
      return kind;
    },
    answered() {
      if (kind === "open") kind = "recorded";
    },
    async send(request, body) {
      kind = "live";
      const there = await (begun ??= beginThere(begin, record));
      if (typeof there !== "string") return there;
      const path = request.path.split("/").map((name) => (name === id ? there : name));
      // A text that says the same would have its quotation marks escaped.
      const text = new TextDecoder().decode(body).replaceAll(JSON.stringify(id), JSON.stringify(there));
      const bytes = new TextEncoder().encode(text);
      const readBody = () => Promise.resolve({ kind: "read" as const, bytes });
      return record({ ...request, path: path.join("/"), readBody });
    },
  };
}

/** The vendor's id, or its answer if that has none. */
async function beginThere(begin: HttpRequest, record: HttpHandler): Promise<string | HttpReply> {
  // The client that began the conversation is gone by now.
  const reply = await record({ ...begin, signal: new AbortController().signal });
  const body = await textOf(reply.body);
  return idOf(body) ?? { ...reply, body };
}

async function textOf(body: HttpReply["body"]): Promise<string> {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(typeof part === "string" ? new TextEncoder().encode(part) : part);
  return Buffer.concat(parts).toString("utf8");
}

function idOf(text: string): string | undefined {
  const id = fieldOf(text, "id");
  return typeof id === "string" && id !== "" ? id : undefined;
}

function conversationOf(body: Uint8Array): string | undefined {
  const conversation = fieldOf(new TextDecoder().decode(body), "conversation");
  const id = (conversation as { id?: unknown } | null | undefined)?.id ?? conversation;
  return typeof id === "string" ? id : undefined;
}

/** A field of a JSON object. Undefined for any other text. */
function fieldOf(text: string, name: string): unknown {
  try {
    return (parseBoundedJson(text) as Record<string, unknown> | null)?.[name];
  } catch {
    return undefined;
  }
}
