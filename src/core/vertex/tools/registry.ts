// The registry that dispatches tool calls of all vertices, and an implementation over Playhead tools.

import type { JsonObject } from "../../canon/value.js";
import { defined } from "../../defined.js";
import { AgentError } from "../../errors.js";
import { createToolSet, type ToolSet } from "../../tools/registry.js";
import type { CustomTool, CustomToolContext, ToolEffect } from "../../tools/tool.js";
import { UnknownToolError } from "./tool-errors.js";

/** How far a tool may reach into the file system. The registry defines the meaning of the values. */
export type FsScopeTier = "sandboxed" | "project" | "full";

/** A tool as the model sees it. `parameters` is the JSON Schema of its arguments. */
export interface ToolDef {
  readonly id: string;
  readonly description: string;
  readonly parameters: JsonObject;
  /** Default `read`. Calls of one turn run one after another if one of them writes. */
  readonly effect?: ToolEffect;
  /** Time limit of one call in ms. */
  readonly timeoutMs?: number;
}

/** The context of a dispatch. */
export interface ToolDispatchContext {
  readonly nodeId: string;
  readonly fsScope: FsScopeTier;
  /** Fires when the call takes too long or the execution is cancelled. */
  readonly signal: AbortSignal;
}

/**
 * Runs tool calls by id. `args` were checked against the definition. The model reads the result. A `ToolArgError` is masked, a
 * `ToolPolicyError` fails the vertex with `tool_denied`, a `ToolCancelledError` with `cancelled`, and any other error with `tool_failed`.
 */
export interface ToolRegistry {
  dispatch(toolId: string, args: JsonObject, context: ToolDispatchContext): unknown;
}

/** A registry over `tools`, with their definitions. Throws `AgentError` `invalid-options` for an invalid tool or a repeated name. */
export function createToolRegistry(tools: readonly CustomTool[]): {
  readonly registry: ToolRegistry;
  readonly tools: readonly ToolDef[];
} {
  const { byName } = createToolSet("of a tool registry", { customTools: tools }, undefined);
  const definitions = tools.map(({ name: id, description, schema: parameters, effect, timeoutMs }) => {
    return Object.freeze({ id, description, parameters, ...defined({ effect, timeoutMs }) });
  });
  return {
    registry: {
      dispatch(toolId, args, { nodeId, signal }) {
        const tool = byName.get(toolId);
        if (tool === undefined) throw new UnknownToolError(toolId);
        return tool.invoke(args as never, new DispatchedContext(nodeId, signal));
      },
    },
    tools: Object.freeze(definitions),
  };
}

/** A vertex has neither verbs nor memory, and its calls have no ids. This is a class, so that only reading such a field fails. */
class DispatchedContext implements CustomToolContext {
  readonly attempt = 1;
  readonly retryPolicy = "manual-recovery";
  readonly agentId: string;
  readonly signal: AbortSignal;

  constructor(agentId: string, signal: AbortSignal) {
    this.agentId = agentId;
    this.signal = signal;
  }

  get pluck(): never {
    throw lacking("verbs");
  }

  get memory(): never {
    throw lacking("memory");
  }

  get toolCallId(): never {
    throw lacking("call ids");
  }

  get idempotencyKey(): never {
    throw lacking("idempotency keys");
  }
}

function lacking(what: string): AgentError {
  return new AgentError("capability-missing", `a vertex has no ${what} for its tools`, {
    hint: "Keep what the tool needs in its closure.",
  });
}

/** The definitions as tools that dispatch to `registry`, compiled once. The context's `agentId` is the id of the vertex. */
export function compileTools(
  definitions: readonly ToolDef[],
  {
    registry,
    fsScope,
    toolTimeoutMs,
  }: { registry: ToolRegistry; fsScope: FsScopeTier; toolTimeoutMs?: number | undefined },
): ToolSet {
  const customTools = definitions.map(({ id, description, parameters, effect, timeoutMs }): CustomTool => {
    return {
      ...{ name: id, description, schema: parameters, ...defined({ effect, timeoutMs }) },
      invoke: (args, { agentId: nodeId, signal }) => registry.dispatch(id, args, { nodeId, fsScope, signal }),
    };
  });
  return createToolSet("of a vertex", { customTools, ...defined({ toolTimeoutMs }) }, undefined);
}
