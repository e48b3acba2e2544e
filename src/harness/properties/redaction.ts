// Laws of what takes secrets out of answers (the `redact` of a recorder, a function or its options): what it gives back is still an answer, the
// same one each time, and replays as it was recorded.

import fc from "fast-check";
import { createRedactor, type Redact, type RedactOptions } from "../../cassette/index.js";
import { canonicalize, copyJson, isThenable, type LlmTurnResponse } from "../../core/index.js";
import { reasoning } from "../arbitraries/messages.js";
import { providerScript } from "../arbitraries/scripts.js";
import { around, volatileText } from "../arbitraries/volatile.js";
import { HarnessError } from "../errors.js";
import { assertExamples, assertLawOptions, breaks, holdLaws, type LawOptions } from "./law.js";
import { describeGiven, isClass, isObject, letGo, refuse } from "../contract/given.js";
import { findAnswerFault } from "../contract/response.js";
import { describeThrown } from "../contract/thrown.js";

/** The options of `checkRedaction`. */
export interface CheckRedactionOptions extends LawOptions {
  /** Texts that must be gone: each is put into the answers that are tried, wherever one has text. Default none. */
  readonly secrets?: readonly string[];
  /** Answers that are tried first. */
  readonly examples?: readonly LlmTurnResponse[];
}

/** What was tried. */
export interface RedactionReport {
  readonly runs: number;
  /** Answers that the function changed. */
  readonly changed: number;
  /** Answers that held one of `secrets`. */
  readonly withSecret: number;
}

/**
 * Holds a redaction, a function or the options that a recorder takes as `redact`, to its laws, for answers of every shape: it
 * never throws; it gives an answer, at once; the ids, names and number of the calls stay, since results are found by them, and so
 * does how the turn ended; done twice it is done once; the same answer always becomes the same; and no text of `secrets` is left
 * anywhere.
 *
 * Rejects with `LawBrokenError`, with `CassetteError` `invalid-options` for options that are none, and with `AgentError`
 * `invalid-options` for what is neither a function nor options.
 */
export async function checkRedaction(
  redaction: Redact | RedactOptions,
  options: CheckRedactionOptions = {},
): Promise<RedactionReport> {
  assertLawOptions(OWNER, options, ["secrets", "examples"]);
  const { secrets = [], examples = [] } = options;
  assertExamples(OWNER, examples, findAnswerFault);
  assertRedaction(redaction);
  if (secrets.some((secret) => typeof secret !== "string")) {
    refuse(OWNER, "secrets that are not all texts", "Give a list of texts that must be gone.");
  }
  if (secrets.some((secret) => secret === "")) {
    throw new HarnessError(
      "law-empty",
      "checkRedaction: one of secrets is empty, so it is in every text",
      "Leave it out.",
    );
  }
  const redact = typeof redaction === "function" ? redaction : asFunction(redaction);
  const count = { changed: 0, withSecret: 0 };
  const runs = await holdLaws({
    call: "checkRedaction(redact",
    subject: "the redaction",
    values: answers(secrets),
    examples,
    options,
    defaultRuns: 200,
    async judge(response) {
      const before = canonicalize(response);
      const once = judgeResult(redact, response);
      const left = secrets.findIndex((secret) => holds(once, secret));
      // The secret itself is in the counterexample; it is the caller's own and made up.
      if (left !== -1) breaks("no secret is left", `text ${left} of secrets is still there`);
      if (canonicalize(once) !== before) count.changed += 1;
      if (secrets.some((secret) => holds(response, secret))) count.withSecret += 1;
    },
  });
  return { runs, ...count };
}

const OWNER = "checkRedaction";

/** A function that can be called, or an object that may be options. */
function assertRedaction(redaction: unknown): void {
  const isFunction = typeof redaction === "function" && !isClass(redaction);
  if (isFunction || isObject(redaction)) return;
  const hint =
    "Pass a function that gives the answer without its secrets, or the options that a recorder takes as redact.";
  refuse(OWNER, describeGiven(redaction), hint);
}

/** What a recorder with these options does to an answer. */
function asFunction(options: RedactOptions): Redact {
  const redactor = createRedactor(options);
  return (response) => redactor.response(response);
}

