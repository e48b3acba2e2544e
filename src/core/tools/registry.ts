// The tools of one agent, built-in verbs and its own, in one flat namespace. Every flaw in them is found before the first turn.

import { seal } from "../canon/copy.js";
import { isPlainObject, NotJsonError } from "../canon/value.js";
import { invalidOptions } from "../errors.js";
import { DEFAULT_TOOL_TIMEOUT_MS } from "../limits.js";
import type { LlmToolDefinition } from "../model/provider.js";
import { assertKnownOptions } from "../options.js";
import { showValue } from "../text/show.js";
import { createArgumentCheck, type ArgumentCheck } from "./argument-check.js";
import { isToolTimeout } from "./deadline.js";
import type { CustomTool, CustomToolContext, ToolEffect, ToolRetryPolicy } from "./tool.js";
import {
  isVerbName,
  READ_ONLY_VERBS,
  VERB_NAMES,
  VERBS,
  type VerbBodies,
  type VerbBody,
  type VerbName,
} from "./verbs.js";

export interface GrantedTool {
  readonly name: string;
  readonly effect: ToolEffect;
  /** Time limit of a call in milliseconds. Infinity for no limit. */
  readonly timeoutMs: number;
  readonly retryPolicy: ToolRetryPolicy;
  /** Characters that the model reads of what the tool gives. Default `MAX_RESULT_CHARACTERS`. */
  readonly resultLimit?: number;
  readonly check: ArgumentCheck;
  readonly invoke: (args: never, context: CustomToolContext) => unknown;
}

export interface ToolSet {
  readonly byName: ReadonlyMap<string, GrantedTool>;
  /** The sealed definitions for the model: the same array in every turn. */
  readonly definitions: readonly LlmToolDefinition[];
}

export interface ToolManifest {
  /** Verbs that the model may call. Default: all verbs that only read, if the runtime has verbs. `[]` allows none. */
  readonly tools?: readonly string[];
  readonly customTools?: readonly CustomTool[];
  /** Time limit in milliseconds for each call of a verb or of a tool without its own. Infinity for no limit. Default: ten minutes. */
  readonly toolTimeoutMs?: number;
}

const TIMEOUT_HINT = "Use milliseconds above 0, or Infinity for no limit.";
const TOOL_OPTIONS = ["name", "description", "schema", "effect", "retryPolicy", "timeoutMs", "invoke"];
const RETRY_POLICIES: readonly ToolRetryPolicy[] = ["idempotent", "manual-recovery", "pure"];
export const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]*$/;

/** Resolves a manifest against the given verb bodies. Throws `AgentError` `invalid-options` for a manifest that cannot work. */
export function createToolSet(agentId: string, manifest: ToolManifest, verbs: VerbBodies | undefined): ToolSet {
  const refuse = (what: string, hint: string): never => {
    throw invalidOptions(`agent ${agentId}: ${what}`, hint);
  };
  const { toolTimeoutMs = DEFAULT_TOOL_TIMEOUT_MS } = manifest;
  if (!isToolTimeout(toolTimeoutMs)) refuse(`toolTimeoutMs is ${String(toolTimeoutMs)}`, TIMEOUT_HINT);
  const tools = new Map<string, GrantedTool>();
  const definitions: LlmToolDefinition[] = [];
  const add = (tool: GrantedTool, definition: LlmToolDefinition) => {
    if (tools.has(tool.name))
      refuse(`two tools have the name ${tool.name}`, "Give every tool of an agent a different name.");
    tools.set(tool.name, tool);
    definitions.push(definition);
  };

  for (const [name, body] of grantedVerbs(manifest, verbs, refuse)) {
    add(verbTool(name, body, toolTimeoutMs), { name, ...VERBS[name] });
  }
  const { customTools = [] } = manifest;
  assertList("customTools", customTools, "Pass a list of tools.", refuse);
  for (const tool of customTools) {
    assertCustomTool(agentId, tool, refuse);
    add(
      {
        name: tool.name,
        effect: tool.effect ?? "read",
        retryPolicy: tool.retryPolicy ?? (tool.effect === "read" ? "pure" : "manual-recovery"),
        timeoutMs: tool.timeoutMs ?? toolTimeoutMs,
        check: createArgumentCheck(tool.name, tool.schema),
        invoke: (args, context) => tool.invoke(args, context),
      },
      { name: tool.name, description: tool.description, schema: tool.schema },
    );
  }
  return { byName: tools, definitions: sealDefinitions(definitions, refuse) };
}

