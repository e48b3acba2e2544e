// The options of `useCassette`, and their check.

import {
  assertStreaming,
  assertTolerances,
  CassetteError,
  STREAMING_OPTIONS,
  type HashFilterOption,
  type RecordedStreaming,
  type RedactOption,
  type StreamingOptions,
  type Tolerances,
} from "../../cassette/index.js";
import { unknownOptions, type SigningKey } from "../../core/index.js";
import type { CassetteMode } from "./mode.js";
import type { OnToolDrift, ReplaySide } from "./tool-side.js";
import { describeValue } from "../text/describe.js";

/** The options of `useCassette`. A wrong one is `invalid-options`. */
export interface UseCassetteOptions extends StreamingOptions {
  /** Wins over CASSETTE_MODE. */
  readonly mode?: CassetteMode;
  /** Kept in the recording. */
  readonly agentId?: string;
  /** Filters of prompts, as for `recordingProvider`, or the path of a filter file. */
  readonly hashFilter?: HashFilterOption | string;
  /** As for `recordingProvider`. Variables of the environment whose names look secret are always redacted. */
  readonly redact?: RedactOption;
  /**
   * Lets a replay continue where a recorded call holds a placeholder and the tool is live. Default false. With `replay: "both"` no tool
   * is called, so nothing is refused.
   */
  readonly allowRedacted?: boolean;
  /** Refuses version 1 cassettes, which nothing proves. Default true. */
  readonly requireIntegrity?: boolean;
  /** The most bytes a cassette may have, read or written. Default 64 MiB. */
  readonly maxBytes?: number;
  /** The path of a lock file. A replay refuses a cassette that it does not confirm; a recording ignores it. */
  readonly lock?: string;
  /** Signs a recording: a key, or `env:NAME` for one in the environment. A replay ignores it. */
  readonly sign?: SigningKey;
  /**
   * The side that mode `replay` replays. `tools`: a live model with recorded tool results; nothing is recorded. `both`: neither model
   * nor tools are called. Tools are those of the handle's `tools` and `verbs`. Default `model`.
   */
  readonly replay?: ReplaySide;
  /** With `replay: "model"`, what happens if a tool of the handle's `tools` answers differently. Default `stop`. */
  readonly onToolDrift?: OnToolDrift;
  /**
   * How a call's arguments may differ from those of the recorded result that answers it: the path of a `cassette.tolerances.json`,
   * or the result of `checkTolerances` and the like. Default: not at all.
   */
  readonly tolerances?: string | Tolerances;
  /** The command that records this cassette again, named by a failed replay. Vitest's fixture sets its own. */
  readonly rerecord?: string;
  /** How much a recording keeps of the timing of streamed answers. Default `boundaries`. */
  readonly streams?: RecordedStreaming;
}

const OPTIONS: readonly string[] = [
  ...["mode", "agentId", "hashFilter", "redact", "allowRedacted", "requireIntegrity", "maxBytes", "lock", "sign"],
  ...["replay", "onToolDrift", "tolerances", "rerecord", "streams", ...STREAMING_OPTIONS],
];

/** Throws `invalid-options` for a wrong file, wrong options, or a wrong value of an option. */
export function assertArguments(file: unknown, options: unknown): void {
  if (typeof file !== "string" || file === "") {
    throw invalid(`the file of useCassette is ${describeValue(file)}`, "Pass the path of a cassette.");
  }
  if (typeof options !== "object" || options === null) {
    throw invalid(`the options of useCassette are ${describeValue(options)}`, "Pass an object, or leave them out.");
  }
  const unknown = unknownOptions(options, OPTIONS);
  if (unknown.length > 0) {
    throw invalid(`useCassette has an unknown option: ${unknown.join(", ")}`, `The options are ${OPTIONS.join(", ")}.`);
  }
  const { maxBytes, lock, replay = "model", onToolDrift = "stop" } = options as UseCassetteOptions;
  const { streams = "boundaries", rerecord, tolerances } = options as UseCassetteOptions;
  assertText("lock", lock, "Pass the path of a lock file, or leave it out.");
  assertText("rerecord", rerecord, "Pass a command as text, or leave it out.");
  assertWord("replay", replay, ["model", "tools", "both"]);
  assertWord("onToolDrift", onToolDrift, ["stop", "collect"]);
  assertWord("streams", streams, ["boundaries", "times", false]);
  assertStreaming("useCassette", options);
  const isPath = typeof tolerances === "string" && tolerances !== "";
  if (tolerances !== undefined && !isPath) assertTolerances("useCassette", tolerances);
  if (maxBytes === undefined || (Number.isSafeInteger(maxBytes) && maxBytes > 0)) return;
  throw wrongValue("maxBytes", maxBytes, "Pass a whole number of bytes, or leave it out.");
}

function assertText(name: string, value: unknown, hint: string): void {
  if (value !== undefined && (typeof value !== "string" || value === "")) throw wrongValue(name, value, hint);
}

function assertWord(name: string, value: unknown, words: readonly unknown[]): void {
  if (!words.includes(value)) throw wrongValue(name, value, `Use one of ${words.join(", ")}.`);
}

function wrongValue(name: string, value: unknown, hint: string): CassetteError {
  return invalid(`${name} of useCassette is ${describeValue(value)}`, hint);
}

/** A wrong argument of a function for tests. */
export function invalid(summary: string, hint: string): CassetteError {
  return new CassetteError("invalid-options", summary, { hint });
}
