// Compares the answers of live tools with the tape, as the model would read them, and lists every difference with its call.

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
import { MAX_TAPE_DIFFERENCES } from "../limits.js";
import { cutAround, differenceLines } from "../replay/excerpt.js";
import { alignNumbers } from "../redact/placeholder.js";
import { short } from "./miss.js";
import type { TapeResult } from "./tape.js";

/** A call whose live answer differs from the recorded one. */
export interface ToolDrift {
  /** `name(canonicalArguments)`. */
  readonly key: string;
  /** Index of the turn that made the call. Undefined for a call that is not on the tape. */
  readonly turn?: number;
  readonly what: string;
  /** Both texts as JSON strings, cut around the first difference. Undefined if there is no such text. */
  readonly recorded?: string;
  readonly actual?: string;
}

export function formatToolDrift(drift: readonly ToolDrift[]): string {
  const lines = drift.flatMap(({ key, turn, what, ...sides }) => [
    `${turn === undefined ? "" : `turn ${turn}: `}${short(key)} ${what}`,
    ...differenceLines(sides),
  ]);
  return lines.join("\n");
}

export interface Watching {
  /** The answer that the run continues with. */
  readonly side: "live" | "recorded";
  readonly take: (args: JsonObject) => TapeResult | undefined;
  /** Returns the recorded result as an answer. */
  readonly play: (result: TapeResult) => string;
  /** Redacts a text like the recording. */
  readonly scrub: (text: string) => string;
}

/** Wraps `invoke` of a live tool to compare it with its recorded result. */
export function watchTool(
  tool: CustomTool,
  found: ToolDrift[],
  { side, take, play, scrub }: Watching,
): CustomTool["invoke"] {
  return async (args, context) => {
    // Taken before the call, since calls of one turn end in any order, and a tool may change its arguments.
    const key = scrub(callKey({ name: tool.name, arguments: args }));
    const result = take(args);
    const live = await run(() => tool.invoke(args, context));
    if (live.kind === "ended" || context.signal.aborted) return live.give();
    const difference = compare(key, result, { ...live, content: scrub(live.content) });
    if (difference !== undefined && found.length < MAX_TAPE_DIFFERENCES) found.push(difference);
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
    return { key, what: "is not on the tape, or was already used", actual };
  }
  const isError = live.kind === "failed";
  if (alignNumbers(result.content, live.content) !== undefined && result.isError === isError) return undefined;
  const [recorded = "", actual = ""] = cutAround(result.content, live.content);
  return { key, turn: result.turn, what: nameChange(result.isError, isError), recorded, actual };
}

function nameChange(wasError: boolean, isError: boolean): string {
  if (wasError === isError) return wasError ? "fails with another message" : "now answers differently";
  return isError ? "now fails" : "no longer fails";
}