/**
 * The tools of `set` with these names, in the order of `set`. Names that it lacks are left out. Narrow once for each grant, since
 * the definitions are a new list.
 */
export function narrowToolSet({ byName, definitions }: ToolSet, names: readonly string[]): ToolSet {
  const granted = new Set(names);
  return {
    byName: new Map([...byName].filter(([name]) => granted.has(name))),
    definitions: seal(definitions.filter(({ name }) => granted.has(name))),
  };
}

function assertList(name: string, value: unknown, hint: string, refuse: Refuse): void {
  if (!Array.isArray(value)) refuse(`${name} is ${showValue(value)}`, hint);
}

type Refuse = (what: string, hint: string) => never;

function grantedVerbs(manifest: ToolManifest, verbs: VerbBodies | undefined, refuse: Refuse): [VerbName, VerbBody][] {
  const names = manifest.tools ?? (verbs === undefined ? [] : READ_ONLY_VERBS);
  assertList("tools", names, "Pass a list of the names of verbs.", refuse);
  return names.map((name) => {
    if (!isVerbName(name)) {
      return refuse(
        `tools has an unknown verb: ${JSON.stringify(name)}`,
        `The verbs are ${VERB_NAMES.join(", ")}. Put your own tools into customTools.`,
      );
    }
    if (verbs === undefined) {
      return refuse(
        `tools names ${name}, but the runtime has no verbs`,
        "Use createPluck of playhead/host, or pass `verbs`.",
      );
    }
    if (typeof verbs[name] !== "function") {
      return refuse(`tools names ${name}, but the given verbs have no body for it`, `Add ${name} to \`verbs\`.`);
    }
    return [name, verbs[name]];
  });
}

function verbTool(name: VerbName, body: VerbBody, timeoutMs: number): GrantedTool {
  return {
    name,
    effect: name === "act" ? "write" : "read",
    retryPolicy: name === "act" ? "manual-recovery" : "pure",
    timeoutMs,
    check: createArgumentCheck(name, VERBS[name].schema),
    invoke: (args, { signal, agentId, memory }) => body(args, { signal, agentId, memory }),
  };
}

function assertCustomTool(agentId: string, tool: CustomTool, refuse: Refuse): void {
  const name: unknown = tool?.name;
  if (typeof name !== "string" || !TOOL_NAME.test(name)) {
    refuse(
      `${JSON.stringify(name)} is not a tool name`,
      `Use letters, digits, "_" and "-", starting with a letter or "_".`,
    );
  }
  if (isVerbName(tool.name)) {
    refuse(`tool ${tool.name} has the name of a verb`, `Rename it, for example to my_${tool.name}.`);
  }
  // An instance of a class may have further fields.
  if (isPlainObject(tool)) assertKnownOptions(`agent ${agentId}: tool ${tool.name}`, tool, TOOL_OPTIONS);
  if (typeof tool.description !== "string")
    refuse(`tool ${tool.name} has no description`, "Pass one: the model chooses tools by their descriptions.");
  if (typeof tool.invoke !== "function")
    refuse(`tool ${tool.name} has no invoke function`, "Pass invoke(args, context).");
  if (!isPlainObject(tool.schema)) refuse(`tool ${tool.name} has no schema`, "Pass the JSON Schema of its arguments.");
  if (tool.effect !== undefined && tool.effect !== "read" && tool.effect !== "write") {
    refuse(`tool ${tool.name} has the effect ${JSON.stringify(tool.effect)}`, `Use "read" or "write".`);
  }
  if (tool.retryPolicy !== undefined && !RETRY_POLICIES.includes(tool.retryPolicy)) {
    const policy = JSON.stringify(tool.retryPolicy);
    refuse(`tool ${tool.name} has the retryPolicy ${policy}`, `Use ${RETRY_POLICIES.join(", ")}.`);
  }
  if (tool.timeoutMs !== undefined && !isToolTimeout(tool.timeoutMs)) {
    refuse(`tool ${tool.name} has the timeoutMs ${String(tool.timeoutMs)}`, TIMEOUT_HINT);
  }
}

export function sealDefinitions(definitions: LlmToolDefinition[], refuse: Refuse): readonly LlmToolDefinition[] {
  try {
    return seal(definitions);
  } catch (error) {
    if (error instanceof NotJsonError) return refuse(`a tool definition: ${error.message}`, error.hint ?? "");
    throw error;
  }
}
