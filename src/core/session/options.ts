// The options of an agent, checked once when it is created. An invalid option throws a TypeError that names the key and what to pass.

import type { SigningKey } from "../canon/key.js";
import { defined } from "../defined.js";
import { AgentError } from "../errors.js";
import type { EventListener } from "../events/log.js";
import type { BudgetLimits } from "../loop/budget.js";
import type { OnToolError } from "../loop/calls.js";
import type { RuntimeMemory } from "../model/memory.js";
import type { LlmProviderAdapter, LlmSettings } from "../model/provider.js";
import { isObject } from "../options.js";
import { portsProblem, type Ports } from "../ports.js";
import type { ReceiptListener } from "../receipts/writer.js";
import { createAgent, type Agent as Definition } from "../runtime/agent.js";
import { assertMemory } from "../runtime/runtime.js";
import { showValue } from "../text/show.js";
import { isThrown } from "../text/thrown.js";
import type { ToolPolicy } from "../tools/policy-decision.js";
import type { Subagent } from "./live/handle.js";
import { openFunction, type FunctionModel, type RuntimeLlm } from "./model/runtime-llm.js";
import type { AgentHost, ExecutionHost } from "./ports/execution-host.js";
import { refuse } from "./refuse.js";
import type { Arrival, SessionNote } from "./subagents/arrivals.js";
import { assertArrivals, assertSubagents, assertToolNames } from "./subagents/check.js";
import type { SessionStore } from "./ports/session-store.js";
import type { AgentPlugin } from "./plugins/plugin.js";
import { assertPlugins, assertStore } from "./plugins/plugins.js";
import { toCustomTools, type AgentTools } from "./tools.js";

/** The options of an agent. Only `model` is required. */
export interface AgentOptions<Model = LlmProviderAdapter | RuntimeLlm> {
  /** A provider, a model of the AI SDK, or a function that returns messages. */
  readonly model: Model;
  /** The system message of each prompt, word for word. It is never stored. */
  readonly instructions?: string;
  readonly tools?: AgentTools;
  /** Applies to every step. */
  readonly toolChoice?: LlmSettings["toolChoice"];
  readonly subagents?: readonly Subagent[];
  /** Required for a subagent. Also the name of the agent in events and receipts. */
  readonly name?: string;
  /** Required for a subagent: the parent's model uses it to choose a subagent. */
  readonly description?: string;
  /** A stable text with which a rebuilt agent finds its runs, jobs and subagents. Default: `name`, or a random text. */
  readonly namespace?: string;
  /** Where sessions are kept. Default: in the memory of this process. */
  readonly host?: AgentHost;
  readonly plugins?: readonly AgentPlugin[];
  /** The caps of one turn. Default 50 steps (`maxTurns`) and 200 tool calls. */
  readonly budget?: BudgetLimits;
  readonly settings?: LlmSettings;
  /** Time limit in ms for each provider call. For a stream, the longest gap between chunks. */
  readonly timeoutMs?: number;
  /** Time limit in ms for each call of a tool without its own. Infinity for no limit. Default: ten minutes. */
  readonly toolTimeoutMs?: number;
  /** Streams each answer if the provider can, with an event for each piece. Default false. */
  readonly streaming?: boolean;
  /** Whether the model reads a tool's error or the turn ends with it. Default `feedback`. */
  readonly onToolError?: OnToolError;
  /** Steps in a row that may make only refused calls. One more ends the turn with `tool-failed`. Default: any number. */
  readonly maxCorrections?: number;
  /** Policies that decide on each tool call, after those of plugins. Default none. */
  readonly policies?: readonly ToolPolicy[];
  /** The memory that tools get as `context.memory`. Default: a store in this process, for this agent. */
  readonly memory?: RuntimeMemory;
  /** Receives the events of the loop, as in `createRuntime`. */
  readonly onEvent?: EventListener;
  /** Signs a receipt of every model call and every tool call into one chain. */
  readonly signingKey?: SigningKey;
  /** Called with each receipt once it is signed. If it throws, the turn fails with `receipt-failed`. */
  readonly onReceipt?: ReceiptListener;
  readonly ports?: Partial<Ports>;
  /** A recording's arrivals of background jobs, for a replay. `useSession` of playhead/harness sets it. */
  readonly arrivals?: readonly Arrival[];
  /** Receives what a recording of sessions needs. `useSession` of playhead/harness sets it. If it throws, the turn or the call fails. */
  readonly onNote?: (note: SessionNote) => void;
}

