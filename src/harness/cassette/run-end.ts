// The end of a run with a cassette: its description, and that it happens once.

import { defined, isPlainObject, shorten, thrownText, unknownOptions, type JsonObject } from "../../core/index.js";
import { MAX_OUTCOME_ERROR_CHARACTERS } from "../limits.js";
import { describeValue } from "../text/describe.js";
import { invalid } from "./options.js";

/** The description of a finished run. */
export interface RunEnd {
  /** Kept in the recording's `extensions.outcome`, where `cassette drift` looks for `success`. A replay keeps nothing. */
  readonly outcome?: JsonObject;
  /** Added to the `extensions` of the recording as they are, with any secrets. A replay stores nothing. */
  readonly extensions?: JsonObject;
  /**
   * The test failed: a recording is kept as `<name>.failed.cassette.json`, its file is left unchanged, and a replay is not checked for
   * unused turns.
   */
  readonly failed?: boolean;
  /** With `failed`: what the test threw. Its message is kept as `error` of the outcome, cut to 2,000 characters and without colours. */
  readonly error?: unknown;
}

/** Escape sequences for colours, which some runners put into messages. */
const COLOURS = /\u001b\[[\d;]*m/g;

/** The message of a failure as an outcome keeps it. */
export function cutOutcomeError(message: string): string {
  return shorten(message.replace(COLOURS, "").toWellFormed(), MAX_OUTCOME_ERROR_CHARACTERS);
}

/** Calls `finish` once, and gives its outcome to every caller: a test and its clean-up may both call `done`. */
export function once(finish: (ended: RunEnd) => Promise<void>): (ended?: RunEnd) => Promise<void> {
  let finished: Promise<void> | undefined;
  return async (ended) => {
    const checked = checkEnd(ended);
    await (finished ??= finish(checked));
  };
}

/**
 * Checks the argument of `done`. The result has the message of `error` in its outcome. Values that a runner passes to a clean-up are
 * ignored. Throws `invalid-options`.
 */
export function checkEnd(ended: unknown): Omit<RunEnd, "error"> {
  if (!isPlainObject(ended)) return {};
  const unknown = unknownOptions(ended, ["outcome", "extensions", "failed", "error"]);
  if (unknown.length > 0)
    throw invalid(
      `done has an unknown option: ${unknown.join(", ")}`,
      "It takes outcome, extensions, failed and error.",
    );
  const { outcome, extensions, failed, error } = ended;
  if (failed !== undefined && typeof failed !== "boolean") {
    throw invalid(`failed of done is ${describeValue(failed)}`, "Pass true or false.");
  }
  if (outcome !== undefined && !isPlainObject(outcome)) {
    throw invalid(`the outcome of done is ${describeValue(outcome)}`, "Pass an object such as { success: true }.");
  }
  const own = defined({ extensions: checkExtensions(extensions) });
  if (error === undefined)
    return { ...defined({ failed }), ...defined({ outcome: outcome as JsonObject | undefined }), ...own };
  if (failed !== true) throw invalid("done has an error of a test that did not fail", "Add failed: true.");
  const message = cutOutcomeError(thrownText(error));
  return { failed, outcome: { error: message, ...(outcome as JsonObject | undefined) }, ...own };
}

/** The extensions that only the recorder and the commands write. */
const TAKEN = (
  "answeredBy contexts createdWith exchanges filterPatterns filtered filters forkedFrom import migrated outcome prompts " +
  "redacted scores streams stretched workspace"
).split(" ");

function checkExtensions(extensions: unknown): JsonObject | undefined {
  if (extensions === undefined) return undefined;
  if (!isPlainObject(extensions))
    throw invalid(`the extensions of done are ${describeValue(extensions)}`, "Pass an object.");
  const taken = TAKEN.find((name) => Object.hasOwn(extensions, name));
  if (taken === undefined) return extensions as JsonObject;
  throw invalid(`the extensions of done have ${taken}, which Playhead writes`, "Use another name.");
}
