// The options of the vendors, and their check at construction, which reports all problems at once.

import { AgentError, invalidOptions } from "../errors.js";
import type { JsonObject } from "../canon/value.js";
import type { StreamWire } from "../http/fold.js";
import type { Pricing } from "../model/pricing.js";
import type { LlmTurnRequest } from "../model/provider.js";
import { unknownOptions } from "../options.js";
import { showValue } from "../text/show.js";
import { portsProblem, withSystemPorts, type Ports } from "../ports.js";
import { baseUrlProblem } from "../http/base-url.js";
import { createPricer } from "./price.js";
import { maskSecrets } from "../text/mask.js";

/** Options that every vendor takes. */
export interface VendorOptions {
  model: string;
  /** Where the API begins: https, or http on this machine. Its query (`?api-version=…`) is kept. */
  baseURL?: string;
  /** Replaces the platform's fetch: tests, header injection, request signing. */
  fetch?: typeof globalThis.fetch;
  /**
   * Time limit in ms for a request without a `timeoutMs`: for a whole answer, until it arrives; for a stream, the longest gap between
   * chunks, comments and pings included.
   */
  timeoutMs?: number;
  /** Makes `turn` stream internally, so that long thinking does not exceed a time limit. Default false. */
  streaming?: boolean;
  /** The largest answer that is read. Default 32 MiB, and 256 MiB for a stream with its framing. */
  maxBodyBytes?: number;
  /** The provider's name in recordings and errors. Default vendor and model, such as `openai:gpt-4o`. */
  name?: string;
  ports?: Partial<Ports>;
}

/** Options of a vendor that takes a key. The key goes to the host of `baseURL`: https protects it from readers, not from a wrong host. */
export interface KeyedVendorOptions extends VendorOptions {
  /** Null if the key comes with each call, by `keyFor` of a fallback chain. */
  apiKey: string | null;
  /** Replaces the vendor's price list in this package, dated `PRICING_DATE`. Spread that list to add to it. */
  pricing?: Pricing;
  /** Refuses a model without a price (`invalid-options`), so that a budget's `maxCostUsd` always applies. Default false. */
  requirePrice?: boolean;
}

export type AnyVendorOptions = VendorOptions & Partial<KeyedVendorOptions>;

