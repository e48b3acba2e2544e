// Laws of a hash filter: what it writes it leaves alone, and it does the same on both sides, so that what was recorded with it is
// found with it.

import {
  cassetteProvider,
  hashPrompt,
  readHashFilter,
  recordingProvider,
  type HashFilter,
  type HashFilterOption,
} from "../../cassette/index.js";
import {
  canonicalize,
  copyJson,
  findMessageFlaw,
  scriptedProvider,
  type LlmMessage,
  type LlmTurnResponse,
} from "../../core/index.js";
import { answerOf } from "../arbitraries/cassettes.js";
import { conversation } from "../arbitraries/messages.js";
import { HarnessError } from "../errors.js";
import { assertLawOptions, breaks, holdLaws, type LawOptions } from "./law.js";
import { findLoss } from "./serialise.js";
import { describeThrown } from "./thrown.js";

/** The options of `checkHashFilter`. */
export interface CheckHashFilterOptions extends LawOptions {
  /** Prompts that are tried first: your own, with what the filter is for. */
  readonly examples?: readonly (readonly LlmMessage[])[];
}

/** What was tried. */
export interface HashFilterReport {
  readonly runs: number;
  /** Prompts that the filter changed; 0 says that it was never at work. */
  readonly changed: number;
}

/**
 * Holds a hash filter to its laws, a function or a list with names as `hashFilter` takes it, for prompts of every shape: it never throws; it gives a list of messages, at once; done twice
 * it is done once (idempotent); it gives the same for the same prompt whatever it was asked before, so that recorder and replayer
 * agree (symmetric); and a run that is recorded with it replays with it.
 *
 * Rejects with `LawBrokenError`, and with `CassetteError` `invalid-options` for what is no filter.
 */
export async function checkHashFilter(
  hashFilter: HashFilterOption,
  options: CheckHashFilterOptions = {},
): Promise<HashFilterReport> {
  assertLawOptions("checkHashFilter", options, ["examples"]);
  const { filter } = readHashFilter(hashFilter);
  if (filter === undefined) {
    throw new HarnessError(
      "law-empty",
      "checkHashFilter: it was given no filter",
      "Pass a function, or a list of names.",
    );
  }
  let changed = 0;
  const runs = await holdLaws<readonly LlmMessage[]>({
    call: "checkHashFilter(filter",
    subject: "the hash filter",
    values: conversation(),
    examples: options.examples ?? [],
    options,
    defaultRuns: 200,
    async judge(prompt) {
      const once = apply(filter, prompt);
      const hash = hashPrompt(once);
      const twice = hashPrompt(apply(filter, once));
      if (twice !== hash) {
        breaks(
          "done twice it is done once",
          `once it is ${canonicalize(once)}, twice ${canonicalize(apply(filter, once))}`,
        );
      }
      // Another prompt in between, as a run has them.
      apply(filter, prompt.slice(0, 1));
      if (hashPrompt(apply(filter, prompt)) !== hash) breaks("the same prompt becomes the same", "it became two");
      await judgeReplay(hashFilter, prompt);
      if (hashPrompt(prompt) !== hash) changed += 1;
    },
  });
  return { runs, changed };
}

function apply(filter: HashFilter, prompt: readonly LlmMessage[]): readonly LlmMessage[] {
  let filtered: unknown;
  try {
    filtered = filter(copyJson([...prompt]));
  } catch (error) {
    return breaks("it never throws", `it threw ${describeThrown(error)}`, error);
  }
  const law = "it gives a list of messages";
  if (!Array.isArray(filtered)) return breaks(law, "it gave none");
  for (const [index, message] of filtered.entries()) {
    const flaw = findMessageFlaw(message) ?? lossOf(message);
    if (flaw !== undefined) breaks(law, `/${index}${flaw.pointer} is not ${flaw.expected}`);
  }
  // A copy at once: a filter may give back the very list it was handed.
  return copyJson(filtered) as LlmMessage[];
}

function lossOf(message: unknown): { pointer: string; expected: string } | undefined {
  const loss = findLoss(message);
  return loss === undefined ? undefined : { pointer: "", expected: `plain JSON: ${loss}` };
}

const ANSWER: LlmTurnResponse = answerOf({ role: "assistant", content: "recorded" });

async function judgeReplay(hashFilter: HashFilterOption, messages: readonly LlmMessage[]): Promise<void> {
  const settings = { hashFilter, redact: false } as const;
  const recorder = recordingProvider(scriptedProvider([ANSWER]), settings);
  try {
    await recorder.turn({ messages });
    await cassetteProvider(recorder.toCassette(), settings).turn({ messages });
  } catch (error) {
    breaks("a run that is recorded with it replays with it", describeThrown(error), error);
  }
}
