// Turns for a caller that gets the live answer itself, as the MSW handlers do: they only want to know whether a recording answers.

import {
  createPrivateField,
  type LlmProviderAdapter,
  type LlmStreamDelta,
  type LlmTurnRequest,
  type LlmTurnResponse,
} from "../../core/index.js";
import type { OpenTurn } from "./recorder.js";

/** A complete answer of a provider, with the deltas of its stream. */
export interface CollectedTurn {
  readonly response: LlmTurnResponse;
  readonly deltas: readonly LlmStreamDelta[];
}

type Open = (request: LlmTurnRequest, isStream: boolean) => Promise<CollectedTurn | OpenTurn>;

/** Private, because the public types of providers do not have this method. */
const openerField = createPrivateField<Open>();

/** Sets what {@link openTurn} does for a provider that records. */
export function setOpener<T extends LlmProviderAdapter>(provider: T, open: Open): T {
  openerField.set(provider, open);
  return provider;
}

/** Asks `provider`. One that records and needs a live answer returns the open turn instead, which the caller must settle. */
export async function openTurn(
  provider: LlmProviderAdapter,
  request: LlmTurnRequest,
  isStream: boolean,
): Promise<CollectedTurn | OpenTurn> {
  return (openerField.get(provider) ?? collectTurn.bind(undefined, provider))(request, isStream);
}

/** Asks `provider` and collects its answer. */
export async function collectTurn(
  provider: LlmProviderAdapter,
  request: LlmTurnRequest,
  isStream: boolean,
): Promise<CollectedTurn> {
  if (!isStream || provider.stream === undefined) return { response: await provider.turn(request), deltas: [] };
  const deltas: LlmStreamDelta[] = [];
  let response: LlmTurnResponse | undefined;
  for await (const event of provider.stream(request)) {
    if (event.type === "response") response = event.response;
    else deltas.push(event);
  }
  if (response === undefined) throw new Error("the provider's stream ended without a response");
  return { response, deltas };
}
