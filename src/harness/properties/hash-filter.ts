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
  isThenable,
  scriptedProvider,
  type LlmMessage,
  type LlmTurnResponse,
} from "../../core/index.js";
import { answerOf } from "../arbitraries/cassettes.js";
import { conversation } from "../arbitraries/messages.js";
import { withVolatile } from "../arbitraries/volatile.js";
import { HarnessError } from "../errors.js";
import { assertExamples, assertLawOptions, breaks, holdLaws, type LawOptions } from "./law.js";
import { describeGiven, isClass, letGo, refuse } from "../contract/given.js";
import { findImpurity } from "../contract/json.js";
import { describeThrown } from "../contract/thrown.js";

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
 * What a filter remembers from before the check is not seen: let it depend on its prompt alone.
 *
 * Rejects with `LawBrokenError`, with `AgentError` or `CassetteError` `invalid-options` for what is no filter, and with `HarnessError` `law-empty`
 * for a filter that makes every prompt the same.
 */
export async function checkHashFilter(
  hashFilter: HashFilterOption,
  options: CheckHashFilterOptions = {},
): Promise<HashFilterReport> {
  assertLawOptions("checkHashFilter", options, ["examples"]);
  assertExamples("checkHashFilter", options.examples, findPromptFault);
  assertFilter(hashFilter);
  const { filter } = readHashFilter(hashFilter);
  if (filter === undefined) {
    throw new HarnessError(
      "law-empty",
      "checkHashFilter: it was given no filter",
      "Pass a function, or a list of names.",
    );
  }
  let changed = 0;
  const [asked, became] = [new Set<string>(), new Set<string>()];
  const runs = await holdLaws<readonly LlmMessage[]>({
    call: "checkHashFilter(filter",
    subject: "the hash filter",
    values: withVolatile(conversation()),
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
      const own = hashPrompt(prompt);
      if (own !== hash) changed += 1;
      asked.add(own);
      became.add(hash);
    },
  });
  if (asked.size >= MANY && became.size === 1) {
    throw new HarnessError(
      "law-empty",
      `the hash filter makes all of ${asked.size} prompts the same one, so that any of them would replay any turn`,
      "Keep what a turn is told by, and rewrite only what differs between runs that mean the same.",
    );
  }
  return { runs, changed };
}

/** What is no filter at all is told as what it is; names that are none are told by the reader of names. */
function assertFilter(hashFilter: unknown): void {
  const isFunction = typeof hashFilter === "function" && !isClass(hashFilter);
  if (hashFilter === undefined || isFunction || Array.isArray(hashFilter)) return;
  refuse("checkHashFilter", describeGiven(hashFilter), "Pass a function, or a list of names and functions.");
}

function findPromptFault(prompt: unknown): string | undefined {
  if (!Array.isArray(prompt)) return "a prompt is a list of messages";
  for (const [index, message] of prompt.entries()) {
    const flaw = findMessageFlaw(message);
    if (flaw !== undefined) return `/${index}${flaw.pointer} is not ${flaw.expected}`;
  }
  return undefined;
}

/** So many different prompts that no filter of use makes one of them. */
const MANY = 20;

function apply(filter: HashFilter, prompt: readonly LlmMessage[]): readonly LlmMessage[] {
  let filtered: unknown;
  try {
    filtered = filter(copyJson([...prompt]));
  } catch (error) {
    return breaks("it never throws", `it threw ${describeThrown(error)}`, error);
  }
  const law = "it gives a list of messages";
  letGo(filtered);
  if (!Array.isArray(filtered))
    return breaks(law, isThenable(filtered) ? "it gave a promise, and is not waited for" : "it gave none");
  for (const [index, message] of filtered.entries()) {
    const flaw = findMessageFlaw(message) ?? lossOf(message);
    if (flaw !== undefined) breaks(law, `/${index}${flaw.pointer} is not ${flaw.expected}`);
  }
  // A copy at once: a filter may give back the very list it was handed.
  return copyJson(filtered) as LlmMessage[];
}

function lossOf(message: unknown): { pointer: string; expected: string } | undefined {
  const loss = findImpurity(message);
  return loss === undefined ? undefined : { pointer: "", expected: `plain JSON: ${loss}` };
}

const ANSWER: LlmTurnResponse = answerOf({ role: "assistant", content: "recorded" });

/** Every turn that the conversation had, one after another, and the whole of it. */
async function judgeReplay(hashFilter: HashFilterOption, conversation: readonly LlmMessage[]): Promise<void> {
  const settings = { hashFilter, redact: false } as const;
  const ends = conversation.flatMap(({ role }, index) => (role === "assistant" && index > 0 ? [index] : []));
  const prompts = [...ends, conversation.length].map((end) => conversation.slice(0, end));
  const recorder = recordingProvider(scriptedProvider(prompts.map(() => ANSWER)), settings);
  try {
    for (const messages of prompts) await recorder.turn({ messages });
    const replayer = cassetteProvider(recorder.toCassette(), settings);
    for (const messages of prompts) await replayer.turn({ messages });
  } catch (error) {
    breaks("a run that is recorded with it replays with it", describeThrown(error), error);
  }
}
