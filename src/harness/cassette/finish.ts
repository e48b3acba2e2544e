// The end of a run with a cassette: what is told of it, and that it ends once.

import { CassetteError } from "../../cassette/index.js";
import { defined, isPlainObject, unknownOptions, type JsonObject } from "../../core/index.js";
import { describeValue } from "../text/describe.js";

/** What is known of a run that is over. */
export interface RunEnd {
  /** Kept in the recording's `extensions.outcome`, where `cassette drift` looks for `success`. A replay keeps nothing. */
  readonly outcome?: JsonObject;
  /**
   * The test failed: a recording is kept as `<name>.cassette.failed.json` next to its file, which stays as it is, and a replay is
   * not checked for unused turns.
   */
  readonly failed?: boolean;
}

/** The first outcome for every call, so that a `done` in the test and one in its clean-up do not meet. */
export function once(finish: (ended: RunEnd) => Promise<void>): (ended?: RunEnd) => Promise<void> {
  let finished: Promise<void> | undefined;
  return async (ended) => {
    const checked = checkEnd(ended);
    await (finished ??= finish(checked));
  };
}

/** What a runner hands to a clean-up is no end of a run, and says nothing. Throws `invalid-options` for a wrong end. */
export function checkEnd(ended: unknown): RunEnd {
  if (!isPlainObject(ended)) return {};
  const unknown = unknownOptions(ended, ["outcome", "failed"]);
  if (unknown.length > 0)
    throw invalid(`done has an unknown option: ${unknown.join(", ")}`, "It takes outcome and failed.");
  const { outcome, failed } = ended;
  if (failed !== undefined && typeof failed !== "boolean") {
    throw invalid(`failed of done is ${describeValue(failed)}`, "Pass true or false.");
  }
  const end = defined({ failed });
  if (outcome === undefined) return end;
  if (isPlainObject(outcome)) return { ...end, outcome: outcome as JsonObject };
  throw invalid(`the outcome of done is ${describeValue(outcome)}`, "Pass an object such as { success: true }.");
}

function invalid(summary: string, hint: string): CassetteError {
  return new CassetteError("invalid-options", summary, { hint });
}
