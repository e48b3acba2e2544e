// One of our providers over a faulty transport. Its own code makes the answer or the error from the bytes.

import {
  DEFAULT_VENDOR,
  defined,
  isWireName,
  providerName,
  VENDORS,
  vendorProvider,
  type LlmProviderAdapter,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Ports,
  type Vendor,
  type WireName,
} from "../../core/index.js";
import { beginningOf } from "./answer.js";
import { answerFetch, faultFetch, type FaultyWay, type WayFault } from "./fetch.js";

export interface Desk {
  readonly provider: LlmProviderAdapter;
  readonly wire: WireName;
  readonly ports: Ports;
}

export interface VendorOutcome {
  readonly kind: "vendor";
  readonly vendor: LlmProviderAdapter;
  readonly request: LlmTurnRequest;
  /** Restores the parts of the answer that no wire carries. */
  readonly restore: (response: LlmTurnResponse) => LlmTurnResponse;
}

export function failing(fault: WayFault, request: LlmTurnRequest, desk: Desk): VendorOutcome {
  const way = wayOf(desk, beginningOf(request));
  return toVendor(desk, request, faultFetch(fault, way), (response) => response);
}

export function answering(response: LlmTurnResponse, request: LlmTurnRequest, desk: Desk): VendorOutcome {
  return toVendor(desk, request, answerFetch(wayOf(desk, response)), (read) => {
    const { message, finalAnswer, stopReason } = read;
    const { usage, costUsd, model } = response;
    // The wires of other vendors have no place for signed thoughts.
    const { reasoning } = response.message;
    return {
      message: reasoning === undefined ? message : { ...message, reasoning },
      ...defined({ finalAnswer }),
      stopReason,
      ...defined({ usage, costUsd, model }),
    };
  });
}

function toVendor(
  { provider, wire, ports }: Desk,
  { signal, timeoutMs }: LlmTurnRequest,
  fetch: typeof globalThis.fetch,
  restore: VendorOutcome["restore"],
): VendorOutcome {
  // An invented answer does not depend on the caller's request, which the wire might not be able to carry.
  const request: LlmTurnRequest = { messages: [{ role: "user", content: "-" }], ...defined({ signal, timeoutMs }) };
  const name = providerName(provider).trim() === "" ? "unnamed" : providerName(provider);
  // Its warnings would be about the invented answer.
  const common = { name, model: MODEL, fetch, ports: { ...ports, warn: () => undefined } };
  const vendor: Vendor = VENDORS[wire];
  const options = vendor.keyVariable === undefined ? common : { ...common, apiKey: KEY, pricing: {} };
  return { kind: "vendor", vendor: vendorProvider(vendor, options), request, restore };
}

/** A key that opens nothing. Keys are masked in vendors' words, so none of their bodies holds it. */
const KEY = "key-of-no-vendor";
/** Only in transit: an answer names the model that its provider named, or none. */
const MODEL = "unnamed";

function wayOf({ wire, ports }: Desk, answer: LlmTurnResponse): FaultyWay {
  return { wire, ports, model: MODEL, answer };
}

/** The vendor that the name of a provider begins with, as in `anthropic:claude`, `anthropic/claude` and `anthropic`. Default OpenAI. */
export function wireOfName(name: string): WireName {
  const vendor = /^[a-z]*/i.exec(name)?.[0].toLowerCase();
  return isWireName(vendor) ? vendor : DEFAULT_VENDOR;
}
