// Laws of a tool: whatever a model writes as arguments, the tool is checked, called and answered for as a runtime would do it,
// and nothing breaks.

import fc from "fast-check";
import {
  copyJson,
  createArgumentCheck,
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
import { hostileArguments, mayBePoisoned } from "../arbitraries/tools.js";
import { assertExamples, assertLawOptions, assertSeen, breaks, holdLaws, type LawOptions } from "./law.js";
import { watchPrototypes } from "./prototypes.js";
import { describeGiven, isObject, refuse } from "../contract/given.js";
import { findLoss } from "../contract/json.js";
import { describeThrown, isCrash } from "../contract/thrown.js";
import { toolContext } from "./tool-context.js";
import { settle, type Settled } from "../contract/waiting.js";

/** The options of `checkTool`. */
export interface CheckToolOptions extends LawOptions {
  /** Arguments that are tried first, such as those of a call that once went wrong. */
  readonly examples?: readonly JsonObject[];
  /** Milliseconds one call may take. Default 5,000. */
  readonly timeoutMs?: number;
  /**
   * Whether the tool may throw this. Default: anything but an error of the language itself (TypeError, RangeError, …), since the
   * message of every other is an answer to the model.
   */
  readonly mayThrow?: (error: unknown, args: JsonObject) => boolean;
  /** What the tool is given beside its arguments. Default: verbs without bodies, and an empty memory for each call. */
  readonly context?: Partial<CustomToolContext>;
  /** How many calls the tool must accept for the check to count. Default 1. */
  readonly minAccepted?: number;
}

/** What was tried. */
export interface ToolReport {
  readonly runs: number;
  /** Arguments that match the schema, with which the tool was called. */
  readonly accepted: number;
  /** Arguments that were refused before the tool saw them. */
  readonly refused: number;
  /** Calls that gave a result. */
  readonly answered: number;
  /** Calls that threw what they may throw. */
  readonly threw: number;
  /** Where the arguments came from: drawn from the schema and changed, or hostile ones alone, and why. */
  readonly drawn: { readonly from: "schema" } | { readonly from: "hostile"; readonly why: string };
}

const OPTIONS = ["examples", "timeoutMs", "mayThrow", "context", "minAccepted"];

/**
 * Holds a tool to four laws, for arguments that match its schema, nearly match it, or attack: the check of arguments accepts or
 * refuses and never crashes; no call sees a forbidden key or changes a prototype; a call gives a result or throws what it may
 * within `timeoutMs`; results are plain JSON. The tool is really called, some hundred times: give one without effects. One that is
 * async and has not the effect `write` is called three times with each value, twice of them at once, as a runtime may do it.
 *
 * Rejects with `LawBrokenError`, with `HarnessError` `law-empty` when too few calls were accepted, and with `AgentError`
 * `invalid-options` for what is no tool.
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

/** All that a runtime asks of a tool when it is built. */
function assertTool(tool: CustomTool): void {
  if (!isObject(tool)) {
    refuse(
      "checkTool",
      describeGiven(tool),
      "Pass one tool: { name, description, schema, invoke }, as defineTool makes it.",
    );
  }
  createRuntime({ agents: [{ id: "check", systemPrompt: "", provider: echoProvider(), customTools: [tool] }] });
}

/** Most match, some nearly, some attack; what is changed or added shrinks away on its own. */
function aroundSchema(values: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonValue> {
  const pick = fc.oneof({ withCrossShrink: true }, { weight: 3, arbitrary: fc.constant(undefined) }, fc.nat(10_000));
  const nearly = fc
    .tuple(values, pick)
    .map(([value, change]) => (change === undefined ? value : changeOf(value, change).value));
  return fc.oneof({ withCrossShrink: true }, { weight: 9, arbitrary: mayBePoisoned(nearly, 1) }, hostileArguments());
}

/** The arguments as the tool gets them; undefined when they are refused. */
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

function findForbidden(value: unknown, path: readonly (string | number)[]): string | undefined {
  if (Array.isArray(value)) return firstOf(value.entries(), path);
  if (!isPlainObject(value)) return undefined;
  const key = FORBIDDEN_KEYS.find((name) => Object.hasOwn(value, name));
  return key === undefined ? firstOf(Object.entries(value), path) : toPointer([...path, key]);
}

function firstOf(
  entries: Iterable<[string | number, unknown]>,
  path: readonly (string | number)[],
): string | undefined {
  for (const [key, value] of entries) {
    const found = findForbidden(value, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function judgeCall(tool: CustomTool, args: JsonObject, options: CheckToolOptions): Promise<"answered" | "threw"> {
  const { timeoutMs = 5_000, mayThrow = (error) => !isCrash(error) } = options;
  const touched = watchPrototypes();
  const controller = new AbortController();
  let isAsync = false;
  const call = () =>
    settle(() => {
      // Its own copy, so that what is asked of `mayThrow` is what the call began with.
      const given = tool.invoke(copyJson(args), toolContext(controller.signal, options.context));
      isAsync ||= isThenable(given);
      return given;
    }, timeoutMs);
  const alone = await call();
  // A runtime makes the calls of one batch at once, unless one of them writes.
  const together = isAsync && tool.effect !== "write" ? await Promise.all([call(), call()]) : [];
  controller.abort();
  const polluted = touched();
  if (polluted.length > 0) breaks("a call leaves the prototypes alone", `it ${polluted.join(", ")}`);
  const ended = judgeEnd(alone, "", args, { timeoutMs, mayThrow });
  for (const end of together) judgeEnd(end, AT_ONCE, args, { timeoutMs, mayThrow });
  return ended;
}

const AT_ONCE = "of two calls at once, ";

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
      return breaks(
        "a call gives a result or a readable error",
        `${when}it threw ${describeThrown(end.error)}`,
        end.error,
      );
    case "value":
      assertWritable(end.value);
      return "answered";
  }
}

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
