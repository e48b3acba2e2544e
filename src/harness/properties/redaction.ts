// Laws of a redaction (the `redact` of a recorder): its result is still an answer, and the same one each time.

import fc from "fast-check";
import { createRedactor, type Redact, type RedactOptions } from "../../cassette/index.js";
import { canonicalize, copyJson, isThenable, type LlmTurnResponse } from "../../core/index.js";
import { reasoning } from "../arbitraries/messages.js";
import { providerScript } from "../arbitraries/scripts.js";
import { around, volatileText } from "../arbitraries/volatile.js";
import { HarnessError } from "../errors.js";
import { assertExamples, assertLawOptions, breaks, holdLaws, type LawOptions } from "./law.js";
import { describeGiven, isClass, isObject, letGo, refuse } from "../contract/check-inputs.js";
import { findAnswerFault } from "../contract/response.js";
import { describeThrown } from "../contract/thrown.js";

export interface CheckRedactionOptions extends LawOptions {
  /** Texts that must be gone. They are put into the answers that are tried, wherever one has text. Default none. */
  readonly secrets?: readonly string[];
  /** Answers to try first. */
  readonly examples?: readonly LlmTurnResponse[];
}

export interface RedactionReport {
  readonly runs: number;
  /** Answers that the redaction changed. */
  readonly changed: number;
  /** Answers that held one of `secrets`. */
  readonly withSecret: number;
}

/**
 * Holds a redaction to its laws, for answers of every shape: a function, or the options that a recorder takes as `redact`. It never
 * throws and gives an answer at once. It keeps the ids, names and number of the calls, since results are found by them, and how the
 * turn ended. Applying it twice changes nothing more, the same answer always becomes the same, and no text of `secrets` is left.
 *
 * Rejects with `LawBrokenError`, with `CassetteError` `invalid-options` for malformed options, and with `AgentError`
 * `invalid-options` for a value that is neither a function nor options.
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
    throw new HarnessError("law-empty", `${OWNER}: a secret is empty, so every text contains it`, "Leave it out.");
  }
  const redactor = typeof redaction === "function" ? { response: redaction } : createRedactor(redaction);
  const redact: Redact = (response) => redactor.response(response);
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
      // The counterexample shows the secret itself, which the caller invented.
      if (left !== -1) breaks("no secret is left", `text ${left} of secrets is still there`);
      if (canonicalize(once) !== before) count.changed += 1;
      if (secrets.some((secret) => holds(response, secret))) count.withSecret += 1;
    },
  });
  return { runs, ...count };
}

const OWNER = "checkRedaction";

function assertRedaction(redaction: unknown): void {
  const isFunction = typeof redaction === "function" && !isClass(redaction);
  if (isFunction || isObject(redaction)) return;
  const hint =
    "Pass a function that gives the answer without its secrets, or the options that a recorder takes as redact.";
  refuse(OWNER, describeGiven(redaction), hint);
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
  /** The index of the call, modulo the number of calls. */
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

function judgeResult(redact: Redact, response: LlmTurnResponse): LlmTurnResponse {
  const given = apply(redact, response);
  letGo(given);
  const fault = isThenable(given) ? "it gave a promise, which is not awaited" : findAnswerFault(given);
  if (fault !== undefined) breaks("it gives an answer", fault);
  // Copied at once, because a function may return the object it was given and change it in the next call.
  const once = copyJson(given);
  const keeps = (law: string, before: string, after: string) => {
    if (after !== before) breaks(law, `before: ${before}, after: ${after}`);
  };
  keeps("it leaves ids, names and number of the calls", callsOf(response), callsOf(once));
  keeps("it leaves how the turn ended", endOf(response), endOf(once));
  const text = canonicalize(once);
  if (textOf(redact, response) !== text) breaks("the same answer becomes the same", "it became two");
  const twice = textOf(redact, once);
  if (twice !== text) breaks("applying it twice is the same as applying it once", `once it is ${text}, twice ${twice}`);
  return once;
}

function textOf(redact: Redact, response: LlmTurnResponse): string {
  const given = apply(redact, response);
  return findAnswerFault(given) ?? canonicalize(copyJson(given));
}

/** A call with unreadable arguments never runs, so redaction must not turn it into a call that runs. */
function callsOf({ message }: LlmTurnResponse): string {
  const calls = message.toolCalls ?? [];
  return canonicalize(calls.map(({ id, name, malformedArguments }) => [id, name, malformedArguments !== undefined]));
}

function endOf({ stopReason, finalAnswer }: LlmTurnResponse): string {
  return `${stopReason} ${finalAnswer === undefined ? "without" : "with"} a final answer`;
}

/** True if any key or text of a value contains the secret. */
function holds(value: unknown, secret: string): boolean {
  if (typeof value === "string") return value.includes(secret);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, item]) => key.includes(secret) || holds(item, secret));
}
