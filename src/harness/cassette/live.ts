// The real provider that a test passes to `useCassette`. It is checked before anything is read or spent.

import { CassetteError } from "../../cassette/index.js";
import type { LlmProviderAdapter } from "../../core/index.js";
import { describeValue } from "../text/describe.js";

/** The real provider, or a function that makes it. A replay does not call the function, so it needs no key. */
export type LiveProvider = LlmProviderAdapter | (() => LlmProviderAdapter | Promise<LlmProviderAdapter>);

/** Throws `invalid-options` unless `live` is a provider or a function, which is not called. */
export function assertLive(live: unknown): void {
  if (typeof live !== "function") assertProvider(live, "the live provider of useCassette");
}

export async function resolveLive(live: LiveProvider): Promise<LlmProviderAdapter> {
  if (typeof live !== "function") return live;
  const provider = await live();
  assertProvider(provider, "the result of the live function of useCassette");
  return provider;
}

function assertProvider(value: unknown, what: string): void {
  if (typeof (value as Partial<LlmProviderAdapter> | null | undefined)?.turn === "function") return;
  throw new CassetteError("invalid-options", `${what} must be a provider: it is ${describeValue(value)}`, {
    hint: "Pass an object with a turn(request) method, such as openaiProvider(…), or a function that returns one.",
  });
}
