// `playhead/session`: agents whose conversations last. Every public name of this door is listed here by hand; see docs/session.md.

import type { LlmProviderAdapter } from "../core/index.js";
import { Agent as CoreAgent, type AgentOptions as CoreOptions, type RuntimeLlm } from "../core/session/index.js";
import { fromAiSdk } from "../harness/index.js";

export {
  // an agent as the member of a fleet
  toRuntime,
} from "../core/session/index.js";
export {
  // plugins
  definePlugin,
  type AgentPlugin,
  type PluginEvents,
  type PluginHost,
} from "../core/session/index.js";
export type {
  // sessions, runs and events
  AgentHost,
  AgentInput,
  AgentRun,
  AgentTools,
  NamedTool,
  RecoveryDecision,
  RunOutcome,
  RuntimeLlm,
  RuntimeMessage,
  SessionEvent as AgentEvent,
  SessionHandle,
  UserInput,
  UserPart,
} from "../core/session/index.js";
export type { SessionStore, StoredSession } from "../core/index.js";

type AnyAiSdkModel = Parameters<typeof fromAiSdk>[0];

/** The options of {@link Agent}. Only `model` is required. */
export type AgentOptions = CoreOptions<LlmProviderAdapter | RuntimeLlm | AnyAiSdkModel>;

/** A model with instructions, tools and any number of sessions by key. */
export class Agent extends CoreAgent {
  /** Throws `TypeError` that names the option and what to pass. */
  constructor(options: AgentOptions) {
    super(isAiSdkModel(options?.model) ? { ...options, model: toProvider(options.model) } : (options as CoreOptions));
  }
}

function isAiSdkModel(model: unknown): model is AnyAiSdkModel {
  return typeof model === "object" && model !== null && "doGenerate" in model;
}

/** The model as a provider. */
function toProvider(model: AnyAiSdkModel): LlmProviderAdapter {
  const { specificationVersion: version } = model;
  if (!["v2", "v3", "v4"].includes(version))
    throw new TypeError(
      `Agent has a model of the AI SDK with the specification ${JSON.stringify(version)}. Pass a model of v2, v3 or v4, which are ` +
        "those of AI SDK 5, 6 and 7.",
    );
  return fromAiSdk(model);
}
