// A hook of tools in the form that createRuntime accepts, and a hook of verbs.

import { invalidOptions } from "../../errors.js";
import { bindVerbs } from "../../runtime/verbs.js";
import { showValue } from "../../text/show.js";
import type { CustomTool, CustomToolContext } from "../../tools/tool.js";
import { isVerbName, VERB_NAMES, VERBS, type VerbBodies, type VerbName } from "../../tools/verbs.js";
import type { Hook, ToolCall, ToolSchema } from "../hook.js";
import { HookCall } from "./call.js";

/** Serves tools in the form that `createRuntime` accepts. Throws `AgentError` `invalid-options` if a value is not a tool. */
export function toolHook(tools: readonly CustomTool[]): Hook {
  const byName = new Map<string, CustomTool>();
  for (const tool of tools) {
    if (typeof tool?.invoke !== "function" || typeof tool.name !== "string")
      throw invalidOptions(
        `toolHook was given ${showValue(tool)}`,
        "Pass tools with a name, a schema and invoke(args, context).",
      );
    if (byName.has(tool.name))
      throw invalidOptions(`two tools have the name ${tool.name}`, "Give every tool its own name.");
    byName.set(tool.name, tool);
  }
  const schemas = tools.map(toSchema);
  return {
    schema: () => schemas,
    dispatch: (name, call) => {
      const tool = byName.get(name);
      return tool === undefined ? undefined : serve(() => tool.invoke(call.args, contextOf(call)));
    },
  };
}

function toSchema({ name, description, schema, effect, timeoutMs }: CustomTool): ToolSchema {
  return {
    name,
    description,
    schema,
    ...(effect === undefined ? {} : { effect }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** Not async, so that a promise of the tool is passed on unchanged. */
export function serve(work: () => unknown): Promise<unknown> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- As the tool throws.
    return Promise.reject(error);
  }
}

/** The complete context of a call of the runtime. A call outside a run has no id. */
function contextOf(call: ToolCall): CustomToolContext {
  if (call instanceof HookCall) return call.context;
  const asked = { signal: call.signal, agentId: call.agent, memory: call.memory };
  return {
    ...asked,
    pluck: bindVerbs(undefined, asked),
    toolCallId: "",
    attempt: 1,
    retryPolicy: "manual-recovery",
    get idempotencyKey(): string {
      throw invalidOptions("a call outside a run has no idempotency key", "Call the tool in a run.");
    },
  };
}

/** Serves the named verbs with the given bodies, such as those of `createVerbs`. Default: all that have a body. */
export function verbHook(bodies: Partial<VerbBodies>, names?: readonly VerbName[]): Hook {
  const chosen = names ?? VERB_NAMES.filter((name) => bodies[name] !== undefined);
  const unknown = chosen.find((name) => !isVerbName(name) || typeof bodies[name] !== "function");
  if (unknown !== undefined)
    throw invalidOptions(`verbHook has no body for ${showValue(unknown)}`, `The verbs are ${VERB_NAMES.join(", ")}.`);
  const schemas = chosen.map((name): ToolSchema => ({
    name,
    ...VERBS[name],
    effect: name === "act" ? "write" : "read",
  }));
  return {
    schema: () => schemas,
    dispatch: (name, { args, signal, agent, memory }) => {
      const body = chosen.includes(name as VerbName) ? bodies[name as VerbName] : undefined;
      return body === undefined ? undefined : serve(() => body(args, { signal, agentId: agent, memory }));
    },
  };
}
