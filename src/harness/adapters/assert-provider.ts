// The check of a provider that another framework is put over: when it is handed in, not at the first call.

import { AgentError, showValue } from "../../core/index.js";
import { toLoose } from "./loose.js";

/** Throws `AgentError` `invalid-options` for a value without `turn`, naming `owner`. For adapters. */
export function assertProvider(provider: unknown, owner: string): void {
  const { turn, provider: inner } = toLoose(provider);
  if (typeof turn === "function") return;
  const isHandle = typeof toLoose(inner)["turn"] === "function";
  const what = isHandle ? "the handle of useCassette" : showValue(provider);
  throw new AgentError("invalid-options", `${owner} needs a provider, not ${what}`, {
    hint: isHandle
      ? "Pass handle.provider."
      : "Pass a provider, such as handle.provider of useCassette, recordingProvider(…) or cassetteProvider(cassette).",
  });
}
