// Laws of a tool: no arguments of a model may break the argument check, or a call by the runtime.

import fc from "fast-check";
import {
  copyJson,
  createArgumentCheck,
  createInMemoryRuntimeMemory,
  createPluck,
  createRuntime,
  echoProvider,
  FORBIDDEN_KEYS,
  isPlainObject,
  isThenable,
  ToolArgError,
  toPointer,
  toResultText,
  type ArgumentCheck,
  type CustomTool,
  type CustomToolContext,
  type JsonObject,
  type JsonValue,
} from "../../core/index.js";
import { argumentsFor } from "../arbitraries/arguments.js";
import { changeOf } from "../arbitraries/changes.js";
import { either } from "../arbitraries/either.js";
import { DEFAULT_TOOL_PROPERTY_TIMEOUT_MS } from "../limits.js";
import { hostileArguments, mayBePoisoned } from "../arbitraries/tools.js";
import { assertExamples, assertLawOptions, assertSeen, breaks, holdLaws, type LawOptions } from "./law.js";
import { watchPrototypes } from "./prototypes.js";
import { describeGiven, isObject, refuse } from "../contract/check-inputs.js";
import { findLoss } from "../contract/json.js";
import { describeThrown, isCrash } from "../contract/thrown.js";
import { settle, type Settled } from "../contract/waiting.js";

export interface CheckToolOptions extends LawOptions {
  /** Arguments to try first, such as those of an earlier failed call. */
  readonly examples?: readonly JsonObject[];
  /** Time limit of one call in ms. Default 5,000. */
  readonly timeoutMs?: number;
  /** Whether the tool may throw this. Default: anything except an error of the language itself (TypeError, RangeError, …). */
  readonly mayThrow?: (error: unknown, args: JsonObject) => boolean;
  /** Replaces parts of the call's context. Default: verbs without bodies, and an empty memory for each call. */
  readonly context?: Partial<CustomToolContext>;
  /** The number of calls the tool must accept for the check to count. Default 1. */
  readonly minAccepted?: number;
}

export interface ToolReport {
  readonly runs: number;
  /** Arguments that match the schema, so the tool was called. */
  readonly accepted: number;
  /** Arguments refused before the tool saw them. */
  readonly refused: number;
  /** Calls that gave a result. */
  readonly answered: number;
  /** Calls that threw an allowed error. */
  readonly threw: number;
  /** The source of the arguments: the schema, or only hostile arguments, and why. */
  readonly drawn: { readonly from: "schema" } | { readonly from: "hostile"; readonly why: string };
}

const OPTIONS = ["examples", "timeoutMs", "mayThrow", "context", "minAccepted"];

/**
 * Holds a tool to four laws, for arguments that match its schema, nearly match it, or attack. The check of arguments accepts or
 * refuses them and never crashes. No call sees a forbidden key or changes a prototype. A call gives a result or throws an allowed
 * error within `timeoutMs`. Results are plain JSON.
 *
 * The tool is really called about a hundred times, so pass one without effects. An async tool without the effect `write` is called
 * three times with each value, two of them concurrently, because a runtime may do so.
 *
 * Rejects with `LawBrokenError`, with `HarnessError` `law-empty` when too few calls were accepted, and with `AgentError`
 * `invalid-options` for a value that is not a tool.
 */
export async function checkTool(tool: CustomTool, options: CheckToolOptions = {}): Promise<ToolReport> {
  assertLawOptions("checkTool", options, OPTIONS);
  assertTool(tool);
  assertExamples("checkTool", options.examples, (args) =>
    isPlainObject(args) ? undefined : "arguments are an object",
  );
  const check = createArgumentCheck(tool.name, tool.schema);
  const source = argumentsFor(tool.schema);
  const count = { accepted: 0, refused: 0, answered: 0, threw: 0 };
  const runs = await holdLaws({
    call: "checkTool(tool",
    subject: `tool ${tool.name}`,
    values: source.kind === "values" ? aroundSchema(source.values) : hostileArguments(),
    examples: options.examples ?? [],
    options,
    defaultRuns: 200,
    async judge(args) {
      const clean = checked(check, args);
      count[clean === undefined ? "refused" : "accepted"] += 1;
      if (clean !== undefined) count[await judgeCall(tool, clean, options)] += 1;
    },
  });
  const drawn =
    source.kind === "values"
      ? ({ from: "schema" } as const)
      : ({ from: "hostile", why: `nothing is drawn for ${source.keyword} at ${source.pointer || "the top"}` } as const);
  assertSeen(
    count.accepted,
    options.minAccepted ?? 1,
    `tool ${tool.name}: calls that its schema accepts${drawn.from === "hostile" ? ` (${drawn.why})` : ""}`,
    "Pass `examples` that match the schema, raise numRuns, or set minAccepted: 0 to check refusals alone.",
  );
  return { runs, ...count, drawn };
}