const KEYS: readonly string[] = Object.keys({
  model: 1,
  instructions: 1,
  tools: 1,
  toolChoice: 1,
  subagents: 1,
  name: 1,
  description: 1,
  namespace: 1,
  host: 1,
  plugins: 1,
  budget: 1,
  settings: 1,
  timeoutMs: 1,
  toolTimeoutMs: 1,
  streaming: 1,
  onToolError: 1,
  maxCorrections: 1,
  policies: 1,
  memory: 1,
  onEvent: 1,
  signingKey: 1,
  onReceipt: 1,
  ports: 1,
  arrivals: 1,
  onNote: 1,
} satisfies Record<keyof AgentOptions, 1>);

/** Keys that belong elsewhere, or that earlier versions of this kind of agent had. */
const MOVED: Readonly<Record<string, string>> = {
  llm: "Pass it as `model`.",
  runtime: "Pass its model as `model`.",
  sessions: "Pass { host: { sessionStore } }.",
  store: "Pass { host: { sessionStore } }.",
  sessionStore: "Pass { host: { sessionStore } }.",
};

/** Options that have no effect if a function answers and runs its own tools. */
const MANAGED: readonly (keyof AgentOptions)[] = [
  "instructions",
  "tools",
  "toolChoice",
  "subagents",
  "settings",
  "timeoutMs",
  "toolTimeoutMs",
  "streaming",
  "onToolError",
  "maxCorrections",
  "policies",
];

/** The options as an agent uses them. `define` adds tools to the agent's own and throws `AgentError` `invalid-options`. */
export interface ReadyOptions {
  readonly options: AgentOptions;
  readonly definition: Definition;
  /** Undefined if a function is the model. */
  readonly define: ((more: AgentTools) => Definition) | undefined;
  /** The function as the model of one turn. */
  readonly openModel?: () => FunctionModel;
  readonly instructions: string | undefined;
  readonly subagents: readonly Subagent[];
  readonly plugins: readonly AgentPlugin[];
  /** The store that the host names. */
  readonly store: SessionStore | undefined;
  readonly host: ExecutionHost | undefined;
}

/** The id of an agent without a name, in events and receipts. */
const UNNAMED = "agent";

/** Throws `TypeError`. */
export function readOptions(options: AgentOptions): ReadyOptions {
  if (!isObject(options)) throw refuse(`was given ${showValue(options)}`, "Pass { model, instructions }.");
  for (const key of Object.keys(options)) {
    const advice = MOVED[key];
    if (advice !== undefined) throw refuse(`does not take \`${key}\``, advice);
    if (!KEYS.includes(key)) throw refuse(`has an unknown option \`${key}\``, `The options are ${KEYS.join(", ")}.`);
  }
  assertModel(options.model);
  for (const key of ["instructions", "name", "description", "namespace"] as const) assertText(key, options[key]);
  const { plugins = [], subagents = [], host, instructions } = options;
  assertPlugins(plugins);
  assertSubagents(subagents);
  const execution = readHost(host, options.namespace ?? options.name);
  const store = execution === undefined ? readStore(host) : undefined;
  for (const key of ["onEvent", "onNote"] as const)
    if (options[key] !== undefined && typeof options[key] !== "function")
      throw refuse(`has the ${key} ${showValue(options[key])}`, "Pass a function.");
  assertArrivals(options.arrivals);
  const { memory } = options;
  if (memory !== undefined) asTypeError(() => assertMemory(memory, "Agent"));
  const problem = portsProblem(options.ports);
  if (problem !== "") throw refuse(`has invalid ports: ${problem}`, "");
  const ready = { options, instructions, subagents: [...subagents], plugins: [...plugins], store, host: execution };
  return typeof options.model === "function" ? readFunction(ready) : readManaged(ready);
}

type Partly = Omit<ReadyOptions, "definition" | "define">;

