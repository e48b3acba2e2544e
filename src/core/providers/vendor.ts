// What every vendor adapter shares: the one way a body goes out. The key lives in a closure only; no property of a provider and
// no error carries it.

import { defined } from "../defined.js";
import type { JsonObject } from "../canon/value.js";
import type { LlmTurnRequest } from "../model/provider.js";
import { withSystemPorts, type Ports } from "../ports.js";
import { postStream } from "../http/stream-request.js";
import { postJson, type HttpCall } from "../http/json-request.js";
import { createPricer, type Pricer } from "./price.js";
import { quoteForeign } from "../text/mask.js";
import {
  assertVendorOptions,
  type KeyedVendorOptions,
  type VendorOptions,
  type VendorTraits,
} from "./vendor-options.js";
import type { Decoding } from "../http/json-readers.js";

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

/** Checks the options, all of them at once (see {@link assertVendorOptions}), and opens the way to the vendor. Sends nothing yet. */
export function openVendor(options: VendorOptions & Partial<KeyedVendorOptions>, traits: VendorTraits): Vendor {
  assertVendorOptions(options, traits);
  const name = options.name ?? `${traits.vendor}:${options.model}`;
  const url = joinPath(options.baseURL ?? traits.defaultBaseURL, traits.path);
  const secret = options.apiKey ?? "";
  const { timeoutMs: ownTimeoutMs, maxBodyBytes } = options;
  const ports = withSystemPorts(options.ports);
  if (options.fetch !== undefined) ports.fetch = options.fetch;
  const { model, pricing, requirePrice } = options;
  const price = createPricer(
    { providerName: name, model, pricing, defaultPricing: traits.pricing, requirePrice },
    ports,
  );
  price.assertPriced(model);
  const toCall = (body: JsonObject, headers: Readonly<Record<string, string>>, request: LlmTurnRequest): HttpCall => {
    const timeoutMs = request.timeoutMs ?? ownTimeoutMs;
    if (request.settings?.model !== undefined) price.assertPriced(request.settings.model);
    return {
      providerName: name,
      url: url.href,
      headers,
      body,
      secret,
      ...defined({ signal: request.signal, timeoutMs, maxBodyBytes }),
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
