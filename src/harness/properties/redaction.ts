// Laws of what takes secrets out of answers (the `redact` of a recorder, a function or its options): what it gives back is still an answer, the
// same one each time, and replays as it was recorded.

import fc from "fast-check";
import { createRedactor, type Redact, type RedactOptions } from "../../cassette/index.js";
import { canonicalize, copyJson, type LlmTurnResponse } from "../../core/index.js";
import { providerScript } from "../arbitraries/scripts.js";
import { HarnessError } from "../errors.js";
import { assertLawOptions, breaks, holdLaws, type LawOptions } from "./law.js";
import { findAnswerFault } from "./response.js";
import { describeThrown } from "./thrown.js";

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
 * Holds a redaction to its laws, a function or the options that a recorder takes as `redact`, for answers of every shape: it never throws; it gives an answer, at once; the ids, names
 * and number of the calls stay, since results are found by them; done twice it is done once; the same answer always becomes the
 * same; and no text of `secrets` is left anywhere.
 *
 * Rejects with `LawBrokenError`, and with `CassetteError` `invalid-options` for options that are none.
 */
export async function checkRedaction(
  redaction: Redact | RedactOptions,
  options: CheckRedactionOptions = {},
): Promise<RedactionReport> {
  assertLawOptions("checkRedaction", options, ["secrets", "examples"]);
  const { secrets = [], examples = [] } = options;
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
      const once = apply(redact, response);
      judgeResult(redact, response, once);
      const left = secrets.findIndex((secret) => holds(once, secret));
      // The secret itself is in the counterexample; it is the caller's own and made up.
      if (left !== -1) breaks("no secret is left", `text ${left} of secrets is still there`);
      if (canonicalize(once) !== before) count.changed += 1;
      if (secrets.some((secret) => holds(response, secret))) count.withSecret += 1;
    },
  });
  return { runs, ...count };
}

/** What a recorder with these options does to an answer. */
function asFunction(options: RedactOptions): Redact {
  const redactor = createRedactor(options);
  return (response) => redactor.response(response);
}

/** Answers, some with a secret in the middle of one of their texts. */
function answers(secrets: readonly string[]): fc.Arbitrary<LlmTurnResponse> {
  const plain = fc
    .tuple(providerScript({ maxTurns: 1 }), fc.nat(1))
    .map(([script, at]) => script[at % script.length] as LlmTurnResponse);
  if (secrets.length === 0) return plain;
  const secret = fc.constantFrom(...secrets);
  const place = fc.constantFrom("content", "argument", "key", "thought", "malformed");
  return fc
    .tuple(plain, fc.array(fc.record({ secret, place }), { maxLength: 2 }))
    .map(([response, hidden]) =>
      hidden.reduce((answer, { secret: text, place: at }) => hide(answer, text, at), response),
    );
}

type Place = "content" | "argument" | "key" | "thought" | "malformed";

function hide(response: LlmTurnResponse, secret: string, place: Place): LlmTurnResponse {
  const answer = copyJson(response);
  const { message } = answer;
  const call = message.toolCalls?.[0];
  const sentence = `use ${secret} now`;
  if (place === "thought") message.reasoning = [...(message.reasoning ?? []), { type: "text", text: sentence }];
  else if (call === undefined || place === "content") {
    message.content += sentence;
    if (answer.finalAnswer !== undefined) answer.finalAnswer = message.content;
  } else if (place === "malformed")
    Object.assign(call, { arguments: {}, malformedArguments: `{"token":${JSON.stringify(sentence)}` });
  else if (call.malformedArguments === undefined) {
    call.arguments[place === "key" ? sentence : "token"] = place === "key" ? 1 : { deep: [sentence] };
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

function judgeResult(redact: Redact, response: LlmTurnResponse, once: LlmTurnResponse): void {
  const fault = findAnswerFault(once);
  if (fault !== undefined) breaks("it gives an answer", fault);
  if (callsOf(once) !== callsOf(response)) {
    breaks("it leaves ids, names and number of the calls", `they were ${callsOf(response)} and are ${callsOf(once)}`);
  }
  // A copy at once: a function may give back the very object it was handed, and change it when it is called again.
  const text = canonicalize(once);
  if (canonicalize(apply(redact, response)) !== text) breaks("the same answer becomes the same", "it became two");
  const twice = canonicalize(apply(redact, JSON.parse(text) as LlmTurnResponse));
  if (twice !== text) breaks("done twice it is done once", `once it is ${text}, twice ${twice}`);
}

function callsOf({ message }: LlmTurnResponse): string {
  return canonicalize((message.toolCalls ?? []).map(({ id, name }) => [id, name]));
}

/** Whether any key or text of a value holds this one. */
function holds(value: unknown, secret: string): boolean {
  if (typeof value === "string") return value.includes(secret);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, item]) => key.includes(secret) || holds(item, secret));
}
