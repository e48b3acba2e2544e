// toConsumeCassette: a replay used every recorded turn. A run that ends sooner than the recorded one has changed too.

import { plural } from "../../core/index.js";
import { CassetteError, type CassetteProvider, type RecordingProvider } from "../../cassette/index.js";
import { findCarrier } from "./carrier.js";
import { handleAdvice } from "./baseline/command.js";
import { misuse, type MatcherContext, type MatcherResult } from "./matcher.js";
import { describeValue } from "../text/describe.js";

const NAME = "toConsumeCassette";

/** A handle that records or is live has nothing to use up: the same test must hold while its cassette is being made. */
export function consumeCassette(this: MatcherContext, received: unknown): MatcherResult {
  const carrier = findCarrier(received);
  switch (carrier?.kind) {
    case "replay":
      return replayResult(carrier.provider, handleAdvice(this, received));
    case "live":
      return passed("the handle is live and has no cassette, so nothing is left of one");
    case "recorder":
      if (carrier.isHandle) return recordingResult(carrier.provider);
      throw wrongReceived("a recorder, which has nothing to use up");
    case "cassette":
      throw wrongReceived("a cassette, which nobody is replaying");
    case undefined:
      throw wrongReceived(describeValue(received));
  }
}

function wrongReceived(what: string): Error {
  return misuse(
    NAME,
    `it needs a replaying provider and was given ${what}`,
    "Pass the cassetteProvider the agent ran on, or the handle of useCassette.",
  );
}

function replayResult(provider: CassetteProvider, advice: string): MatcherResult {
  const { remaining, cassette } = provider;
  const total = cassette.entries.length;
  if (total === 0) {
    throw misuse(NAME, "the cassette has no turns, so there is nothing to use up", "Record a run first.");
  }
  if (remaining === 0)
    return passed(`${total === 1 ? "the only recorded turn was" : `all ${total} recorded turns were`} used`);
  return {
    pass: false,
    message: () => `expected the run to use its whole cassette, but ${leftText(provider)}${advice}`,
    actual: { remaining },
    expected: { remaining: 0 },
  };
}

function recordingResult({ turns }: RecordingProvider): MatcherResult {
  if (turns > 0) return passed(`${plural(turns, "turn")} of it ${turns === 1 ? "is" : "are"} being recorded just now`);
  return {
    pass: false,
    message: () =>
      "expected the run to fill its cassette, but no turn was recorded.\n" +
      "Hand the provider of useCassette to the agent, and await the run first.",
  };
}

function passed(why: string): MatcherResult {
  return {
    pass: true,
    message: () =>
      `expected turns of the cassette to be left over, but ${why}.\nTake .not away, or end the run sooner than the recorded one.`,
  };
}

/** The provider's own words for it, which name the turns. */
function leftText(provider: CassetteProvider): string {
  try {
    provider.assertConsumed();
  } catch (error) {
    if (error instanceof CassetteError) return error.message;
    throw error;
  }
  return `${plural(provider.remaining, "turn")} remained.\nAwait the run before this line.`;
}
