// What every vendor adapter shares: the options and their check at construction, and the one way a body goes out. The key
// lives in a closure only; no property of a provider and no error carries it.

import type { JsonObject } from "../canon/value.js";
import { AgentError } from "../errors.js";
import type { Pricing } from "../model/pricing.js";
import type { LlmTurnRequest } from "../model/provider.js";
import { assertKnownOptions } from "../options.js";
import { withSystemPorts, type Ports } from "../ports.js";
import { postStream } from "./http-stream.js";
import { postJson, type HttpCall } from "./http.js";
import { createPricer, type Pricer } from "./price.js";
import { maskSecrets, quoteForeign } from "./secret.js";
import type { Decoding } from "./wire.js";

/** Options that every vendor takes. */
export interface VendorOptions {
  model: string;
  /** Where the API begins. https, or http on this machine; a query in it (`?api-version=…`) is kept. */
  baseURL?: string;
  /** Replaces the platform's fetch: tests, header injection, request signing. */
  fetch?: typeof globalThis.fetch;
  /**
   * For a call whose request names no `timeoutMs`: of an answer that comes whole the time until it is there, of a stream the
   * longest silence in it (comments and pings are no silence).
   */
  timeoutMs?: number;
  /** Makes `turn` stream inside, so that long thinking does not run into a time limit. Default false. */
  streaming?: boolean;
  /** The largest answer that is read. Default 32 MiB, and 256 MiB for a stream with all that is around its words. */
  maxBodyBytes?: number;
  /** What recordings and errors call this provider. Default vendor and model, such as `openai:gpt-4o`. */
  name?: string;
  ports?: Partial<Ports>;
}

/**
 * Options of a vendor that takes a key. The key is sent as it is to whatever host `baseURL` names: https keeps it from being
 * read on the way, not from going to the wrong place.
 */
export interface KeyedVendorOptions extends VendorOptions {
  apiKey: string;
  /** The price list, used alone. Default the vendor's in this package, dated `PRICING_DATE`; spread it to add to it. */
  pricing?: Pricing;
}

/** What one vendor is, beside its options. */
export interface VendorTraits {
  vendor: string;
  defaultBaseURL: string;
  path: string;
  needsKey: boolean;
  /** For a caller who brings no `pricing`; without it nothing is priced. */
  pricing?: Pricing;
  /** Names of options that this vendor alone has. */
  ownOptions?: readonly string[];
  /** Problems with options that this vendor alone has. */
  problems?: readonly string[];
}

/** A vendor whose options are right. */
export interface Vendor {
  readonly name: string;
  readonly url: URL;
  readonly decoding: Decoding;
  /** Adds the price to a decoded answer. */
  readonly price: Pricer;
  post(body: JsonObject, headers: Readonly<Record<string, string>>, request: LlmTurnRequest): Promise<unknown>;
  /** The bytes of the answer as they come. Sends at the first `next()`. */
  stream(
    body: JsonObject,
    headers: Readonly<Record<string, string>>,
    request: LlmTurnRequest,
  ): AsyncIterable<Uint8Array>;
}

const OPTIONS = ["model", "baseURL", "fetch", "timeoutMs", "streaming", "maxBodyBytes", "name", "ports"];
const KEYED_OPTIONS = ["apiKey", "pricing"];

