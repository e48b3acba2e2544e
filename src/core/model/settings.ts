// The names of all settings, for checking that each given one is known.

import type { LlmSettings } from "./provider.js";

/** For adapters: the names of all settings. Others are refused, since they would have no effect. */
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
