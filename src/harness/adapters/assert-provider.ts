// What another framework is put over must be a provider of ours: found when it is handed in, not at the first call.

import { AgentError, showValue } from "../../core/index.js";
import { toLoose } from "./loose.js";

/** Throws `AgentError` `invalid-options` for anything without a `turn`; `owner` is named in it. For adapters. */
export function assertProvider(provider: unknown, owner: string): void {
  const { turn, provider: inner } = toLoose(provider);
  if (typeof turn === "function") return;
  const isHandle = typeof toLoose(inner)["turn"] === "function";
  const what = isHandle ? "the handle of useCassette" : showValue(provider);
  throw new AgentError("invalid-options", `${owner} was given no provider: ${what}`, {
    hint: isHandle
      ? "Pass handle.provider."
      : "Pass a provider, such as handle.provider of useCassette, recordingProvider(…) or cassetteProvider(cassette).",
  });
}