/** Checks the options, all of them at once, and opens the way to the vendor. Sends nothing yet. */
export function openVendor(options: VendorOptions & Partial<KeyedVendorOptions>, traits: VendorTraits): Vendor {
  assertKnownOptions(`${traits.vendor}Provider`, options, [
    ...(traits.needsKey ? [...OPTIONS, ...KEYED_OPTIONS] : OPTIONS),
    ...(traits.ownOptions ?? []),
  ]);
  assertOptions(options, traits);
  const name = options.name ?? `${traits.vendor}:${options.model}`;
  const url = joinPath(options.baseURL ?? traits.defaultBaseURL, traits.path);
  const secret = options.apiKey ?? "";
  const { timeoutMs: ownTimeoutMs, maxBodyBytes } = options;
  const ports = withSystemPorts(options.ports);
  if (options.fetch !== undefined) ports.fetch = options.fetch;
  const { model, pricing } = options;
  const price = createPricer({ providerName: name, model, pricing, defaultPricing: traits.pricing }, ports);
  const toCall = (body: JsonObject, headers: Readonly<Record<string, string>>, request: LlmTurnRequest): HttpCall => {
    const timeoutMs = request.timeoutMs ?? ownTimeoutMs;
    return {
      providerName: name,
      url: url.href,
      headers,
      body,
      secret,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
    };
  };

  return {
    name,
    url,
    decoding: { providerName: name, quote: (text) => quoteForeign(text, secret), note: noteOnce(name, secret, ports) },
    price,
    post: (...terms) => postJson(toCall(...terms), ports),
    stream: (...terms) => postStream(toCall(...terms), ports),
  };
}

function assertOptions(options: VendorOptions & Partial<KeyedVendorOptions>, traits: VendorTraits): void {
  const { model, name, apiKey, timeoutMs, maxBodyBytes, streaming } = options;
  const problems = [
    isText(model) ? "" : "model is missing: name the model to call",
    traits.needsKey ? keyProblem(apiKey) : "",
    urlProblem(options.baseURL ?? traits.defaultBaseURL, apiKey),
    isPositive(timeoutMs) ? "" : `timeoutMs is ${String(timeoutMs)}: give a positive, finite number`,
    isPositive(maxBodyBytes) ? "" : `maxBodyBytes is ${String(maxBodyBytes)}: give a positive, finite number`,
    name === undefined || isText(name) ? "" : "name is empty: leave it out for the default",
    streaming === undefined || typeof streaming === "boolean"
      ? ""
      : `streaming is ${String(streaming)}: give true or false`,
    ...(traits.problems ?? []),
  ].filter((problem) => problem !== "");
  if (problems.length === 0) return;
  throw new AgentError("invalid-options", `${traits.vendor} provider: ${problems.join("; ")}`, {
    hint: traits.needsKey
      ? "Pass { apiKey, model } and an https baseURL; read the key from your own configuration."
      : "Pass { model } and, for a host other than this machine, an https baseURL.",
  });
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isPositive(value: unknown): boolean {
  return value === undefined || (typeof value === "number" && Number.isFinite(value) && value > 0);
}

function keyProblem(apiKey: unknown): string {
  if (!isText(apiKey)) return "apiKey is missing or empty: pass the vendor's key";
  return /^[\x21-\x7e]+$/.test(apiKey)
    ? ""
    : "apiKey has a blank, line break or other character that no header can carry: trim it";
}

const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

function urlProblem(baseURL: unknown, apiKey = ""): string {
  if (typeof baseURL !== "string" || !URL.canParse(baseURL)) {
    return `baseURL ${JSON.stringify(maskSecrets(String(baseURL), apiKey))} is not an absolute URL`;
  }
  const url = new URL(baseURL);
  if (url.username !== "" || url.password !== "")
    return "baseURL has a user name or password in it: pass apiKey instead";
  if (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK_HOSTS.includes(url.hostname))) return "";
  return `baseURL ${url.protocol}//${url.host} is not https: plain http is for ${LOOPBACK_HOSTS.join(", ")} only`;
}

function joinPath(baseURL: string, path: string): URL {
  const url = new URL(baseURL);
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  url.hash = "";
  return url;
}

/** The most different things one provider says it left out; a hostile vendor could name new ones for ever. */
const MAX_NOTES = 20;

function noteOnce(name: string, secret: string, ports: Ports): (what: string) => void {
  const said = new Set<string>();
  return (what) => {
    if (said.size >= MAX_NOTES) return;
    // What is shown is what is kept; the vendor's own text may have millions of characters.
    const quoted = quoteForeign(what, secret);
    if (said.has(quoted)) return;
    said.add(quoted);
    ports.warn(`${name}: the answer has ${quoted}, which a response has no place for; it was left out`);
  };
}
