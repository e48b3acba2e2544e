// Laws of a hash filter: applying it twice changes nothing more, and recorder and replayer get the same result.

import {
  cassetteProvider,
  hashPrompt,
  readHashFilter,
  recordingProvider,
  type HashFilter,
  type HashFilterOption,
} from "../../cassette/index.js";
import { canonicalize, copyJson, scriptedProvider, type LlmMessage, type LlmTurnResponse } from "../../core/index.js";
import { answerOf } from "../arbitraries/cassettes.js";
import { conversation } from "../arbitraries/messages.js";
import { withVolatile } from "../arbitraries/volatile.js";
import { HarnessError } from "../errors.js";
import { assertExamples, assertLawOptions, breaks, holdLaws, type LawOptions } from "./law.js";
import { describeGiven, findMessagesFault, isClass, letGo, refuse } from "../contract/check-inputs.js";
import { findImpurity } from "../contract/json.js";
import { describeThrown } from "../contract/thrown.js";

export interface CheckHashFilterOptions extends LawOptions {
  /** Prompts to try first: your own, with the texts that the filter should change. */
  readonly examples?: readonly (readonly LlmMessage[])[];
}

export interface HashFilterReport {
  readonly runs: number;
  /** The number of prompts that the filter changed. 0 means that it never did anything. */
  readonly changed: number;
}

/**
 * Holds a hash filter to its laws, for prompts of every shape: a function, or a list with names as `hashFilter` takes it. It never
 * throws and gives a list of messages at once. Applying it twice changes nothing more (idempotent). The same prompt becomes the same
 * whatever came before, so that recorder and replayer agree (symmetric), and a run recorded with it replays with it. State from
 * before the check is not seen: let a filter depend on its prompt alone.
 *
 * Rejects with `LawBrokenError`, with `AgentError` or `CassetteError` `invalid-options` for a value that is not a filter, and with
 * `HarnessError` `law-empty` for a filter that makes every prompt the same.
 */
export async function checkHashFilter(
  hashFilter: HashFilterOption,
  options: CheckHashFilterOptions = {},
): Promise<HashFilterReport> {
  assertLawOptions(OWNER, options, ["examples"]);
  assertExamples(OWNER, options.examples, (prompt) =>
    Array.isArray(prompt) ? findMessagesFault(prompt) : "a prompt is a list of messages",
  );
  assertFilter(hashFilter);
  const { filter } = readHashFilter(hashFilter);
  if (filter === undefined) {
    throw new HarnessError("law-empty", `${OWNER} was given no filter`, "Pass a function, or a list of names.");
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
        const again = canonicalize(apply(filter, once));
        breaks("applying it twice is the same as applying it once", `once it is ${canonicalize(once)}, twice ${again}`);
      }
      // Applies another prompt in between, as in a run.
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
      `the hash filter makes all of ${asked.size} prompts the same, so any prompt would replay any turn`,
      "Keep the texts that tell turns apart, and rewrite only texts that differ between equivalent runs.",
    );
  }
  return { runs, changed };
}

/** Refuses values that are neither functions nor lists. The reader of names reports unknown names. */
function assertFilter(hashFilter: unknown): void {
  const isFunction = typeof hashFilter === "function" && !isClass(hashFilter);
  if (hashFilter === undefined || isFunction || Array.isArray(hashFilter)) return;
  refuse(OWNER, describeGiven(hashFilter), "Pass a function, or a list of names and functions.");
}

const OWNER = "checkHashFilter";

/** A useful filter does not make this many different prompts the same. */
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
  if (!Array.isArray(filtered)) return breaks(law, `it gave ${describeGiven(filtered)}`);
  const fault = findMessagesFault(filtered) ?? findImpurity(filtered);
  if (fault !== undefined) breaks(law, fault);
  // Copied at once, because a filter may return the list it was given.
  return copyJson(filtered) as LlmMessage[];
}

const ANSWER: LlmTurnResponse = answerOf({ role: "assistant", content: "recorded" });

/** Records and replays every turn of a conversation, and the whole conversation. */
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
    breaks("a run recorded with it replays with it", describeThrown(error), error);
  }
}
