// Does a live tool still answer what the tape has? Each answer is compared as the model would read it, and every difference
// is listed with its call.

import {
  thrownText,
  TOOL_UNAVAILABLE,
  ToolArgError,
  ToolPolicyError,
  toResultText,
  type CustomTool,
  type JsonObject,
} from "../../core/index.js";
import { callKey } from "../diff/calls/calls.js";
import { cutAround } from "../replay/miss.js";
import { alignNumbers } from "../redact/placeholder.js";
import { short } from "./miss.js";
import type { TapeResult } from "./tape.js";

/** Differences that are kept; a run that has more is another run. */
const MAX_DRIFT = 1_000;

/** One call whose live answer is not the recorded one. */
export interface ToolDrift {
  /** `name(canonicalArguments)`. */
  readonly key: string;
  /** The turn that asked for it; absent for a call that is not on the tape. */
  readonly turn?: number;
  readonly what: string;
  /** Both texts as JSON strings, cut around where they part. Absent: there is none. */
  readonly recorded?: string;
  readonly actual?: string;
}

/** Where differences are kept. */
export interface DriftLog {
  readonly found: ToolDrift[];
}

/** The differences as lines of text. */
export function formatToolDrift(drift: readonly ToolDrift[]): string {
  const lines = drift.map(
    ({ key, turn, what, recorded, actual }) =>
      `${turn === undefined ? "" : `turn ${turn}: `}${short(key)} ${what}\n` +
      `  recorded ${recorded ?? "(nothing)"}\n  now      ${actual ?? "(nothing)"}`,
  );
  return lines.join("\n");
}

/** What a watched tool is held against. */
export interface Watching {
  /** Whose answer the run goes on with. */
  readonly side: "live" | "recorded";
  readonly take: (args: JsonObject) => TapeResult | undefined;
  /** Answers with the recorded result. */
  readonly play: (result: TapeResult) => string;
  /** A text as the recording would hold it. */
  readonly scrub: (text: string) => string;
}

/** `invoke` of a live tool that is compared with its recorded result. */
export function watchTool(
  tool: CustomTool,
  log: DriftLog,
  { side, take, play, scrub }: Watching,
): CustomTool["invoke"] {
  return async (args, context) => {
    // Taken before the tool is asked, since calls of one turn end in any order. The tool may change its arguments.
    const key = scrub(callKey({ name: tool.name, arguments: args }));
    const result = take(args);
    const live = await run(() => tool.invoke(args, context));
    if (live.kind === "ended" || context.signal.aborted) return live.give();
    const difference = compare(key, result, { ...live, content: scrub(live.content) });
    if (difference !== undefined && log.found.length < MAX_DRIFT) log.found.push(difference);
    return side === "recorded" && result !== undefined ? play(result) : live.give();
  };
}

type Live = { kind: "ok" | "failed"; content: string; give: () => unknown } | { kind: "ended"; give: () => never };

async function run(invoke: () => unknown): Promise<Live> {
  try {
    const value = await invoke();
    return { kind: "ok", content: toResultText(value).text, give: () => value };
  } catch (error) {
    const give = (): never => {
      throw error;
    };
    if (error instanceof ToolPolicyError) return { kind: "ended", give };
    const content = error instanceof ToolArgError ? TOOL_UNAVAILABLE : toResultText(thrownText(error)).text;
    return { kind: "failed", content, give };
  }
}

function compare(
  key: string,
  result: TapeResult | undefined,
  live: Extract<Live, { content: string }>,
): ToolDrift | undefined {
  if (result?.content === undefined) {
    const [, actual = ""] = cutAround(undefined, live.content);
    return { key, what: "is not on the tape, or was used already", actual };
  }
  const isError = live.kind === "failed";
  if (alignNumbers(result.content, live.content) !== undefined && result.isError === isError) return undefined;
  const [recorded = "", actual = ""] = cutAround(result.content, live.content);
  return { key, turn: result.turn, what: nameChange(result.isError, isError), recorded, actual };
}

function nameChange(wasError: boolean, isError: boolean): string {
  if (wasError === isError) return wasError ? "fails with another message" : "now answers otherwise";
  return isError ? "now fails" : "no longer fails";
}
