// The real provider as a test hands it to `useCassette`: checked before anything is read or spent, and made only where it
// is needed, so that a replay needs no key.

import { CassetteError } from "../../cassette/index.js";
import type { LlmProviderAdapter } from "../../core/index.js";
import { describeValue } from "../text/describe.js";

/** The real provider, or how to make it: a function is not called on replay, so that no key is needed there. */
export type LiveProvider = LlmProviderAdapter | (() => LlmProviderAdapter | Promise<LlmProviderAdapter>);

/** Throws `invalid-options` for what can never give a provider. Calls nothing. */
export function assertLive(live: unknown): void {
  if (typeof live !== "function") assertProvider(live, "the live provider of useCassette");
}

/** The provider itself. Throws `invalid-options` when the function gave none. */
export async function resolveLive(live: LiveProvider): Promise<LlmProviderAdapter> {
  if (typeof live !== "function") return live;
  const provider = await live();
  assertProvider(provider, "what the live function of useCassette gave");
  return provider;
}

function assertProvider(value: unknown, what: string): void {
  if (typeof (value as Partial<LlmProviderAdapter> | null | undefined)?.turn === "function") return;
  throw new CassetteError("invalid-options", `${what} is no provider: it is ${describeValue(value)}`, {
    hint: "Pass an object with a turn(request) method, such as openaiProvider(…), or a function that gives one.",
  });
}
