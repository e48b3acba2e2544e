// The capabilities that a host passes to an executor, checked once. Everything platform-specific is behind these functions.

import type { JsonObject } from "../../canon/value.js";
import { invalidOptions } from "../../errors.js";
import type { EventLog } from "../../events/log.js";
import { DEFAULT_MAX_TOOL_CORRECTIONS, DEFAULT_MAX_TOOL_TURNS } from "../../limits.js";
import { createBudget, type BudgetLimits } from "../../loop/budget.js";
import type { LlmProviderAdapter } from "../../model/provider.js";
import { assertKnownOptions, isObject } from "../../options.js";
import { portsProblem, withSystemPorts, type Ports } from "../../ports.js";
import type { FallbackOptions } from "../../providers/fallback.js";
import { showValue } from "../../text/show.js";
import type { Maybe } from "../../time/wait.js";
import { assertPolicies, type ToolPolicy } from "../../tools/policy-decision.js";
import type { PreAttempt, PreEgress } from "./gate.js";
import type { MediaDeps, MediaSurface } from "../media.js";
import type { ResolveProvider } from "../plan.js";
import type { ResolverCapabilities } from "../prompt/resolve.js";
import type { FsScopeTier, ToolDef, ToolRegistry } from "../tools/registry.js";
import type { NodeRef } from "../vertex.js";

/** The capabilities of a host for `createAgentNodeExecutor`. */
export interface AgentRunnerDeps {
  /** The adapter for an authored provider id, or undefined if the host has none, which fails the vertex with `internal`. */
  readonly resolveProvider: ResolveProvider;
  /** `generative` for a model that generates media. Default `chat`. */
  readonly resolveMediaSurface?: (model: string) => MediaSurface | undefined;
  readonly registry: ToolRegistry;
  /** The definitions of the tools that vertices may use. */
  readonly tools: readonly ToolDef[];
  /** The key of a provider. Called before each attempt. Only the provider reads the key. */
  readonly keyFor?: (providerId: string, signal: AbortSignal) => unknown;
  /** Waits between attempts. Default: the timer of the ports. */
  readonly sleep?: FallbackOptions["sleep"];
  /** Milliseconds since the epoch, for cooldowns. Default: the clock of the ports. */
  readonly now?: Ports["now"];
  /** Refreshes a rejected key, once per provider and turn. Return true to repeat the attempt. */
  readonly onAuthError?: FallbackOptions["onAuthError"];
  readonly resolverCapabilities?: ResolverCapabilities;
  /** Passed to the registry. Default `sandboxed`. */
  readonly fsScope?: FsScopeTier;
  readonly limits?: AgentTurnLimits;
  /** Called before each turn. Default: every turn passes. */
  readonly preEgress?: PreEgress;
  /** Called before each attempt of the chain. A replay makes no attempts and does not call it. */
  readonly preAttempt?: PreAttempt;
  /** The provider that replaces the chain, such as a recorder or a cassette. `live` creates the chain. Default: the chain. */
  readonly provide?: (live: () => LlmProviderAdapter, node: NodeRef) => Maybe<LlmProviderAdapter>;
  /** The form of an answer if there is a schema: any JSON, or a value of the schema. Default `json`. */
  readonly outputCheck?: "json" | "schema";
  readonly policies?: readonly ToolPolicy[];
  /** Time limit in ms of a tool call without its own. Default: ten minutes. */
  readonly toolTimeoutMs?: number;
  /** Time limit in ms of each provider call. For a stream, the longest gap between chunks. */
  readonly timeoutMs?: number;
  /** A log for the events of the loop, with the id of the vertex as `agentId`, for receipts and traces. */
  readonly log?: (node: NodeRef) => EventLog;
  readonly media?: MediaDeps;
  readonly ports?: Partial<Ports>;
}

/** The caps of one execution. Reaching one fails the vertex with `turn_limit`. */
export interface AgentTurnLimits {
  /** Turns with tool calls. One more turn may follow for the answer. If it has calls too, they run, and the vertex fails. Default 16. */
  readonly maxToolTurns?: number;
  /** Turns in a row that may make only refused calls. Default 3. */
  readonly maxToolCorrections?: number;
  readonly maxToolCalls?: number;
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
}

/** The checked deps, with their defaults. */
export interface CheckedDeps extends AgentRunnerDeps {
  readonly fsScope: FsScopeTier;
  readonly outputCheck: "json" | "schema";
  readonly budget: BudgetLimits;
  readonly maxCorrections: number;
  readonly system: Ports;
}

