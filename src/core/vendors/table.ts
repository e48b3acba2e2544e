// The table of vendors without their wires. A wire is loaded when a provider of its vendor is called. A new vendor is a folder next to
// this file, a row here, and a row of vendors.ts.

import type { Pricing } from "../model/pricing.js";
import { anthropicTraits } from "./anthropic/traits.js";
import { bedrockTraits } from "./bedrock/traits.js";
import { cohereTraits } from "./cohere/traits.js";
import { geminiTraits } from "./gemini/traits.js";
import { ollamaTraits } from "./ollama/traits.js";
import { openAiTraits } from "./openai/traits.js";
import { responsesTraits } from "./responses/traits.js";
import type { Traits } from "./traits.js";
import type { Vendor } from "./vendor.js";

interface Row {
  readonly traits: Traits;
  readonly load: () => Promise<Vendor>;
}

const TABLE = {
  openai: { traits: openAiTraits, load: async () => (await import("./openai/vendor.js")).openai },
  responses: { traits: responsesTraits, load: async () => (await import("./responses/vendor.js")).responses },
  anthropic: { traits: anthropicTraits, load: async () => (await import("./anthropic/vendor.js")).anthropic },
  gemini: { traits: geminiTraits, load: async () => (await import("./gemini/vendor.js")).gemini },
  bedrock: { traits: bedrockTraits, load: async () => (await import("./bedrock/vendor.js")).bedrock },
  cohere: { traits: cohereTraits, load: async () => (await import("./cohere/vendor.js")).cohere },
  ollama: { traits: ollamaTraits, load: async () => (await import("./ollama/vendor.js")).ollama },
} satisfies Readonly<Record<string, Row>>;

/** The name of a vendor, of its wire, and of the setting that holds extra fields of its requests. */
export type WireName = keyof typeof TABLE;

export const VENDOR_TABLE: Readonly<Record<WireName, Row>> = TABLE;

export const WIRE_NAMES = Object.keys(TABLE) as readonly WireName[];

/** The vendor for requests that name none. Most other hosts speak its wire. */
export const DEFAULT_VENDOR: WireName = "openai";

export function isWireName(name: unknown): name is WireName {
  return typeof name === "string" && Object.hasOwn(TABLE, name);
}

const TRAITS: readonly Traits[] = Object.values<Row>(TABLE).map(({ traits }) => traits);

/** Endpoints for conversation turns, for use in messages. */
export const TURN_PATHS: readonly string[] = TRAITS.map(({ path }) => path);

/** The variables that hold the vendors' keys by convention. */
export const KEY_VARIABLES: readonly string[] = [...new Set(TRAITS.flatMap(({ keyVariable = [] }) => keyVariable))];

/** The list prices of all vendors. */
export const LIST_PRICES: Pricing = Object.assign({}, ...TRAITS.map(({ pricing }) => pricing)) as Pricing;