/** Makes the checks that a runtime makes when it is built. */
function assertTool(tool: CustomTool): void {
  const hint = "Pass one tool: { name, description, schema, invoke }, as defineTool makes it.";
  if (!isObject(tool)) refuse("checkTool", describeGiven(tool), hint);
  createRuntime({ agents: [{ id: "check", systemPrompt: "", provider: echoProvider(), customTools: [tool] }] });
}

/** Most arguments match, some nearly match, and some attack. Changes and additions shrink independently. */
function aroundSchema(values: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonValue> {
  const pick = either([3, fc.constant(undefined)], fc.nat(10_000));
  const nearly = fc
    .tuple(values, pick)
    .map(([value, change]) => (change === undefined ? value : changeOf(value, change).value));
  return either([9, mayBePoisoned(nearly, 1)], hostileArguments());
}

/** The arguments that the tool gets, or undefined if they are refused. */
function checked(check: ArgumentCheck, args: JsonValue): JsonObject | undefined {
  let clean: JsonObject;
  try {
    clean = check(args);
  } catch (error) {
    if (error instanceof ToolArgError) return undefined;
    return breaks("the check of arguments accepts or refuses", `it threw ${describeThrown(error)}`, error);
  }
  const forbidden = findForbidden(clean, []);
  if (forbidden !== undefined) breaks("a tool never sees a forbidden key", `it would be given ${forbidden}`);
  return clean;
}

function findForbidden(value: unknown, path: readonly string[]): string | undefined {
  if (!Array.isArray(value) && !isPlainObject(value)) return undefined;
  const key = FORBIDDEN_KEYS.find((name) => Object.hasOwn(value, name));
  if (key !== undefined) return toPointer([...path, key]);
  for (const [name, item] of Object.entries(value)) {
    const found = findForbidden(item, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function judgeCall(tool: CustomTool, args: JsonObject, options: CheckToolOptions): Promise<"answered" | "threw"> {
  const { timeoutMs = DEFAULT_TOOL_PROPERTY_TIMEOUT_MS, mayThrow = (error) => !isCrash(error) } = options;
  const touched = watchPrototypes();
  const controller = new AbortController();
  let isAsync = false;
  const call = () =>
    settle(() => {
      // A copy, so that `mayThrow` gets the arguments that the call began with.
      const given = tool.invoke(copyJson(args), toolContext(controller.signal, options.context));
      isAsync ||= isThenable(given);
      return given;
    }, timeoutMs);
  const alone = await call();
  // A runtime runs the calls of one batch concurrently, unless one of them writes.
  const together = isAsync && tool.effect !== "write" ? await Promise.all([call(), call()]) : [];
  controller.abort();
  const polluted = touched();
  if (polluted.length > 0) breaks("a call does not change prototypes", `it ${polluted.join(", ")}`);
  const ended = judgeEnd(alone, "", args, { timeoutMs, mayThrow });
  for (const end of together) judgeEnd(end, "of two calls at once, ", args, { timeoutMs, mayThrow });
  return ended;
}

function judgeEnd(
  end: Settled,
  when: string,
  args: JsonObject,
  { timeoutMs, mayThrow }: Required<Pick<CheckToolOptions, "timeoutMs" | "mayThrow">>,
): "answered" | "threw" {
  switch (end.kind) {
    case "late":
      return breaks("a call ends", `${when}it gave nothing within ${timeoutMs} ms`);
    case "thrown":
      if (mayThrow(end.error, args)) return "threw";
      return breaks(READABLE, `${when}it threw ${describeThrown(end.error)}`, end.error);
    case "value":
      assertWritable(end.value);
      return "answered";
  }
}

const READABLE = "a call gives a result or a readable error";

function assertWritable(result: unknown): void {
  const law = "a result is plain JSON";
  const loss = findLoss(result);
  if (loss !== undefined) breaks(law, loss);
  try {
    toResultText(result);
  } catch (error) {
    breaks(law, `writing it threw ${describeThrown(error)}`, error);
  }
}

/** A context with verbs without bodies and its own memory. `given` replaces parts of it. */
function toolContext(signal: AbortSignal, given: Partial<CustomToolContext> = {}): CustomToolContext {
  const store = createInMemoryRuntimeMemory();
  return {
    signal,
    agentId: "check",
    toolCallId: "check",
    attempt: 1,
    idempotencyKey: "check:0.0",
    retryPolicy: "pure",
    pluck: createPluck(),
    memory: {
      get: async (scope, key) => store.get(scope, key),
      set: async (scope, key, value) => store.set(scope, key, value),
      delete: async (scope, key) => store.delete(scope, key),
      keys: async (scope) => store.keys(scope),
    },
    ...given,
  };
}
