// Recorded tool results in the place of live tools, strict on the call's arguments but for what tolerances allow: equal
// calls are answered in recorded order, and a call that was not recorded ends the run. Nothing is answered twice. See docs/replay.md.

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
import { checkCassette } from "../trust/load.js";
import type { RedactOption } from "../redact/options.js";
import { createReplayRedaction } from "../redact/redactor.js";
import { assertTolerances, NO_TOLERANCES, type Tolerances } from "../tolerance/tolerances.js";
import type { ToleranceUse } from "../tolerance/uses.js";
import { watchTool, type DriftLog, type ToolDrift } from "./drift.js";
import { explainTapeMiss, short, TapeMissError } from "./miss.js";
import { createReel } from "./reel.js";
import { readTape, type TapeResult } from "./tape.js";

/** The options of {@link cassetteTools}. A wrong one is `CassetteError` `invalid-options`. */
export interface CassetteToolsOptions {
  /** Refuses version 1 cassettes. Default false. */
  readonly requireIntegrity?: boolean;
  /** As for `cassetteProvider`: what a live model or a live tool says is compared as the recording would hold it. */
  readonly redact?: RedactOption;
  /** Named in messages. */
  readonly file?: string;
  /** In which ways a live call's arguments may differ from the recorded ones. Default: in none. */
  readonly tolerances?: Tolerances;
  readonly ports?: Pick<Ports, "warn">;
}

/** A tool to be stood in for; of a whole one, `invoke` is not called. */
export type ToolLike = LlmToolDefinition | CustomTool;

/** Recorded tool results; made by {@link cassetteTools}. A call that was not recorded throws {@link TapeMissError}. */
export interface CassetteTools {
  /** Every recorded call that may be asked for, in its order. */
  readonly results: readonly TapeResult[];
  /** Stand-ins with the names, descriptions and schemas of `tools`. */
  replace(tools: readonly ToolLike[]): CustomTool[];
  /** Stand-ins for the eight verbs, for `createRuntime({ verbs })`. */
  readonly verbs: VerbBodies;
  /**
   * The live tools, each answer compared with the recorded one. `answer` says which of the two the run goes on with: `live`, the
   * default, or `recorded`, so that a run replays to its end and every difference is found.
   */
  watch(tools: readonly CustomTool[], options?: { readonly answer?: "live" | "recorded" }): CustomTool[];
  /** Where watched tools answered otherwise than recorded, in the order they answered in. */
  readonly drift: readonly ToolDrift[];
  /** Results of tools that no call has taken. */
  unused(): TapeResult[];
  /** Every tolerance by which a call was answered whose arguments are not the recorded ones. */
  readonly tolerances: readonly ToleranceUse[];
  /** Throws `CassetteError` `unconsumed` naming them. */
  assertConsumed(): void;
  /** Makes every result unused again and forgets the drift and the tolerances that were used. */
  reset(): void;
}

/** Checks `cassette` as if it came from a file. Throws `CassetteError`: a `LoadErrorCode`, or `invalid-options` without prompts. */
export function cassetteTools(cassette: unknown, options: CassetteToolsOptions = {}): CassetteTools {
  assertKnownOptions("cassetteTools", options, ["requireIntegrity", "redact", "file", "tolerances", "ports"]);
  const { file, redact, tolerances = NO_TOLERANCES, ...checking } = options;
  assertTolerances("cassetteTools", tolerances);
  const checked = checkCassette(cassette, { ...checking, ...defined({ file }) });
  const redacted = checked.version === 2 ? checked.extensions?.redacted : undefined;
  const { scrubber } = createReplayRedaction(redacted, redact, file) ?? {};
  const results = readTape(checked, file);
  const reel = createReel(results, tolerances);
  const drift: DriftLog = { found: [] };

  function take(name: string, live: JsonObject): TapeResult | undefined {
    const args = scrubber?.json(live) ?? live;
    // Of a live model's secrets only the numbers may differ from the recorded ones.
    return reel.take(name, args) ?? (scrubber === undefined ? undefined : reel.takeRenumbered(name, args));
  }

  function answer(name: string, live: JsonObject): string {
    const result = take(name, live);
    if (result !== undefined) return play(result);
    const args = scrubber?.json(live) ?? live;
    throw new TapeMissError(explainTapeMiss(results, reel, tolerances, name, args), file);
  }

  const scrub = (text: string): string => scrubber?.json(text) ?? text;

  return {
    results,
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
        invoke: watchTool(tool, drift, { side, take: (args) => take(tool.name, args), play, scrub }),
      }));
    },
    get drift() {
      return [...drift.found];
    },
    unused: () => results.filter((result) => result.isToolsOwn && !reel.used.has(result)),
    get tolerances() {
      return reel.uses();
    },
    assertConsumed() {
      const left = results.filter((result) => result.isToolsOwn && !reel.used.has(result));
      if (left.length > 0) throw unconsumed(left, file);
    },
    reset() {
      reel.reset();
      drift.found.length = 0;
    },
  };
}

/** What the tool gave, or throws what it threw, so that the model reads the same text again. */
function play({ name, content = "", isError, isToolsOwn }: TapeResult): string {
  if (!isError) return uncut(content);
  if (!isToolsOwn) throw new ToolArgError(`the tape has a refused call of ${name}`, { tool: name });
  throw new Error(uncut(content));
}

const CUT = /\n\[… (\d{1,8}) more characters were cut off\]$/;

/** A result that was cut is cut again on its way to the model; with what is missing filled up, at the same place. */
function uncut(content: string): string {
  const found = content.length > MAX_RESULT_CHARACTERS ? CUT.exec(content.slice(MAX_RESULT_CHARACTERS)) : null;
  if (found?.index !== 0) return content;
  return content.slice(0, MAX_RESULT_CHARACTERS) + " ".repeat(Number(found[1]));
}

/** A tool of another framework would lose its schema here, and the miss that follows would name that instead of the reason. */
function assertTools(tools: unknown, file: string | undefined): void {
  const isList = Array.isArray(tools);
  const wrong = isList ? tools.findIndex((tool) => !isTool(tool)) : 0;
  if (wrong < 0) return;
  const summary = isList ? `tool ${wrong} was not made with defineTool` : "the tools are not a list";
  throw new CassetteError("invalid-options", `${summary}, so ${isList ? "it" : "they"} cannot be replayed`, {
    hint: "Only tools made with defineTool of Playhead are replayed. Hand tools of another framework, such as the AI SDK, to that framework itself, and replay the model alone: they run live.",
    ...defined({ file }),
  });
}

function isTool(tool: unknown): boolean {
  const { name, schema } = (tool ?? {}) as { name?: unknown; schema?: unknown };
  return typeof name === "string" && isPlainObject(schema);
}

/** All of a tool but what it does. */
function declare(tool: ToolLike): Omit<CustomTool, "invoke"> {
  const { name, description, schema } = tool;
  const { effect, timeoutMs } = tool as Partial<CustomTool>;
  return {
    name,
    description,
    schema,
    ...defined({ effect, timeoutMs }),
  };
}

function unconsumed(left: readonly TapeResult[], file: string | undefined): CassetteError {
  const named = left.slice(0, 5).map(({ key, turn }) => `${short(key)} of turn ${turn}`);
  const rest = left.length > named.length ? ` and ${left.length - named.length} more` : "";
  return new CassetteError(
    "unconsumed",
    `${left.length} recorded tool ${left.length === 1 ? "result was" : "results were"} never asked for: ${named.join(", ")}${rest}`,
    { hint: "The run made other calls than the recorded one.", ...defined({ file }) },
  );
}