function readManaged(ready: Partly): ReadyOptions {
  const { options } = ready;
  const tools = options.tools === undefined ? [] : toCustomTools(options.tools, "tools");
  const define = (more: AgentTools): Definition => {
    const { name = UNNAMED, instructions = "", model, toolChoice, settings, ...rest } = options;
    const { budget, timeoutMs, toolTimeoutMs, streaming, onToolError, maxCorrections, policies } = rest;
    const own = toolChoice === undefined ? settings : { ...settings, toolChoice };
    return createAgent(
      {
        id: name,
        systemPrompt: instructions,
        provider: model as LlmProviderAdapter,
        customTools: [...tools, ...toCustomTools(more, "more tools")],
        ...defined({
          budget,
          settings: own,
          timeoutMs,
          toolTimeoutMs,
          streaming,
          onToolError,
          maxCorrections,
          policies,
        }),
      },
      undefined,
    );
  };
  const definition = asTypeError(() => define([]));
  assertToolNames(definition, ready.subagents);
  return { ...ready, definition, define };
}

function readFunction(ready: Partly): ReadyOptions {
  const { options } = ready;
  const useless = MANAGED.find((key) => options[key] !== undefined);
  if (useless !== undefined)
    throw refuse(
      `has a function as \`model\` and also \`${useless}\``,
      `A model function runs its own tools: omit \`${useless}\`, or pass a provider as \`model\`.`,
    );
  const { name = UNNAMED, budget } = options;
  const open = () => openFunction(options.model as RuntimeLlm);
  const { provider } = open();
  const definition = asTypeError(() =>
    createAgent({ id: name, systemPrompt: "", provider, ...defined({ budget }) }, undefined),
  );
  return { ...ready, definition, define: undefined, openModel: open };
}

function assertModel(model: unknown): void {
  if (model === undefined)
    throw refuse(
      "has no `model`",
      "Pass a provider such as openaiProvider({ … }), a model of the AI SDK, or a function.",
    );
  if (typeof model === "string")
    throw refuse(
      `has the text ${showValue(model)} as \`model\``,
      `Pass a provider, such as openaiProvider({ model: ${showValue(model)} }).`,
    );
  if (typeof model === "function" || (isObject(model) && typeof model["turn"] === "function")) return;
  throw refuse(
    `has ${showValue(model)} as \`model\``,
    "Pass a provider with a turn(request) method, a model of the AI SDK, or a function.",
  );
}

function assertText(key: string, value: unknown): void {
  if (
    value === undefined ||
    (typeof value === "string" && value.isWellFormed() && (key === "instructions" || value !== ""))
  )
    return;
  throw refuse(
    `has the ${key} ${showValue(value)}`,
    "Pass a string that is not empty and has no lone surrogate, or omit it.",
  );
}

/** An execution host is one that has `scheduler` and `store`. */
function readHost(host: unknown, namespace: string | undefined): ExecutionHost | undefined {
  if (!isObject(host) || !isObject(host["scheduler"]) || !isObject(host["store"])) return undefined;
  const { sessionStore, capabilities, store } = host as Record<string, unknown> & ExecutionHost;
  if (sessionStore !== undefined)
    throw refuse(
      "has an execution host with a sessionStore",
      "An execution host keeps sessions in its own store: leave sessionStore out.",
    );
  if (!isObject(capabilities))
    throw refuse("has a host without `capabilities`", "Pass {} where it can do nothing more.");
  if (capabilities.backgroundSubagents === "durable") {
    if (typeof store.runs?.watch !== "function")
      throw refuse("has a durable host whose store cannot watch runs", "Implement store.runs.watch.");
    if (namespace === undefined)
      throw refuse(
        "has a durable host and no `namespace`",
        "Pass a stable `namespace` or `name`, to find its runs again.",
      );
  }
  return host as unknown as ExecutionHost;
}

function readStore(host: unknown): SessionStore | undefined {
  if (host === undefined) return undefined;
  if (!isObject(host))
    throw refuse(`has ${showValue(host)} as \`host\``, "Pass { sessionStore }, or an execution host.");
  const { sessionStore } = host;
  if (sessionStore !== undefined) assertStore(sessionStore);
  return sessionStore;
}

function asTypeError<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!isThrown(error, AgentError)) throw error;
    throw refuse(`cannot be created: ${error.message}`, error.hint ?? "", error);
  }
}
