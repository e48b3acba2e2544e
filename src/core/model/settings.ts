// Which settings there are, for whoever checks that each one given is read by somebody.

import type { LlmSettings } from "./provider.js";

/**
 * For adapters: the names of all settings. Settings are closed, since one that nobody reads would do nothing in
 * silence.
 */
export const SETTING_NAMES: readonly string[] = Object.keys({
  model: true,
  temperature: true,
  topP: true,
  maxTokens: true,
  stop: true,
  seed: true,
  toolChoice: true,
  responseFormat: true,
} satisfies Record<keyof LlmSettings, true>);
