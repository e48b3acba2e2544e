// The definition of an agent, checked once when the runtime is created.

import { defined } from "../defined.js";
import { invalidOptions } from "../errors.js";
import { assertKnownOptions } from "../options.js";
import { showValue } from "../text/show.js";
import { createBudget, type BudgetLimits } from "../loop/budget.js";
import type { OnToolError } from "../loop/calls.js";
import { seal } from "../canon/copy.js";
import { SETTING_NAMES, type LlmProviderAdapter, type LlmSettings } from "../model/provider.js";
import { assertPolicies, type ToolPolicy } from "../tools/policy-decision.js";
import { createToolSet, type ToolManifest, type ToolSet } from "../tools/registry.js";
import type { VerbBodies } from "../tools/verbs.js";

/** The definition of an agent for {@link createRuntime}, which throws `AgentError` `invalid-options` for a wrong one. */
export interface AgentDefinition extends ToolManifest {
  readonly id: string;
  /** The system message, word for word. */
  readonly systemPrompt: string;
  readonly provider: LlmProviderAdapter;
  readonly budget?: BudgetLimits;
  readonly settings?: LlmSettings;
  /** Time limit in ms for each provider call. For a stream, the longest gap between chunks. */
  readonly timeoutMs?: number;
  /** Streams each turn if the provider can, with an `llm-delta` event for each piece. Default false. */
  readonly streaming?: boolean;
  /** Whether the model reads a tool's error or the run ends with it. Default `feedback`. */
  readonly onToolError?: OnToolError;
  /** Number of turns in a row that may make only refused calls. One more ends the run with `tool-failed`. Default: any number. */
  readonly maxCorrections?: number;
  /** Policies that decide on each tool call before it runs and on its result, in this order. Default none. */
  readonly policies?: readonly ToolPolicy[];
}

export interface Agent extends Omit<AgentDefinition, "tools" | "customTools" | "toolTimeoutMs"> {
  readonly tools: ToolSet;
}

const AGENT_OPTIONS = [
  "id",
  "systemPrompt",
  "provider",
  "tools",
  "customTools",
  "budget",
  "settings",
  "timeoutMs",
  "streaming",
  "onToolError",
  "maxCorrections",
  "toolTimeoutMs",
  "policies",
];

/** Throws `AgentError` `invalid-options`, naming the agent and the option. */
export function createAgent(definition: AgentDefinition, verbs: VerbBodies | undefined): Agent {
  assertKnownOptions("agent", definition, AGENT_OPTIONS);
  const { tools, customTools, toolTimeoutMs, ...rest } = definition;
  if (typeof rest.id !== "string" || rest.id === "")
    throw invalidOptions("an agent has no id", "Give each agent an id.");
  if (typeof rest.systemPrompt !== "string")
    throw invalidOptions(`agent ${rest.id} has no systemPrompt`, "Pass a string.");
  if (typeof rest.provider?.turn !== "function") {
    throw invalidOptions(
      `agent ${rest.id} has no provider`,
      "Pass an object with a turn(request) method, such as echoProvider().",
    );
  }
  if (rest.settings !== undefined) assertKnownOptions(`the settings of agent ${rest.id}`, rest.settings, SETTING_NAMES);
  createBudget(rest.budget, `the budget of agent ${rest.id}`);
  assertCallOptions(rest);
  assertToolOptions(rest);
  if (rest.policies !== undefined) assertPolicies(`agent ${rest.id}`, rest.policies);
  const manifest = defined({ tools, customTools, toolTimeoutMs });
  return {
    ...rest,
    ...(rest.budget === undefined ? {} : { budget: { ...rest.budget } }),
    ...(rest.settings === undefined ? {} : { settings: seal(rest.settings) }),
    ...(rest.policies === undefined ? {} : { policies: [...rest.policies] }),
    tools: createToolSet(rest.id, manifest, verbs),
  };
}

function assertCallOptions({ id, timeoutMs, streaming }: AgentDefinition): void {
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw invalidOptions(
      `timeoutMs of agent ${id} is ${showValue(timeoutMs)}`,
      "Pass a positive, finite number of milliseconds, or omit it.",
    );
  }
  if (streaming !== undefined && typeof streaming !== "boolean") {
    throw invalidOptions(`streaming of agent ${id} is ${showValue(streaming)}`, "Use true or false.");
  }
}

function assertToolOptions({ id, onToolError = "feedback", maxCorrections = Infinity }: AgentDefinition): void {
  const modes: readonly unknown[] = ["feedback", "fail"];
  if (!modes.includes(onToolError)) {
    throw invalidOptions(`onToolError of agent ${id} is ${JSON.stringify(onToolError)}`, `Use "feedback" or "fail".`);
  }
  const isCount = typeof maxCorrections === "number" && maxCorrections >= 0;
  if (isCount && (Number.isInteger(maxCorrections) || maxCorrections === Infinity)) return;
  throw invalidOptions(
    `maxCorrections of agent ${id} is ${String(maxCorrections)}`,
    "Use a whole number of 0 or more, or omit it.",
  );
}
