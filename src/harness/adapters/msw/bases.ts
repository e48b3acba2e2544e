// The requests that handlers take: those below the base URLs of the vendors. Default are the addresses built into their clients.

import { CassetteError } from "../../../cassette/index.js";
import {
  holderOf,
  isWireName,
  showValue,
  VENDORS,
  WIRE_NAMES,
  wireOf,
  type Wire,
  type WireName,
} from "../../../core/index.js";

/** Base URLs as the vendors' clients take them, by wire. Each replaces the vendor's own. */
export type BaseUrls = Partial<Readonly<Record<WireName, string | readonly string[]>>>;

export interface Bases {
  /** Matches every URL, without its query, that lies below one of the bases. */
  readonly pattern: RegExp;
  /** The wire of a request. Undefined for a request that is not a conversation turn. */
  wireOf(request: { readonly method: string; readonly url: string }): Wire | undefined;
  /** The wire of a request that begins a conversation without a turn. */
  holderOf(request: { readonly method: string; readonly url: string }): Wire | undefined;
}

/** Throws `invalid-options`. */
export function readBases(owner: string, baseUrls: BaseUrls = {}): Bases {
  const unknown = Object.keys(baseUrls).filter((name) => !isWireName(name));
  if (unknown.length > 0) throw invalid(`baseUrls of ${owner} names an unknown wire: ${unknown.join(", ")}`);
  const byWire = WIRE_NAMES.map((name) => ({
    name,
    starts: [basesOf(name, baseUrls)].flat().map((text) => readBase(owner, name, text)),
  }));
  const among: Find = (find, { method, url }) => {
    const { href, pathname } = withoutQuery(url);
    const wire = find({ method, path: pathname });
    const starts = byWire.find(({ name }) => name === wire?.name)?.starts ?? [];
    return starts.some((start) => href.startsWith(`${start}/`)) ? wire : undefined;
  };
  const all = [...new Set(byWire.flatMap(({ starts }) => starts))];
  return {
    pattern: new RegExp(`^(?:${all.map(escape).join("|")})(?:/|$)`),
    wireOf: (request) => among(wireOf, request),
    holderOf: (request) => among(holderOf, request),
  };
}

type Find = (find: typeof wireOf, request: { readonly method: string; readonly url: string }) => Wire | undefined;

/** One client speaks both wires of OpenAI, so a base URL for one of them serves the other. */
function basesOf(name: WireName, baseUrls: BaseUrls): string | readonly string[] {
  const { client } = VENDORS[name];
  const twin = WIRE_NAMES.find((other) => baseUrls[other] !== undefined && VENDORS[other].client === client);
  return baseUrls[name] ?? (twin === undefined ? client.baseURLs : (baseUrls[twin] ?? client.baseURLs));
}

/** A base URL in normal form, without a slash at its end. */
function readBase(owner: string, wire: WireName, text: unknown): string {
  if (typeof text !== "string" || !URL.canParse(text)) {
    throw invalid(`baseUrls.${wire} of ${owner} is ${showValue(text)}, which is not an absolute URL`);
  }
  const url = new URL(text);
  if (url.search !== "" || url.hash !== "" || !/^https?:$/.test(url.protocol)) {
    throw invalid(`baseUrls.${wire} of ${owner} is ${showValue(text)}: an http(s) URL without a query is expected`);
  }
  return url.href.replace(/\/+$/, "");
}

function withoutQuery(text: string): URL {
  const url = new URL(text);
  url.search = "";
  url.hash = "";
  return url;
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function invalid(summary: string): CassetteError {
  return new CassetteError("invalid-options", summary, {
    hint: `Give base URLs as the clients take them, such as { openai: "https://api.openai.com/v1" }. The wires are ${WIRE_NAMES.join(", ")}.`,
  });
}