export interface VendorCall {
  /** Added to the base URL; it may have a query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** What a call depends on besides the request. A model in the request's settings replaces that of the options. */
export interface CallTerms<Options extends VendorOptions = AnyVendorOptions> {
  readonly options: Options;
  /** Empty for a vendor that takes none. */
  readonly key: string;
  readonly host: string;
  readonly streaming: boolean;
}

export interface VendorTraits {
  readonly name: string;
  readonly baseURL: string;
  /** The endpoint as messages name it, such as `/chat/completions`. */
  readonly path: string;
  /** The variable that holds the key by convention. Absent for a vendor that takes no key. */
  readonly keyVariable?: string;
  /** For a caller who brings no `pricing`. Without it nothing is priced. */
  readonly pricing?: Pricing;
  /** The options that this vendor alone has, each with a function that returns the problem of a value, or "". */
  readonly ownOptions?: Readonly<Record<string, (value: unknown) => string>>;
}

/** How a vendor's provider speaks. */
export interface VendorCalls {
  readonly format: StreamWire;
  call(request: LlmTurnRequest, terms: CallTerms): VendorCall;
}

const OPTIONS = ["model", "baseURL", "fetch", "timeoutMs", "streaming", "maxBodyBytes", "name", "ports"];
const KEYED_OPTIONS = ["apiKey", "pricing", "requirePrice"];

/** Throws `invalid-options`, which names every option that is unknown, missing or can never work, and never shows the key. */
export function assertVendorOptions(given: unknown, vendor: VendorTraits, turnPaths: readonly string[]): void {
  const needsKey = vendor.keyVariable !== undefined;
  const isGiven = typeof given === "object" && given !== null;
  const options: Fields = isGiven ? (given as Fields) : {};
  const known = [...OPTIONS, ...(needsKey ? KEYED_OPTIONS : []), ...Object.keys(vendor.ownOptions ?? {})];
  const unknown = unknownOptions(options, known);
  const problems = [
    isGiven || given === undefined ? "" : `the options are ${showValue(given)}`,
    unknown.length === 0 ? "" : `unknown option ${unknown.join(", ")}`,
    ...findProblems(options, vendor, turnPaths),
  ].filter((problem) => problem !== "");
  if (problems.length === 0) return;
  const apiKey = options["apiKey"];
  const said = maskSecrets(problems.join("; "), typeof apiKey === "string" ? apiKey : "");
  const usual = needsKey
    ? "Pass { apiKey, model } and an https baseURL; read the key from your own configuration."
    : "Pass { model } and, for a host other than this machine, an https baseURL.";
  throw invalidOptions(
    `${vendor.name} provider: ${said}`,
    unknown.length === 0 ? usual : `The options are ${known.join(", ")}.`,
  );
}

type Fields = Readonly<Record<string, unknown>>;

function findProblems(options: Fields, vendor: VendorTraits, turnPaths: readonly string[]): string[] {
  const { model, name, apiKey, timeoutMs, maxBodyBytes, fetch, streaming, ports, baseURL } = options;
  const needsKey = vendor.keyVariable !== undefined;
  return [
    isText(model) ? "" : `${describeLack("model", model)}: name the model to call`,
    needsKey && apiKey !== null ? keyProblem(apiKey) : "",
    baseUrlProblem(baseURL ?? vendor.baseURL, { path: vendor.path, needsKey, turnPaths }),
    isPositive(timeoutMs) ? "" : `timeoutMs is ${showValue(timeoutMs)}: give a positive, finite number`,
    isPositive(maxBodyBytes) ? "" : `maxBodyBytes is ${showValue(maxBodyBytes)}: give a positive, finite number`,
    name === undefined || isText(name) ? "" : nameProblem(name),
    flagProblem("streaming", streaming),
    fetch === undefined || typeof fetch === "function"
      ? ""
      : `fetch is ${showValue(fetch)}: give a function like the platform's fetch, or leave it out`,
    portsProblem(ports),
    needsKey ? pricingProblem(options["pricing"]) : "",
    needsKey ? flagProblem("requirePrice", options["requirePrice"]) : "",
    ...Object.entries(vendor.ownOptions ?? {}).map(([own, find]) =>
      options[own] === undefined ? "" : find(options[own]),
    ),
  ];
}

export function flagProblem(name: string, value: unknown): string {
  return value === undefined || typeof value === "boolean" ? "" : `${name} is ${showValue(value)}: give true or false`;
}

export function nameProblem(name: unknown): string {
  if (isText(name)) return "";
  return typeof name === "string"
    ? "name is empty: omit it for the default"
    : `name is ${showValue(name)}: pass a string, or omit it for the default`;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isPositive(value: unknown): boolean {
  return value === undefined || (typeof value === "number" && Number.isFinite(value) && value > 0);
}

function describeLack(name: string, value: unknown): string {
  const isThere = value !== undefined && value !== null && typeof value !== "string";
  return isThere ? `${name} is ${showValue(value)}, not a string` : `${name} is missing`;
}

export function keyProblem(apiKey: unknown): string {
  if (apiKey !== undefined && typeof apiKey !== "string") {
    return `apiKey is a ${typeof apiKey}, not a string: pass the vendor's key`;
  }
  if (!isText(apiKey)) return "apiKey is missing or empty: pass the vendor's key";
  return /^[\x21-\x7e]+$/.test(apiKey)
    ? ""
    : "apiKey has a blank, line break or other character that no header can carry: trim it";
}

function pricingProblem(pricing: unknown): string {
  try {
    createPricer({ providerName: "", model: "", pricing: pricing as Pricing | undefined }, withSystemPorts());
    return "";
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return [error.message.replace(/^: /, ""), error.hint?.replace(/\.$/, "")].join(": ");
  }
}
