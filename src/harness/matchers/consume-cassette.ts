// toConsumeCassette: a replay used every recorded turn. A run that ends earlier than the recorded one has changed.

import { plural } from "../../core/index.js";
import { CassetteError, type CassetteProvider, type RecordingProvider } from "../../cassette/index.js";
import { findCarrier } from "./carrier.js";
import { handleAdvice } from "../text/rerun-commands.js";
import { misuse, type MatcherContext, type MatcherResult } from "./matcher.js";
import { describeValue } from "../text/describe.js";

const NAME = "toConsumeCassette";

/** Passes for a recording or live handle too, so a test also works while its cassette is being recorded. */
export function consumeCassette(this: MatcherContext, received: unknown): MatcherResult {
  const carrier = findCarrier(received);
  switch (carrier?.kind) {
    case "replay":
      return replayResult(carrier.provider, handleAdvice(this, received));
    case "live":
      return passed("the handle is live and has no cassette");
    case "recorder":
      if (carrier.isHandle) return recordingResult(carrier.provider);
      throw wrongReceived("a recorder, which has no recorded turns");
    case "cassette":
      throw wrongReceived("a cassette, which is not being replayed");
    case undefined:
      throw wrongReceived(describeValue(received));
  }
}

function wrongReceived(what: string): Error {
  const hint = "Pass the agent's cassetteProvider, or the handle of useCassette.";
  return misuse(NAME, `it needs a replaying provider and was given ${what}`, hint);
}

function replayResult(provider: CassetteProvider, advice: string): MatcherResult {
  const { remaining, cassette } = provider;
  const total = cassette.entries.length;
  if (total === 0) throw misuse(NAME, "the cassette has no turns", "Record a run first.");
  if (remaining === 0)
    return passed(`the run used ${total === 1 ? "the only recorded turn" : `all ${total} recorded turns`}`);
  return {
    pass: false,
    message: () => `expected the run to use its whole cassette, but ${leftText(provider)}${advice}`,
    actual: { remaining },
    expected: { remaining: 0 },
  };
}

function recordingResult({ turns }: RecordingProvider): MatcherResult {
  if (turns > 0) return passed(`it is being recorded (${plural(turns, "turn")} so far)`);
  const message = () =>
    "expected the run to fill its cassette, but no turn was recorded.\n" +
    "Pass the provider of useCassette to the agent, and await the run before this line.";
  return { pass: false, message };
}

function passed(why: string): MatcherResult {
  const message = () =>
    `expected unused turns in the cassette, but ${why}.\nRemove .not, or end the run before the recorded one ended.`;
  return { pass: true, message };
}

/** The provider's own message, which lists the unused turns. */
function leftText(provider: CassetteProvider): string {
  try {
    provider.assertConsumed();
  } catch (error) {
    if (error instanceof CassetteError) return error.message;
    throw error;
  }
  return `${plural(provider.remaining, "turn")} remained.\nAwait the run before this line.`;
}
