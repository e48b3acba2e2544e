// The provider of one vendor: the same request with or without streaming, and one response either way. The key lives in a closure
// only: no property of a provider and no error carries it.

import { defined } from "../defined.js";
import { AgentError, invalidOptions } from "../errors.js";
import { MAX_WARNED_LOSSES } from "../limits.js";
import type { LlmProviderAdapter, LlmStreamEvent, LlmTurnRequest } from "../model/provider.js";
import { readStream } from "../model/stream.js";
import { withSystemPorts, type Ports } from "../ports.js";
import type { Decoding } from "../http/json-readers.js";
import { postJson, type HttpCall } from "../http/json-request.js";
import { quoteForeign } from "../text/mask.js";
import { thrownText } from "../text/thrown.js";
import type { Maybe } from "../time/wait.js";
import { postStream } from "../http/stream-request.js";
import { createPricer } from "./price.js";
import { assertRequest } from "./request.js";
import { createStreamDecoder } from "./stream.js";
import {
  assertVendorOptions,
  keyProblem,
  type AnyVendorOptions,
  type VendorCalls,
  type VendorTraits,
} from "./vendor-options.js";

/**
 * Builds a provider for one model. Throws `invalid-options` here rather than at the first turn. A base URL must not end in a turn path.
 * Each turn awaits `load`.
 */
export function createVendorProvider(
  vendor: VendorTraits,
  load: () => Maybe<VendorCalls>,
  options: AnyVendorOptions,
  turnPaths: readonly string[],
): LlmProviderAdapter {
  assertVendorOptions(options, vendor, turnPaths);
  const { model, name = `${vendor.name}:${model}` } = options;
  const baseURL = options.baseURL ?? vendor.baseURL;
  const host = new URL(baseURL).hostname;
  const ports = withSystemPorts(options.ports);
  if (options.fetch !== undefined) ports.fetch = options.fetch;
  const { pricing, requirePrice } = options;
  const price = createPricer(
    { providerName: name, model, pricing, defaultPricing: vendor.pricing, requirePrice },
    ports,
  );
  price.assertPriced(model);
  const parts: Parts = { vendor, load, options, name, baseURL, host, ports, price, noted: new Set() };
  return withKey(parts, options.apiKey ?? undefined);
}

interface Parts {
  readonly vendor: VendorTraits;
  readonly load: () => Maybe<VendorCalls>;
  readonly options: AnyVendorOptions;
  readonly name: string;
  readonly baseURL: string;
  readonly host: string;
  readonly ports: Ports;
  readonly price: ReturnType<typeof createPricer>;
  /** What was warned about, by all copies with a key of their own. */
  readonly noted: Set<string>;
}

/** A provider with this key, or one that waits for its key. */
function withKey(parts: Parts, apiKey: string | undefined): LlmProviderAdapter {
  const { vendor, load, options, name, baseURL, host, ports, price } = parts;
  const { maxBodyBytes } = options;
  const secret = apiKey ?? "";
  const quote = (text: string): string => quoteForeign(text, secret);
  const decoding: Decoding = { providerName: name, quote, note: noteOnce(parts, quote) };

  /** Checks a request, and keeps its list as it is now: the wire may be loaded first. */
  const begin = async (given: LlmTurnRequest): Promise<[VendorCalls, LlmTurnRequest]> => {
    assertRequest(name, given);
    if (vendor.keyVariable !== undefined && apiKey === undefined) throw keyless(name);
    const request = { ...given, messages: [...given.messages] };
    return [await loadWith(load, name), request];
  };
  const toCall = (calls: VendorCalls, request: LlmTurnRequest, streaming: boolean): HttpCall => {
    const { path, headers, body } = calls.call(request, { options, key: secret, host, streaming });
    if (request.settings?.model !== undefined) price.assertPriced(request.settings.model);
    const { signal, timeoutMs = options.timeoutMs } = request;
    const url = joinPath(baseURL, path);
    return { providerName: name, url, headers, body, secret, ...defined({ signal, timeoutMs, maxBodyBytes }) };
  };
  async function* callStream(given: LlmTurnRequest): AsyncGenerator<LlmStreamEvent, void, undefined> {
    const [calls, request] = await begin(given);
    const call = toCall(calls, request, true);
    const decoder = createStreamDecoder(calls.format, decoding);
    for await (const bytes of postStream(call, ports)) {
      yield* decoder.feed(bytes);
      if (decoder.isEnded()) break;
    }
    const { deltas, response } = decoder.end();
    yield* deltas;
    yield { type: "response", response: price(response, request) };
  }

  const provider: LlmProviderAdapter = {
    name,
    async turn(given) {
      if (options.streaming === true) return readStream(callStream(given), name);
      const [calls, request] = await begin(given);
      const json = await postJson(toCall(calls, request, false), ports);
      return price(calls.format.decode(json, decoding), request);
    },
    async *stream(request) {
      let hasStarted = false;
      try {
        for await (const event of callStream(request)) {
          hasStarted = true;
          yield event;
        }
      } catch (error) {
        throw hasStarted ? toStarted(error) : error;
      }
    },
  };
  if (vendor.keyVariable === undefined) return provider;
  const withCredential = (credential: unknown) => withKey(parts, toKey(name, credential));
  // Not enumerable, so that a wrapper made by a spread is not passed by.
  return Object.defineProperty(provider, "withCredential", { value: withCredential });
}

async function loadWith(load: () => Maybe<VendorCalls>, name: string): Promise<VendorCalls> {
  try {
    return await load();
  } catch (error) {
    throw new AgentError("capability-missing", `${name}: the code of its wire cannot be loaded: ${thrownText(error)}`, {
      hint: "Install playhead again, or serve all files of its dist folder.",
      cause: error,
    });
  }
}

/** No key at all is found by the call that lacks it. */
function toKey(name: string, credential: unknown): string | undefined {
  if (credential === undefined || credential === null) return undefined;
  const problem = keyProblem(credential);
  if (problem === "") return credential as string;
  throw invalidOptions(`${name}: a credential cannot be used: ${problem}`, "Give the vendor's key as a text.");
}

function keyless(name: string): AgentError {
  return new AgentError("capability-missing", `${name} has no key for this call`, {
    hint: "Use it in a fallback chain with keyFor and an entry id, or pass apiKey.",
  });
}

/** `path` below the base URL, whose own query is kept. A query of `path` comes after it. */
function joinPath(baseURL: string, path: string): string {
  const url = new URL(baseURL);
  const [pathname = "", query] = path.split("?", 2);
  url.pathname = url.pathname.replace(/\/+$/, "") + pathname;
  if (query !== undefined) url.search += url.search === "" ? `?${query}` : `&${query}`;
  url.hash = "";
  return url.href;
}

/** The same error, marked as thrown after the caller received a part of the answer. */
function toStarted(error: unknown): unknown {
  if (!(error instanceof AgentError)) return error;
  const { code, message, hint, retryable, kind, cause } = error;
  return new AgentError(code, message, { ...defined({ hint, kind }), retryable, cause, responseStarted: true });
}

function noteOnce({ name, ports, noted }: Parts, quote: (text: string) => string): (what: string) => void {
  return (what) => {
    if (noted.size >= MAX_WARNED_LOSSES) return;
    // The shortened text is kept, since the vendor's own may have millions of characters.
    const quoted = quote(what);
    if (noted.has(quoted)) return;
    noted.add(quoted);
    ports.warn(`${name}: the answer has ${quoted}, which a response has no place for; it was left out`);
  };
}
