// The table of vendors. A new vendor is a folder next to this file and a row here.

import { createVendorProvider } from "../providers/vendor.js";
import type { AnyVendorOptions } from "../providers/vendor-options.js";
import type { LlmProviderAdapter, LlmTurnRequest } from "../model/provider.js";
import { carryMessageFields, wireFieldsOf, withWireFields } from "../wire/fields.js";
import type { WireRequest } from "../wire/turn.js";
import { anthropic } from "./anthropic/vendor.js";
import { bedrock } from "./bedrock/vendor.js";
import { cohere } from "./cohere/vendor.js";
import { gemini } from "./gemini/vendor.js";
import { ollama } from "./ollama/vendor.js";
import { openai } from "./openai/vendor.js";
import { responses } from "./responses/vendor.js";
import type { Vendor, Wire } from "./vendor.js";

export const VENDORS = { openai, responses, anthropic, gemini, bedrock, cohere, ollama } satisfies Readonly<
  Record<string, Vendor>
>;

/** The name of a vendor, of its wire, and of the setting that holds extra fields of its requests. */
export type WireName = keyof typeof VENDORS;

export const WIRE_NAMES = Object.keys(VENDORS) as readonly WireName[];

/** Every wire (a vendor's HTTP protocol, from the server's side) by the name of its vendor. */
export const WIRES: Readonly<Record<WireName, Wire>> = VENDORS;

/** The vendor for requests that name none. Most other hosts speak its wire. */
export const DEFAULT_VENDOR: WireName = "openai";

export function isWireName(name: unknown): name is WireName {
  return typeof name === "string" && Object.hasOwn(VENDORS, name);
}

/** Finds the vendor of a request by the end of its path, without the query. Undefined if the request is not a turn. */
export function wireOf(request: { method: string; path: string }): Vendor | undefined {
  return Object.values<Vendor>(VENDORS).find((vendor) => vendor.isTurn(request));
}

/** Finds the vendor whose server begins a conversation for a request that is not a turn. */
export function holderOf(request: { method: string; path: string }): Vendor | undefined {
  return Object.values<Vendor>(VENDORS).find(({ state }) => state?.beginning?.matches(request) === true);
}

/** Finds the vendor of a request that is not a turn and may continue a conversation on the vendor's server. */
export function followerOf(request: { method: string; path: string }): Vendor | undefined {
  return Object.values<Vendor>(VENDORS).find(({ state }) => state?.follows?.(request) === true);
}

/** Endpoints for conversation turns, for use in messages. */
export const TURN_PATHS: readonly string[] = Object.values(VENDORS).map(({ path }) => path);

/** The variables that hold the vendors' keys by convention. */
export const KEY_VARIABLES: readonly string[] = [
  ...new Set(Object.values<Vendor>(VENDORS).flatMap(({ keyVariable = [] }) => keyVariable)),
];

/** Creates a provider of any vendor. Throws `invalid-options` for options that can never work. */
export function vendorProvider(vendor: Vendor, options: AnyVendorOptions): LlmProviderAdapter {
  return createVendorProvider(vendor, options, TURN_PATHS);
}

/** A limit for a wire that requires one, if neither side of a comparison has one. */
const ANY_LIMIT = 4096;

/**
 * `request` as it arrives after it went over `wire`. Two requests that arrive alike are the same to a server. `like` gives the model,
 * and the limit where the wire demands one. Fields that the wire's reader kept are carried along, those of another wire are not.
 * Undefined where the wire cannot carry the request.
 */
export function throughWire(request: LlmTurnRequest, wire: Wire, like: WireRequest): WireRequest | undefined {
  const { model, maxTokens = ANY_LIMIT } = like.settings;
  const sent = { ...request, settings: { ...request.settings, model } };
  try {
    const { settings, messages, ...rest } = wire.parse(wire.encode(sent, model, maxTokens)).request;
    return {
      ...rest,
      messages: carryMessageFields(request.messages, messages, wire.name),
      // A wire may name the model outside of the body.
      settings: withWireFields({ ...settings, model }, wire.name, wireFieldsOf(sent.settings, wire.name)),
    };
  } catch {
    return undefined;
  }
}
