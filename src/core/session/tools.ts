// The tools of an agent: a list of Playhead tools, or a record of tools by name, which may be AI SDK tools.

import { isPlainObject, type JsonObject } from "../canon/value.js";
import { isObject } from "../options.js";
import { showValue } from "../text/show.js";
import { defined } from "../defined.js";
import type { CustomTool, CustomToolContext, ToolEffect, ToolRetryPolicy } from "../tools/tool.js";

/** A tool under its name. `execute` is called with the arguments and the context of the call. */
export interface NamedTool {
  readonly description: string;
  /** A JSON Schema, an object that holds one as `jsonSchema`, or a schema of a library that implements Standard JSON Schema. */
  readonly inputSchema: JsonObject | { readonly jsonSchema: JsonObject } | StandardJsonSchema;
  execute(input: never, context: CustomToolContext): unknown;
  readonly effect?: ToolEffect;
  readonly retryPolicy?: ToolRetryPolicy;
  readonly timeoutMs?: number;
}

/** The part of Standard JSON Schema that a tool needs. */
export interface StandardJsonSchema {
  readonly "~standard": {
    readonly jsonSchema: { input(options: { readonly target: "draft-2020-12" }): Record<string, unknown> };
  };
}

/** A tool as the AI SDK's `tool()` gives it. It must have a description, a JSON Schema and `execute`. */
export interface AnyAiSdkTool {
  readonly description?: string;
  readonly inputSchema: object;
  readonly execute?: unknown;
}

/** The tools of an agent: a list, or an object of tools by name. */
export type AgentTools = readonly CustomTool[] | Readonly<Record<string, NamedTool | AnyAiSdkTool>>;

/** Throws `TypeError` for tools that cannot be converted. The tool set checks the rest. */
export function toCustomTools(tools: unknown, owner: string): readonly CustomTool[] {
  if (Array.isArray(tools)) return tools as CustomTool[];
  if (!isPlainObject(tools))
    throw new TypeError(`${owner} is ${showValue(tools)}. Pass a list of tools, or an object of tools by name.`);
  return Object.entries(tools).map(([name, tool]) => toCustomTool(name, tool, `${owner}.${name}`));
}

function toCustomTool(name: string, tool: unknown, owner: string): CustomTool {
  if (!isObject(tool))
    throw new TypeError(`${owner} is ${showValue(tool)}. Pass { description, inputSchema, execute }.`);
  const { description, inputSchema, execute, effect, retryPolicy, timeoutMs } = tool;
  if (typeof description !== "string")
    throw new TypeError(`${owner} has no description. The model chooses tools by their descriptions: pass one.`);
  if (typeof execute !== "function")
    throw new TypeError(
      `${owner} has no execute function. The agent runs its own tools: pass execute(input, context).`,
    );
  return {
    name,
    description,
    schema: toJsonSchema(inputSchema, owner),
    ...(defined({ effect, retryPolicy, timeoutMs }) as Pick<CustomTool, "effect" | "retryPolicy" | "timeoutMs">),
    invoke: (args, context) => (tool as unknown as NamedTool).execute(args as never, new ExecuteContext(context)),
  };
}

function toJsonSchema(schema: unknown, owner: string): JsonObject {
  if (!isObject(schema) && typeof schema !== "function") throw unreadable(owner);
  const { jsonSchema, "~standard": standard } = schema as Record<string, unknown>;
  if (isPlainObject(jsonSchema)) return jsonSchema as JsonObject;
  const writer = isObject(standard) ? standard["jsonSchema"] : undefined;
  if (isObject(writer) && typeof writer["input"] === "function") {
    // A schema of a library names its own properties, such as $schema.
    return (writer as unknown as StandardJsonSchema["~standard"]["jsonSchema"]).input({
      target: "draft-2020-12",
    }) as JsonObject;
  }
  if (isPlainObject(schema) && standard === undefined) return schema as JsonObject;
  throw unreadable(owner);
}

function unreadable(owner: string): TypeError {
  return new TypeError(
    `${owner} has no JSON Schema in its inputSchema. Pass a JSON Schema, jsonSchema(…) of the AI SDK, or a schema that implements ` +
      "Standard JSON Schema, such as one of Zod 4.2 or later.",
  );
}

type GivenContext = Partial<Pick<CustomToolContext, "attempt" | "idempotencyKey">>;

/** The context of a call, with the extra fields that AI SDK tools read. `given` replaces fields. */
export class ExecuteContext implements CustomToolContext {
  readonly #own: CustomToolContext;
  readonly #given: GivenContext;
  readonly messages: readonly never[] = [];

  constructor(own: CustomToolContext, given: GivenContext = {}) {
    this.#own = own;
    this.#given = given;
  }

  get signal() {
    return this.#own.signal;
  }
  get abortSignal() {
    return this.#own.signal;
  }
  get agentId() {
    return this.#own.agentId;
  }
  get pluck() {
    return this.#own.pluck;
  }
  get memory() {
    return this.#own.memory;
  }
  get toolCallId() {
    return this.#own.toolCallId;
  }
  get attempt() {
    return this.#given.attempt ?? this.#own.attempt;
  }
  get idempotencyKey() {
    return this.#given.idempotencyKey ?? this.#own.idempotencyKey;
  }
  get retryPolicy() {
    return this.#own.retryPolicy;
  }
}
