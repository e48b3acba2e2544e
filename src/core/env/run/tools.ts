// The tools of one run, from a hook: schemas are checked, narrowed to the agent's grant, and dispatched by name.

import { isPlainObject } from "../../canon/value.js";
import { invalidOptions } from "../../errors.js";
import type { LlmToolDefinition } from "../../model/provider.js";
import { assertKnownOptions } from "../../options.js";
import type { Ports } from "../../ports.js";
import { showValue } from "../../text/show.js";
import { thrownText } from "../../text/thrown.js";
import { createArgumentCheck, type ArgumentCheck } from "../../tools/argument-check.js";
import { isToolTimeout } from "../../tools/deadline.js";
import { sealDefinitions, TOOL_NAME, type GrantedTool, type ToolSet } from "../../tools/registry.js";
import type { CustomToolContext } from "../../tools/tool.js";
import { claim, isNoPromise, type Hook, type ToolCall, type ToolSchema } from "../hook.js";
import { HookCall } from "../hooks/call.js";
import type { ConversationRef } from "../storage/storage.js";
import type { ReadyAgent } from "./agent.js";

/** Creates the tools of a run. There is one for each runtime, so a schema is read once and a flaw causes one warning. */
export type OfferTools = (agent: ReadyAgent, hook: Hook, ref: ConversationRef) => ToolSet;

export function createOffer(ports: Pick<Ports, "warn">): OfferTools {
  const checks = new WeakMap<object, ArgumentCheck>();
  const warned = new Set<string>();
  const warnOnce = (message: string): void => {
    if (warned.has(message)) return;
    warned.add(message);
    ports.warn(`playhead: ${message}`);
  };
  const checkOf = (tool: ToolSchema): ArgumentCheck => {
    const known = checks.get(tool.schema);
    if (known !== undefined) return known;
    const made = createArgumentCheck(tool.name, tool.schema);
    checks.set(tool.schema, made);
    return made;
  };
  return (ready, hook, ref) => {
    const offered = readSchemas(hook, warnOnce);
    const tools = new Map<string, GrantedTool>();
    const definitions: LlmToolDefinition[] = [];
    for (const tool of granted(ready, offered)) {
      tools.set(tool.name, {
        name: tool.name,
        effect: tool.effect ?? "read",
        retryPolicy: tool.effect === "read" ? "pure" : "manual-recovery",
        timeoutMs: tool.timeoutMs ?? ready.toolTimeoutMs,
        check: checkOf(tool),
        invoke: (args, context) => serve(hook, new HookCall(tool.name, args, ref, context), warnOnce),
      });
      definitions.push({ name: tool.name, description: tool.description, schema: tool.schema });
    }
    return { byName: tools, definitions: sealDefinitions(definitions, refuse) };
  };
}

/** A hook that breaks its contract fails the call, not the run. */
function serve(
  hook: Hook,
  call: ToolCall & CustomToolContextHolder,
  warn: (message: string) => void,
): Promise<unknown> {
  try {
    return claim(hook, call.name, call);
  } catch (error) {
    if (isNoPromise(error)) warn(`${error.message}, so the call failed`);
    throw error;
  }
}

interface CustomToolContextHolder {
  readonly context: CustomToolContext;
}

function granted({ name, grant }: ReadyAgent, offered: ReadonlyMap<string, ToolSchema>): readonly ToolSchema[] {
  if (grant === undefined) return [...offered.values()].filter(({ effect = "read" }) => effect === "read");
  const unknown = grant.filter((tool) => !offered.has(tool));
  if (unknown.length > 0)
    refuse(
      `agent ${name} names tools that the hook does not offer: ${unknown.join(", ")}`,
      `The hook offers ${[...offered.keys()].join(", ") || "no tools"}.`,
    );
  // In the order of the hook, so that the definitions of two agents differ only in what they lack.
  return [...offered.values()].filter((tool) => grant.includes(tool.name));
}

function readSchemas(hook: Hook, warn: (message: string) => void): Map<string, ToolSchema> {
  const offered = new Map<string, ToolSchema>();
  for (const tool of listSchemas(hook)) {
    assertSchema(tool);
    if (offered.has(tool.name)) warn(`two hooks offer the tool ${tool.name}, and the first one serves it`);
    else offered.set(tool.name, tool);
  }
  return offered;
}

function listSchemas(hook: Hook): readonly ToolSchema[] {
  let list: unknown;
  try {
    list = hook.schema?.() ?? [];
  } catch (error) {
    throw invalidOptions(`schema() of the hook threw: ${thrownText(error)}`, "Return a list of tools.", error);
  }
  if (Array.isArray(list)) return list as readonly ToolSchema[];
  return refuse(`schema() of the hook returned ${showValue(list)}`, "Return a list of tools.");
}

function assertSchema(tool: ToolSchema): void {
  const name: unknown = tool?.name;
  if (typeof name !== "string" || !TOOL_NAME.test(name))
    refuse(
      `${JSON.stringify(name)} is not a tool name`,
      `Use letters, digits, "_" and "-", starting with a letter or "_".`,
    );
  if (isPlainObject(tool))
    assertKnownOptions(`the tool ${tool.name}`, tool, ["name", "description", "schema", "effect", "timeoutMs"]);
  if (typeof tool.description !== "string")
    refuse(`the tool ${tool.name} has no description`, "Pass one: the model chooses tools by it.");
  if (!isPlainObject(tool.schema))
    refuse(`the tool ${tool.name} has no schema`, "Pass the JSON Schema of its arguments.");
  const { effect = "read", timeoutMs } = tool;
  if (effect !== "read" && effect !== "write")
    refuse(`the tool ${tool.name} has the effect ${JSON.stringify(effect)}`, `Use "read" or "write".`);
  if (timeoutMs !== undefined && !isToolTimeout(timeoutMs))
    refuse(
      `the tool ${tool.name} has the timeoutMs ${String(timeoutMs)}`,
      "Use milliseconds above 0, or Infinity for no limit.",
    );
}

function refuse(what: string, hint: string): never {
  throw invalidOptions(what, hint);
}
