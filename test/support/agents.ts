// An agent and a runtime with defaults for everything that a test does not care about.

import type { LlmProviderAdapter } from "../../src/core/model/provider.js";
import type { AgentDefinition } from "../../src/core/runtime/agent.js";
import { createRuntime, type RuntimeOptions } from "../../src/core/runtime/runtime.js";
import { quietPorts } from "./script.js";

/** Ann, with a provider and the fields of `part`. */
export const agent = (provider: LlmProviderAdapter, part: Partial<AgentDefinition> = {}): AgentDefinition => ({
  id: "ann",
  systemPrompt: "You are Ann.",
  provider,
  ...part,
});
/** A runtime with quiet ports. */
export const runtime = (agents: readonly AgentDefinition[], options: Omit<RuntimeOptions, "agents"> = {}) =>
  createRuntime({ ports: quietPorts(), ...options, agents });
