// An agent of an environment, checked once when the runtime is created.

import { DEFAULT_COMPACTION, readCompaction, type CompactionPolicy } from "../../context/compaction.js";
import { defined } from "../../defined.js";
import { invalidOptions } from "../../errors.js";
import { DEFAULT_TOOL_TIMEOUT_MS } from "../../limits.js";
import type { BudgetLimits } from "../../loop/budget.js";
import type { OnToolError } from "../../loop/calls.js";
import type { LlmProviderAdapter, LlmSettings } from "../../model/provider.js";
import { assertKnownOptions } from "../../options.js";
import { createAgent, type Agent } from "../../runtime/agent.js";
import { showValue } from "../../text/show.js";
import type { ToolPolicy } from "../../tools/policy-decision.js";

/** The definition of an agent for {@link createEnvRuntime}, which throws `AgentError` `invalid-options` for a wrong one. */
export interface EnvAgent {
  readonly name: string;
  /** The system message, word for word. */
  readonly instructions: string;
  /** Names of the tools that the agent may call. Default: every offered read-only tool. `[]`: no tools. */
  readonly tools?: readonly string[];
  /** When the conversation is compacted. Missing fields come from {@link DEFAULT_COMPACTION}. False: never automatically. */
  readonly compaction?: Partial<CompactionPolicy> | false;
  /** Streams each turn if the provider can. Default true. */
  readonly streaming?: boolean;
  /** The caps of one run. A summary's turn counts. */
  readonly budget?: BudgetLimits;
  readonly settings?: LlmSettings;
  /** Time limit in ms for each provider call. For a stream, the longest gap between chunks. */
  readonly timeoutMs?: number;
  /** Time limit in ms for each call of a tool without its own. Infinity for no limit. Default: ten minutes. */
  readonly toolTimeoutMs?: number;
  /** Whether the model reads a tool's error or the run ends with it. Default `feedback`. */
  readonly onToolError?: OnToolError;
  /** Number of turns in a row that may make only refused calls. One more ends the run with `tool-failed`. Default: any number. */
  readonly maxCorrections?: number;
  /** Policies that decide on each tool call before it runs and on its result, in this order. Default none. */
  readonly policies?: readonly ToolPolicy[];
}

/** An agent that can run. `agent` holds the options that every runtime has. */
export interface ReadyAgent {
  readonly name: string;
  readonly agent: Agent;
  /** Undefined: every read-only tool. */
  readonly grant: readonly string[] | undefined;
  readonly toolTimeoutMs: number;
  /** Undefined: no automatic compaction. */
  readonly compaction: CompactionPolicy | undefined;
  /** The policy of a compaction that the caller requests. */
  readonly manual: CompactionPolicy;
}

const OPTIONS = [
  "name",
  "instructions",
  "tools",
  "compaction",
  "streaming",
  "budget",
  "settings",
  "timeoutMs",
  "toolTimeoutMs",
  "onToolError",
  "maxCorrections",
  "policies",
];

/** Throws `AgentError` `invalid-options`, naming the agent and the option. */
export function readyAgent(definition: EnvAgent, provider: LlmProviderAdapter): ReadyAgent {
  assertKnownOptions("an agent", definition, OPTIONS);
  const { name, instructions, tools, compaction = {}, streaming = true, ...rest } = definition;
  if (typeof name !== "string" || name === "" || !name.isWellFormed())
    throw invalidOptions(`the name of an agent is ${showValue(name)}`, "Give each agent a name.");
  if (typeof instructions !== "string" || !instructions.isWellFormed())
    throw invalidOptions(`agent ${name} has no instructions`, "Pass a string.");
  assertGrant(name, tools);
  // The shared options have the same names and checks as those of createRuntime.
  const agent = createAgent({ id: name, systemPrompt: instructions, provider, streaming, ...rest }, undefined);
  const policy = compaction === false ? undefined : readCompaction(`agent ${name}`, compaction);
  return {
    name,
    agent,
    grant: tools === undefined ? undefined : [...tools],
    toolTimeoutMs: rest.toolTimeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
    compaction: policy,
    manual: policy ?? DEFAULT_COMPACTION,
  };
}

/** The settings of a summary's turn: the agent's model, and no tools or format. */
export function summarySettings({ settings = {} }: Agent, { maxSummaryTokens }: CompactionPolicy): LlmSettings {
  return { ...defined({ model: settings.model }), maxTokens: maxSummaryTokens };
}

function assertGrant(name: string, tools: readonly unknown[] | undefined): void {
  if (tools === undefined) return;
  const isList = Array.isArray(tools) && tools.every((tool) => typeof tool === "string");
  if (!isList)
    throw invalidOptions(`tools of agent ${name} is ${showValue(tools)}`, "Pass a list of tool names, or omit it.");
  const twice = tools.find((tool, index) => tools.indexOf(tool) < index);
  if (twice !== undefined) throw invalidOptions(`tools of agent ${name} names ${twice} twice`, "Name each tool once.");
}
