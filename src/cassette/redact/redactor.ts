// Redaction: a recorder runs the user's function on answers, then the rules on everything; a replay runs the recording's rules.

import {
  defined,
  findResponseFlaw,
  NotJsonError,
  seal,
  type JsonValue,
  type LlmMessage,
  type LlmTurnResponse,
} from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { createAnswerRedactor } from "./answers.js";
import { BY_FUNCTION, BY_POINTER, BY_VALUE, readRedaction, type RedactOption } from "./options.js";
import { KNOWN_RULES } from "./detect/secret-rules.js";
import { createScrubber, type Scrubber } from "./scrubber.js";

/** Takes secrets out, as a recorder with the same `redact` does. */
export interface Redactor {
  /** An answer without its secrets; a sealed one is given back itself where it had none. */
  response(response: LlmTurnResponse): LlmTurnResponse;
  /**
   * A prompt without its secrets. `before` is the list that the last call returned, cut to the messages that are sealed and the very
   * same ones now. It is grown and returned if it still holds; else the result is a new list.
   */
  readonly messages: (messages: readonly LlmMessage[], before?: LlmMessage[]) => LlmMessage[];
  json<T extends JsonValue>(value: T): T;
  /** What `extensions.redacted` lists. */
  used(): string[];
}

/** `Redactor.messages` without redaction. */
export function keepMessages(messages: readonly LlmMessage[], before: LlmMessage[] = []): LlmMessage[] {
  for (let index = before.length; index < messages.length; index++) before.push(messages[index] as LlmMessage);
  return before;
}

/** What a recorder makes of its `redact`, for one recording. Throws `invalid-options`. */
export function createRedactor(option: RedactOption | undefined): Redactor {
  const redaction = readRedaction(option);
  if (redaction === undefined) {
    return { response: (value) => value, messages: keepMessages, json: (value) => value, used: () => [] };
  }
  const answers = createAnswerRedactor(redaction.custom);
  const scrubber = createScrubber(redaction);
  return {
    response(response) {
      const clean = answers.response(response);
      // What is no answer is refused by the recorder, in words.
      if (clean !== response && findResponseFlaw(clean) !== undefined) return clean;
      return scrubber.response(clean === response ? response : sealResponse(clean));
    },
    // What a function of the user's made of an answer is looked up anew each time.
    messages: (messages, before) =>
      scrubber.messages(answers.messages(messages), redaction.custom === undefined ? before : undefined),
    json: (value) => scrubber.json(value),
    used: () => [...(redaction.custom === undefined ? [] : [BY_FUNCTION]), ...scrubber.used()],
  };
}

/** Sealed with its message on its own, so that this is not copied again. */
export function sealResponse(response: LlmTurnResponse): LlmTurnResponse {
  try {
    return seal({ ...response, message: seal(response.message) });
  } catch (error) {
    // Once more as a whole, for the place in it.
    if (error instanceof NotJsonError) return seal(response);
    throw error;
  }
}

export interface ReplayRedaction {
  readonly scrubber: Scrubber;
  /** What the recording names and this side was not given; what it found there stays as it is here. */
  readonly missing: readonly string[];
}

/** The names in `extensions.redacted` that concern prompts, whatever wrote them. */
export function redactedBy(redacted: unknown): string[] {
  if (!Array.isArray(redacted)) return [];
  return redacted.filter((name): name is string => typeof name === "string" && name !== BY_FUNCTION);
}

/** Undefined where no rule took anything out. Throws `redaction-one-sided` where redaction is off now, and `invalid-options`. */
export function createReplayRedaction(
  redacted: unknown,
  option: RedactOption | undefined,
  file?: string,
): ReplayRedaction | undefined {
  const redaction = readRedaction(option);
  const names = redactedBy(redacted);
  if (names.length === 0) return undefined;
  if (redaction === undefined) {
    const what = `the cassette was redacted when it was recorded (${names.join(", ")}) and is replayed with redact: false`;
    const hint = "Leave redact: false out, or record again with it.";
    throw new CassetteError("redaction-one-sided", what, { hint, ...defined({ file }) });
  }
  const given = redaction.rules.map(({ id }) => id);
  const known = [...redaction.rules, ...KNOWN_RULES.filter(({ id }) => !given.includes(id))];
  const rules = known.filter(({ id }) => names.includes(id));
  const values = names.includes(BY_VALUE) ? redaction.values : [];
  const pointers = names.includes(BY_POINTER) ? redaction.pointers : [];
  const used = new Set(rules.map(({ id }) => id));
  if (values.length > 0) used.add(BY_VALUE);
  if (pointers.length > 0) used.add(BY_POINTER);
  return { scrubber: createScrubber({ rules, values, pointers }), missing: names.filter((name) => !used.has(name)) };
}