const FUNCTIONS = [
  ...["resolveProvider", "resolveMediaSurface", "keyFor", "sleep", "now", "onAuthError", "preEgress", "preAttempt"],
  ...["provide", "log"],
] as const;
const OTHERS = ["registry", "tools", "resolverCapabilities", "fsScope", "limits", "outputCheck", "policies", "media"];
const DEPS = [...FUNCTIONS, ...OTHERS, "toolTimeoutMs", "timeoutMs", "ports"];
const LIMITS = ["maxToolTurns", "maxToolCorrections", "maxToolCalls", "maxTokens", "maxCostUsd"];
const OWNER = "createAgentNodeExecutor";

/** Throws `AgentError` `invalid-options` for deps that can never work. */
export function checkDeps(deps: AgentRunnerDeps): CheckedDeps {
  if (!isObject(deps)) throw invalidOptions(`the deps of ${OWNER} are ${showValue(deps)}`, "Pass an object.");
  assertKnownOptions(OWNER, deps, DEPS);
  for (const name of FUNCTIONS) assertFunction(name, deps[name], name === "resolveProvider");
  assertMethod("registry", deps.registry, "dispatch", true);
  assertMethod("resolverCapabilities", deps.resolverCapabilities, "readFile");
  assertMethod("media", deps.media, "keep");
  assertMethod("media", deps.media, "rate");
  const { fsScope = "sandboxed", outputCheck = "json", limits = {}, policies, timeoutMs, ports } = deps;
  assertToolDefs(deps.tools);
  assertWord("fsScope", fsScope, ["sandboxed", "project", "full"]);
  assertWord("outputCheck", outputCheck, ["json", "schema"]);
  if (policies !== undefined) assertPolicies(OWNER, policies);
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0))
    throw invalidOptions(`timeoutMs of ${OWNER} is ${showValue(timeoutMs)}`, "Pass a number of milliseconds above 0.");
  const problem = portsProblem(ports);
  if (problem !== "") throw invalidOptions(`${OWNER}: ${problem}`, "Pass functions, or omit them.");
  const system = withSystemPorts(ports);
  return {
    ...deps,
    ...{ fsScope, outputCheck, ...checkLimits(limits) },
    system: deps.now === undefined ? system : { ...system, now: deps.now },
  };
}

function checkLimits(limits: AgentTurnLimits): Pick<CheckedDeps, "budget" | "maxCorrections"> {
  assertKnownOptions(`limits of ${OWNER}`, limits, LIMITS);
  const { maxToolTurns = DEFAULT_MAX_TOOL_TURNS, maxToolCorrections = DEFAULT_MAX_TOOL_CORRECTIONS, ...rest } = limits;
  for (const [name, value] of Object.entries({ maxToolTurns, maxToolCorrections })) {
    const isCount = typeof value === "number" && value >= 0 && (Number.isInteger(value) || value === Infinity);
    if (!isCount) throw invalidOptions(`limits.${name} is ${showValue(value)}`, "Use a whole number of 0 or more.");
  }
  const budget = { ...rest, maxTurns: maxToolTurns + 1 };
  createBudget(budget, `limits of ${OWNER}`);
  return { budget, maxCorrections: maxToolCorrections };
}

function assertToolDefs(tools: unknown): asserts tools is readonly ToolDef[] {
  const hint = "Pass a list of { id, description, parameters }.";
  if (!Array.isArray(tools)) throw invalidOptions(`tools of ${OWNER} is ${showValue(tools)}`, hint);
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) throw invalidOptions(`tool ${index} of ${OWNER} is ${showValue(tool)}`, hint);
    const { id, parameters } = tool as { id?: unknown; parameters?: JsonObject };
    if (typeof id !== "string" || !isObject(parameters))
      throw invalidOptions(`tool ${index} of ${OWNER} has no id or no parameters`, hint);
  }
}

function assertFunction(name: string, value: unknown, isNeeded: boolean): void {
  if (typeof value === "function" || (value === undefined && !isNeeded)) return;
  throw invalidOptions(
    `${name} of ${OWNER} is ${showValue(value)}`,
    `Pass a function${isNeeded ? "" : ", or omit it"}.`,
  );
}

function assertMethod(name: string, owner: unknown, method: string, isNeeded = false): void {
  const value: unknown = isObject(owner) ? owner[method] : undefined;
  assertFunction(`${name}.${method}`, value, isNeeded);
}

function assertWord(name: string, value: unknown, words: readonly unknown[]): void {
  if (words.includes(value)) return;
  throw invalidOptions(`${name} of ${OWNER} is ${showValue(value)}`, `Use one of ${words.join(", ")}.`);
}
