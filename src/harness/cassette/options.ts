// What `useCassette` takes beside the file and the live provider, and the refusal of what it does not know.

import {
  assertStreaming,
  CassetteError,
  STREAMING_OPTIONS,
  type HashFilterOption,
  type RecordedStreaming,
  type RedactOption,
  type StreamingOptions,
} from "../../cassette/index.js";
import { unknownOptions, type SigningKey } from "../../core/index.js";
import type { CassetteMode } from "./mode.js";
import { assertToleranceSource, type ToleranceSource } from "./tolerances.js";
import type { OnToolDrift, ReplaySide } from "./tool-side.js";
import { describeValue } from "../text/describe.js";

/** The options of `useCassette`. A wrong one is `invalid-options`. */
export interface UseCassetteOptions extends StreamingOptions {
  /** Wins over CASSETTE_MODE. */
  readonly mode?: CassetteMode;
  /** Kept in the recording. */
  readonly agentId?: string;
  readonly hashFilter?: HashFilterOption;
  /** As for `recordingProvider`. The secrets of the environment, by the names of its variables, are always among them. */
  readonly redact?: RedactOption;
  /**
   * True lets a replay go on where a recorded call holds a placeholder and the tool is live. Default false; with `replay: "both"`
   * no tool is called, so nothing is refused.
   */
  readonly allowRedacted?: boolean;
  /** Refuses version 1 cassettes. Default true here, since a test should stand on something proven. */
  readonly requireIntegrity?: boolean;
  /** The most bytes a cassette may have, read or written. Default 64 MiB. */
  readonly maxBytes?: number;
  /** The path of a lock file: a replay refuses a cassette that it does not confirm. A recording is not held against it. */
  readonly lock?: string;
  /** Signs what is recorded: a key, or `env:NAME` for one in the environment. Not looked at by a replay. */
  readonly sign?: SigningKey;
  /**
   * What mode `replay` replays. `tools`: a live model with recorded tool results; nothing is recorded. `both`: neither model nor
   * tool is asked. Tools are what the handle's `tools` and `verbs` give. Default `model`.
   */
  readonly replay?: ReplaySide;
  /** With `replay: "model"`, for tools of the handle's `tools` that answer otherwise than recorded. Default `stop`. */
  readonly onToolDrift?: OnToolDrift;
  /** In which ways a call's arguments may differ from those of the recorded result that answers it. Default: in none. */
  readonly tolerances?: ToleranceSource;
  /** The command that records this cassette again: a replay that fails names it, to be pasted. The fixture of Vitest has its own. */
  readonly rerecord?: string;
  /** What a recording keeps of how streamed answers came. Default `boundaries`. */
  readonly streams?: RecordedStreaming;
}

const OPTIONS: readonly string[] = [
  "mode",
  "agentId",
  "hashFilter",
  "redact",
  "allowRedacted",
  "requireIntegrity",
  "maxBytes",
  "lock",
  "sign",
  "replay",
  "onToolDrift",
  "tolerances",
  "rerecord",
  "streams",
  ...STREAMING_OPTIONS,
];

/** Throws `invalid-options` for what is no file, no options, or an option with a value it cannot have. */
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
  const { streams = "boundaries", rerecord } = options as UseCassetteOptions;
  if (lock !== undefined && (typeof lock !== "string" || lock === "")) {
    throw invalid(`lock of useCassette is ${describeValue(lock)}`, "Pass the path of a lock file, or leave it out.");
  }
  if (rerecord !== undefined && (typeof rerecord !== "string" || rerecord === "")) {
    throw invalid(`rerecord of useCassette is ${describeValue(rerecord)}`, "Pass a command as text, or leave it out.");
  }
  assertWord("replay", replay, ["model", "tools", "both"]);
  assertWord("onToolDrift", onToolDrift, ["stop", "collect"]);
  assertWord("streams", streams, ["boundaries", "times", false]);
  assertStreaming("useCassette", options);
  assertToleranceSource("useCassette", (options as UseCassetteOptions).tolerances);
  if (maxBytes === undefined || (Number.isSafeInteger(maxBytes) && maxBytes > 0)) return;
  throw invalid(
    `maxBytes of useCassette is ${describeValue(maxBytes)}`,
    "Pass a whole number of bytes, or leave it out.",
  );
}

function assertWord(name: string, value: unknown, words: readonly unknown[]): void {
  if (words.includes(value)) return;
  throw invalid(`${name} of useCassette is ${describeValue(value)}`, `Use one of ${words.join(", ")}.`);
}

function invalid(summary: string, hint: string): CassetteError {
  return new CassetteError("invalid-options", summary, { hint });
}
