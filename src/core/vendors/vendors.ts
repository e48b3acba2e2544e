// All vendors with their wires, for code that meets any of them: servers, recorders and importers.

import { createVendorProvider } from "../providers/vendor.js";
import type { AnyVendorOptions } from "../providers/vendor-options.js";
import type { LlmProviderAdapter } from "../model/provider.js";
import { anthropic } from "./anthropic/vendor.js";
import { bedrock } from "./bedrock/vendor.js";
import { cohere } from "./cohere/vendor.js";
import { gemini } from "./gemini/vendor.js";
import { ollama } from "./ollama/vendor.js";
import { openai } from "./openai/vendor.js";
import { responses } from "./responses/vendor.js";
import { TURN_PATHS, type WireName } from "./table.js";
import type { Vendor } from "./vendor.js";

export const VENDORS = { openai, responses, anthropic, gemini, bedrock, cohere, ollama } satisfies Readonly<
  Record<WireName, Vendor>
>;

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

/** Creates a provider of any vendor. Throws `invalid-options` for options that can never work. */
export function vendorProvider(vendor: Vendor, options: AnyVendorOptions): LlmProviderAdapter {
  return createVendorProvider(vendor, () => vendor, options, TURN_PATHS);
}
