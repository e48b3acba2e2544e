// The provider of an agent process by its name.

import { anthropicProvider, defined, openaiProvider, type LlmProviderAdapter } from "../../core/index.js";
import { PlumbError } from "../../core/process/index.js";
import type { Environment, LoadedSpec } from "./spec-file.js";

/** Throws `PlumbError` `provider-missing` or `key-missing`. A replay does not call it, so it needs no key. */
export function agentProvider(
  { spec, providerName }: LoadedSpec,
  env: Environment,
  warn: (text: string) => void,
): LlmProviderAdapter {
  const { model, endpoint: baseURL } = spec;
  if (providerName === undefined)
    throw new PlumbError(
      "provider-missing",
      `${spec.name} has no provider`,
      "Add `provider` to the spec, pass --provider, or set PLUMB_PROVIDER.",
    );
  if (model === undefined)
    throw new PlumbError(
      "provider-missing",
      `${spec.name} has no model`,
      "Add `model` to the spec, pass --model, or set PLUMB_MODEL.",
    );
  const variable = providerName === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
  const apiKey = env[variable] ?? "";
  if (apiKey === "")
    throw new PlumbError("key-missing", `${variable} is not set`, `Set ${variable}, or replay a cassette.`);
  const options = { apiKey, model, ports: { warn }, ...defined({ baseURL }) };
  return providerName === "anthropic"
    ? anthropicProvider({ ...options, promptCaching: true })
    : openaiProvider(options);
}
