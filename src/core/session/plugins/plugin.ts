// The shape of a plugin: hooks at the places of a turn, an event listener, and the things that its setup may register.

import type { JsonObject, JsonValue } from "../../canon/value.js";
import type { LlmMessage } from "../../model/message.js";
import type { ToolCallDecision, ToolResultDecision, ToolResultStatus } from "../../tools/policy-decision.js";
import type { Maybe } from "../../time/wait.js";
import type { SessionEvent } from "../event.js";
import type { AgentInput, UserInput } from "../input.js";
import type { SessionStore } from "../ports/session-store.js";
import type { AgentRun } from "../run/run.js";
import type { AgentTools } from "../tools.js";

/** Extends an agent. Plugins run in the order of the list. A hook that throws ends the turn with `plugin-failed`. */
export interface AgentPlugin {
  readonly name?: string;
  /** Called once, when the agent is created. The first `send` waits for it. */
  setup?(host: PluginHost): void | Promise<void>;
  readonly events?: {
    /** Called with each event, and awaited, before the event is delivered. */
    on?(context: EventContext): void | Promise<void>;
  };
}

/** The methods that a setup may call. */
export interface PluginHost {
  /** Hooks of turns and steps are awaited. Their results are ignored. */
  on<Name extends PlaceName>(name: Name, handler: (event: PluginEvents[Name]) => unknown): void;
  on(name: "tool.call", handler: (event: PluginEvents["tool.call"]) => Maybe<ToolCallDecision | undefined>): void;
  on(name: "tool.result", handler: (event: PluginEvents["tool.result"]) => Maybe<ToolResultDecision | undefined>): void;
  registerTools(tools: AgentTools): void;
  /** Sets where the agent keeps its sessions. Only one plugin may call it, and only if the agent has no `host`. */
  registerSessionStore(store: SessionStore): void;
}

/** The view of a hook. `history` is a frozen copy of the conversation, created when it is read. */
export interface Seen {
  readonly history: readonly LlmMessage[];
  readonly signal: AbortSignal;
}

export interface EventContext extends Seen {
  readonly event: SessionEvent;
}

interface PlaceEvent extends Seen {
  readonly sessionKey: string;
  /** Adds input to this turn. Rejects after its last step. */
  readonly steer: (input: AgentInput) => Promise<AgentRun>;
  /** Adds an overlay to this turn. Rejects after its last step. */
  readonly overlay: (input: AgentInput) => Promise<AgentRun>;
}

interface ToolEvent extends Seen {
  readonly sessionKey: string;
  readonly tool: string;
  readonly toolCallId: string;
  readonly input: JsonObject;
}

/** The hooks, and the event that each receives. */
export interface PluginEvents {
  "turn.before": PlaceEvent & { readonly input: UserInput };
  "turn.after": PlaceEvent & { readonly input: UserInput; readonly result: "completed" | "aborted" | "error" };
  "step.before": PlaceEvent & { readonly stepIndex: number };
  /** `continue`: the model called tools, so another step follows. */
  "step.after": PlaceEvent & { readonly stepIndex: number; readonly result: "completed" | "continue" };
  "tool.call": ToolEvent;
  "tool.result": ToolEvent & { readonly status: ToolResultStatus; readonly output: JsonValue; readonly error?: string };
}

/** The places of a turn, without the tool hooks. */
export type PlaceName = Exclude<keyof PluginEvents, "tool.call" | "tool.result">;

/** Returns the plugin unchanged, with its type. */
export function definePlugin(plugin: AgentPlugin): AgentPlugin {
  return plugin;
}
