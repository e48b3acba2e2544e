// The server of the pages as a function from requests to replies. Every address begins with a random key, which only the reader of the
// terminal knows: another user of this machine, or a page of another site, cannot guess it.

import { timingSafeEqual } from "node:crypto";
import { ITEM_KINDS, toListPage, UI_POLICY, type ListQuery } from "../../harness/index.js";
import type { HttpHandler, HttpReply, HttpRequest } from "../../host/index.js";
import { MAX_UI_LISTENERS } from "../limits.js";
import { changeEvents } from "./events.js";
import { filePage, historyPage, pairPage, type PageSources, type UiPage } from "./pages.js";

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": UI_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** `name` is the folder as the user named it. */
export function uiHandler(key: string, name: string, sources: PageSources): HttpHandler {
  let listeners = 0;
  return async (request) => {
    const { method, path, search } = request;
    if (path === "/favicon.ico") return { status: 204, headers: HEADERS, body: "" };
    if (!hasKey(path, key)) return text(403, "Open the address that cassette ui printed. It ends with a key.\n");
    if (method !== "GET" && method !== "HEAD") {
      return text(405, "cassette ui only shows pages.\n", { allow: "GET, HEAD" });
    }
    const fields = new URLSearchParams(search);
    if (!fields.has("events")) return html(await pageOf(fields, name, sources));
    if (listeners >= MAX_UI_LISTENERS) return text(503, "Too many pages are open. Close some.\n");
    listeners++;
    return events(fields, request, sources, () => listeners--);
  };
}

/** Compares in constant time, so that the time tells nothing about the key. */
function hasKey(path: string, key: string): boolean {
  const [given, wanted] = [Buffer.from(path), Buffer.from(`/${key}/`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function pageOf(fields: URLSearchParams, name: string, sources: PageSources): Promise<UiPage> {
  const { catalogue } = sources;
  catalogue.look();
  const [file, old, now] = ["file", "old", "new"].map((field) => fields.get(field));
  if (file) {
    return filePage(
      file,
      { missed: fields.get("miss") ?? undefined, candidate: fields.get("candidate") ?? undefined },
      sources,
    );
  }
  if (old && now) return pairPage(old, now, sources);
  if (fields.has("history")) return historyPage(name, sources);
  const state = {
    folder: name,
    items: catalogue.items(),
    waiting: catalogue.waiting(),
    notes: catalogue.notes(),
  };
  return { status: 200, text: toListPage(state, toQuery(fields)) };
}

function toQuery(fields: URLSearchParams): ListQuery {
  const kind = ([...ITEM_KINDS, "damaged"] as const).find((each) => each === fields.get("kind"));
  return { words: fields.get("q") ?? "", kind, sort: fields.get("sort") === "name" ? "name" : "newest" };
}

function events(
  fields: URLSearchParams,
  { signal, method }: HttpRequest,
  { catalogue }: PageSources,
  end: () => void,
): HttpReply {
  const files = ["file", "old", "new"].flatMap((field) => fields.get(field) ?? []);
  const headers = { ...HEADERS, "content-type": "text/event-stream" };
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      if (method === "GET") yield* changeEvents(catalogue, files, signal);
    } finally {
      end();
    }
  }
  return { status: 200, headers, body: body() };
}

function html({ status, text: body }: UiPage): HttpReply {
  return { status, headers: { ...HEADERS, "content-type": "text/html; charset=utf-8" }, body };
}

function text(status: number, body: string, more: Readonly<Record<string, string>> = {}): HttpReply {
  return { status, headers: { ...HEADERS, ...more, "content-type": "text/plain; charset=utf-8" }, body };
}
