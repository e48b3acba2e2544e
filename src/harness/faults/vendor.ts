// A vendor of ours over a transport with a fault: what it answers or fails with is what its own code makes of the bytes.

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

/** What stands where: the provider that is struck, whose words are sent, and the clock. */
export interface Desk {
  readonly provider: LlmProviderAdapter;
  readonly wire: WireName;
  readonly ports: Ports;
}

/** A provider that answers one struck call. */
export interface VendorOutcome {
  readonly kind: "vendor";
  /** A provider of ours, over a transport with the fault. */
  readonly vendor: LlmProviderAdapter;
  readonly request: LlmTurnRequest;
  /** Puts back what no wire carries. */
  readonly mend: (response: LlmTurnResponse) => LlmTurnResponse;
}

/** A call that fails on its way. */
export function failing(fault: WayFault, request: LlmTurnRequest, desk: Desk): VendorOutcome {
  const way = { ...wayOf(desk), answer: beginningOf(request) };
  return toVendor(desk, request, faultFetch(fault, way), (response) => response);
}

/** `response` as the vendor would have sent it. */
export function answering(response: LlmTurnResponse, request: LlmTurnRequest, desk: Desk): VendorOutcome {
  const way = { ...wayOf(desk), answer: response };
  return toVendor(desk, request, answerFetch({ kind: "whole" }, way), (read) => {
    const { message, finalAnswer, stopReason } = read;
    const { usage, costUsd, model } = response;
    // Thoughts are signed, in words that the wires of other vendors have no place for.
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
  desk: Desk,
  { signal, timeoutMs }: LlmTurnRequest,
  fetch: typeof globalThis.fetch,
  mend: VendorOutcome["mend"],
): VendorOutcome {
  // What the caller asked is of no account to a made-up answer, and a wire might not be able to say it.
  const request: LlmTurnRequest = {
    messages: [{ role: "user", content: "-" }],
    ...defined({ signal, timeoutMs }),
  };
  return { kind: "vendor", vendor: vendorOf(desk, fetch), request, mend };
}

/** No key of anybody's. A key is masked in what vendors say, so it is a word that none of their bodies has. */
const KEY = "key-of-no-vendor";
/** On the way alone: an answer names the model that its provider named, or none. */
const MODEL = "unnamed";

function vendorOf({ provider, wire, ports }: Desk, fetch: typeof globalThis.fetch): LlmProviderAdapter {
  const name = providerName(provider).trim() === "" ? "unnamed" : providerName(provider);
  // Its warnings would speak of the made-up answer.
  const common = { name, model: MODEL, fetch, ports: { ...ports, warn: () => undefined } };
  const vendor: Vendor = VENDORS[wire];
  return vendorProvider(vendor, vendor.keyVariable === undefined ? common : { ...common, apiKey: KEY, pricing: {} });
}

function wayOf({ wire, ports }: Desk): Omit<FaultyWay, "answer"> {
  return { wire, ports, model: MODEL };
}

/** The vendor that the name of a provider begins with, as in `anthropic:claude`, `anthropic/claude` and `anthropic`; else OpenAI. */
export function wireOfName(name: string): WireName {
  const vendor = /^[a-z]*/i.exec(name)?.[0].toLowerCase();
  return isWireName(vendor) ? vendor : DEFAULT_VENDOR;
}
