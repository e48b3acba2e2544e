// Replays recorded tool results in place of live tools. Tolerances may allow differences between the arguments of a call and the recorded
// ones. Equal calls get their results in recorded order, each once. A call that was not recorded ends the run. See docs/replay.md.

import {
  defined,
  isPlainObject,
  MAX_RESULT_CHARACTERS,
  ToolArgError,
  VERB_NAMES,
  type CustomTool,
  type JsonObject,
  type LlmToolDefinition,
  type Ports,
  type VerbBodies,
} from "../../core/index.js";
import { assertKnownOptions, CassetteError } from "../errors.js";
import { extensionsOf } from "../file/format.js";
import { checkCassette } from "../trust/load-cassette.js";
import type { RedactOption } from "../redact/options.js";
import { MAX_TAPE_DIFFERENCES } from "../limits.js";
import { createReplayRedaction } from "../redact/redactor.js";
import { assertTolerances, NO_TOLERANCES, type Tolerances } from "../tolerance/tolerances.js";
import type { ToleranceUse } from "../tolerance/uses.js";
import { explainTapeMiss, short, TapeMissError } from "./miss.js";
import { readTape, type TapeResult } from "./tape.js";
import { createUnusedResults } from "./unused.js";
import { watchTool, type ToolDrift } from "./watch.js";

/** The options of {@link cassetteTools}. A wrong one throws `CassetteError` `invalid-options`. */
export interface CassetteToolsOptions {
  /** Refuses version 1 cassettes. Default false. */
  readonly requireIntegrity?: boolean;
  /** As for `cassetteProvider`. Calls and answers of the live run are redacted before they are compared. */
  readonly redact?: RedactOption;
  /** The path for error messages. */
  readonly file?: string;
  /** How a live call's arguments may differ from the recorded ones. Default: not at all. */
  readonly tolerances?: Tolerances;
  readonly ports?: Pick<Ports, "warn">;
}

/** A tool to replace. `invoke` is never called. */
export type ToolLike = LlmToolDefinition | CustomTool;

/** Recorded tool results. Created by {@link cassetteTools}. A call that was not recorded throws {@link TapeMissError}. */
export interface CassetteTools {
  /** Every recorded call in order. */
  readonly results: readonly TapeResult[];
  /**
   * Uses the next result of a call, for a tool of any framework: first the one of this call id. Throws {@link TapeMissError} if there is
   * none.
   */
  take(name: string, args: JsonObject, callId?: string): TapeResult;
  /** Every miss so far, including those that a framework caught. */
  readonly misses: readonly TapeMissError[];
  /** Returns stand-ins with the names, descriptions and schemas of `tools`. */
  replace(tools: readonly ToolLike[]): CustomTool[];
  /** Stand-ins for the eight verbs, for `createRuntime({ verbs })`. */
  readonly verbs: VerbBodies;
  /** Wraps live tools to compare each answer with the recorded one. The run goes on with the `live` (default) or `recorded` one. */
  watch(tools: readonly CustomTool[], options?: { readonly answer?: "live" | "recorded" }): CustomTool[];
  /** The different answers of watched tools, in the order of the answers. */
  readonly drift: readonly ToolDrift[];
  /** Results of tools that no call has used. */
  unused(): TapeResult[];
  /** Every tolerance that let a call with different arguments be answered. */
  readonly tolerances: readonly ToleranceUse[];
  /** Throws `CassetteError` `unconsumed` with the unused results. */
  assertConsumed(): void;
  /** Makes every result unused again, and clears the misses, the drift and the used tolerances. */
  reset(): void;
}