/** Answers, some with thoughts, or texts that redactions look for, and some with a secret in one of their texts. */
function answers(secrets: readonly string[]): fc.Arbitrary<LlmTurnResponse> {
  const plain = fc
    .tuple(providerScript({ maxTurns: 1 }), fc.nat(1), fc.array(reasoning(), { maxLength: 2 }))
    .map(([script, at, thoughts]) => {
      const response = script[at % script.length] as LlmTurnResponse;
      if (thoughts.length === 0) return response;
      return { ...response, message: { ...response.message, reasoning: thoughts } };
    });
  const secret = secrets.length === 0 ? [] : [around(fc.constantFrom(...secrets))];
  const text = fc.oneof(...secret.map((arbitrary) => ({ weight: 4, arbitrary })), volatileText());
  const hidden = fc.record({ text, place: fc.constantFrom(...PLACES), call: fc.nat(2) });
  return fc.tuple(plain, fc.array(hidden, { maxLength: 3 })).map(([response, list]) => list.reduce(hide, response));
}

const PLACES = ["content", "argument", "key", "thought", "malformed"] as const;

interface Hidden {
  readonly text: string;
  readonly place: (typeof PLACES)[number];
  /** Which call, counted around. */
  readonly call: number;
}

function hide(response: LlmTurnResponse, { text, place, call: at }: Hidden): LlmTurnResponse {
  const answer = copyJson(response);
  const { message } = answer;
  const calls = message.toolCalls ?? [];
  const call = calls[at % Math.max(1, calls.length)];
  if (place === "thought") message.reasoning = [...(message.reasoning ?? []), { type: "text", text }];
  else if (call === undefined || place === "content") {
    message.content += text;
    if (answer.finalAnswer !== undefined) answer.finalAnswer = message.content;
  } else if (place === "malformed")
    Object.assign(call, { arguments: {}, malformedArguments: `{"token":${JSON.stringify(text)}` });
  else if (call.malformedArguments === undefined) {
    call.arguments[place === "key" ? text : "token"] = place === "key" ? 1 : { deep: [text] };
  }
  return answer;
}

function apply(redact: Redact, response: LlmTurnResponse): LlmTurnResponse {
  try {
    return redact(copyJson(response));
  } catch (error) {
    return breaks("it never throws", `it threw ${describeThrown(error)}`, error);
  }
}

/** What the answer became. */
function judgeResult(redact: Redact, response: LlmTurnResponse): LlmTurnResponse {
  const given = apply(redact, response);
  letGo(given);
  const fault = isThenable(given) ? "it gave a promise, and is not waited for" : findAnswerFault(given);
  if (fault !== undefined) breaks("it gives an answer", fault);
  // A copy at once: a function may give back the very object it was handed, and change it when it is called again.
  const once = copyJson(given);
  if (callsOf(once) !== callsOf(response)) {
    breaks("it leaves ids, names and number of the calls", `they were ${callsOf(response)} and are ${callsOf(once)}`);
  }
  if (kindOf(once) !== kindOf(response))
    breaks("it leaves how the turn ended", `it was ${kindOf(response)} and is ${kindOf(once)}`);
  const text = canonicalize(once);
  if (textOf(redact, response) !== text) breaks("the same answer becomes the same", "it became two");
  const twice = textOf(redact, once);
  if (twice !== text) breaks("done twice it is done once", `once it is ${text}, twice ${twice}`);
  return once;
}

/** What an answer becomes, as text; the fault of what has none. */
function textOf(redact: Redact, response: LlmTurnResponse): string {
  const given = apply(redact, response);
  return findAnswerFault(given) ?? canonicalize(copyJson(given));
}

/** A call whose arguments could not be read is never run, so it must not become one that is. */
function callsOf({ message }: LlmTurnResponse): string {
  const calls = message.toolCalls ?? [];
  return canonicalize(
    calls.map(({ id, name, malformedArguments }) => [
      id,
      name,
      ...(malformedArguments === undefined ? [] : ["malformed"]),
    ]),
  );
}

function kindOf({ stopReason, finalAnswer }: LlmTurnResponse): string {
  return `${stopReason} ${finalAnswer === undefined ? "without" : "with"} a final answer`;
}

/** Whether any key or text of a value holds this one. */
function holds(value: unknown, secret: string): boolean {
  if (typeof value === "string") return value.includes(secret);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, item]) => key.includes(secret) || holds(item, secret));
}