/** Checks `cassette` as if it came from a file. Throws `CassetteError`: a `LoadErrorCode`, or `invalid-options` without prompts. */
export function cassetteTools(cassette: unknown, options: CassetteToolsOptions = {}): CassetteTools {
  assertKnownOptions("cassetteTools", options, ["requireIntegrity", "redact", "file", "tolerances", "ports"]);
  const { file, redact, tolerances = NO_TOLERANCES, ...checking } = options;
  assertTolerances("cassetteTools", tolerances);
  const checked = checkCassette(cassette, { ...checking, ...defined({ file }) });
  const { redacted } = extensionsOf(checked);
  const { scrubber } = createReplayRedaction(redacted, redact, file) ?? {};
  const results = readTape(checked, file);
  const unused = createUnusedResults(results, tolerances);
  const drift: ToolDrift[] = [];
  const misses: TapeMissError[] = [];

  function find(name: string, live: JsonObject, callId?: string): TapeResult | undefined {
    const args = scrubber?.json(live) ?? live;
    // Placeholders of secrets may differ from the recorded ones in their numbers.
    return unused.take(name, args, callId) ?? (scrubber === undefined ? undefined : unused.takeRenumbered(name, args));
  }

  function take(name: string, live: JsonObject, callId?: string): TapeResult {
    const result = find(name, live, callId);
    if (result !== undefined) return result;
    const args = scrubber?.json(live) ?? live;
    const miss = new TapeMissError(explainTapeMiss(results, unused, tolerances, name, args), file);
    if (misses.length < MAX_TAPE_DIFFERENCES) misses.push(miss);
    throw miss;
  }

  const answer = (name: string, live: JsonObject): string => play(take(name, live));

  const scrub = (text: string): string => scrubber?.json(text) ?? text;
  const left = (): TapeResult[] => results.filter((result) => result.isToolsOwn && !unused.used.has(result));

  return {
    results,
    take,
    get misses() {
      return [...misses];
    },
    replace(tools) {
      assertTools(tools, file);
      return tools.map((tool) => ({ ...declare(tool), invoke: (args) => answer(tool.name, args) }));
    },
    verbs: Object.fromEntries(
      VERB_NAMES.map((name) => [name, (args: JsonObject) => answer(name, args)]),
    ) as unknown as VerbBodies,
    watch(tools, { answer: side = "live" } = {}) {
      assertTools(tools, file);
      return tools.map((tool) => ({
        ...declare(tool),
        invoke: watchTool(tool, drift, { side, take: (args) => find(tool.name, args), play, scrub }),
      }));
    },
    get drift() {
      return [...drift];
    },
    unused: left,
    get tolerances() {
      return unused.uses();
    },
    assertConsumed() {
      if (left().length > 0) throw unconsumed(left(), file);
    },
    reset() {
      unused.reset();
      drift.length = 0;
      misses.length = 0;
    },
  };
}

/** Returns the result of the tool, or throws its error, so that the model reads the same text again. */
function play({ name, content = "", isError, isToolsOwn }: TapeResult): string {
  if (!isError) return uncut(content);
  if (!isToolsOwn) throw new ToolArgError(`the tape has a refused call of ${name}`, { tool: name });
  throw new Error(uncut(content));
}

const CUT = /\n\[… (\d{1,8}) more characters were cut off\]$/;

/** Pads a cut result to its original length, so that it is cut at the same place again on its way to the model. */
function uncut(content: string): string {
  const found = content.length > MAX_RESULT_CHARACTERS ? CUT.exec(content.slice(MAX_RESULT_CHARACTERS)) : null;
  if (found?.index !== 0) return content;
  return content.slice(0, MAX_RESULT_CHARACTERS) + " ".repeat(Number(found[1]));
}

/** Refuses tools of another framework: they would lose their schema here, and the miss that follows would be misleading. */
function assertTools(tools: unknown, file: string | undefined): void {
  const isList = Array.isArray(tools);
  const wrong = isList ? tools.findIndex((tool) => !isTool(tool)) : 0;
  if (wrong < 0) return;
  const summary = isList ? `tool ${wrong} is not a Playhead tool` : "the tools are not a list";
  throw new CassetteError("invalid-options", `${summary}, so ${isList ? "it" : "they"} cannot be replayed`, {
    hint: "Pass tools of Playhead (`defineTool`). For tools of the AI SDK, OpenAI Agents or LangChain, use `replayTools(handle, tools)` of playhead/ai-sdk, playhead/openai-agents or playhead/langchain.",
    ...defined({ file }),
  });
}

function isTool(tool: unknown): boolean {
  const { name, schema } = (tool ?? {}) as { name?: unknown; schema?: unknown };
  return typeof name === "string" && isPlainObject(schema);
}

function declare(tool: ToolLike): Omit<CustomTool, "invoke"> {
  const { name, description, schema } = tool;
  const { effect, retryPolicy, timeoutMs } = tool as Partial<CustomTool>;
  return { name, description, schema, ...defined({ effect, retryPolicy, timeoutMs }) };
}

function unconsumed(left: readonly TapeResult[], file: string | undefined): CassetteError {
  const named = left.slice(0, 5).map(({ key, turn }) => `${short(key)} of turn ${turn}`);
  const rest = left.length > named.length ? ` and ${left.length - named.length} more` : "";
  const results = left.length === 1 ? "result was" : "results were";
  const what = `${left.length} recorded tool ${results} not used: ${named.join(", ")}${rest}`;
  const hint = "The run made other calls than the recorded one.";
  return new CassetteError("unconsumed", what, { hint, ...defined({ file }) });
}
