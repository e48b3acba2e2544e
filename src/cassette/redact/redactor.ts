// Redaction. A recorder runs the user's function on answers, then the rules on everything. A replay runs the recording's rules.

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

/** Replaces secrets like a recorder with the same `redact`. */
export interface Redactor {
  /** Replaces the secrets of an answer. Returns a sealed answer itself if it had none. */
  response(response: LlmTurnResponse): LlmTurnResponse;
  /**
   * Replaces the secrets of a prompt. `before` is the list that the last call returned, cut to the sealed messages that this prompt
   * shares with the last one. If it is still valid, it is extended and returned. If not, the result is a new list.
   */
  readonly messages: (messages: readonly LlmMessage[], before?: LlmMessage[]) => LlmMessage[];
  json<T extends JsonValue>(value: T): T;
  /** The names for `extensions.redacted`. */
  used(): string[];
}

/** The `messages` of a redactor that changes nothing. */
export function keepMessages(messages: readonly LlmMessage[], before: LlmMessage[] = []): LlmMessage[] {
  for (let index = before.length; index < messages.length; index++) before.push(messages[index] as LlmMessage);
  return before;
}

/** Creates the redactor of one recording from a recorder's `redact`. Throws `invalid-options`. */
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
      // The recorder refuses a malformed answer with a clear message.
      if (clean !== response && findResponseFlaw(clean) !== undefined) return clean;
      return scrubber.response(clean === response ? response : sealResponse(clean));
    },
    // The results of the user's function are looked up again in every prompt.
    messages: (messages, before) =>
      scrubber.messages(answers.messages(messages), redaction.custom === undefined ? before : undefined),
    json: (value) => scrubber.json(value),
    used: () => [...(redaction.custom === undefined ? [] : [BY_FUNCTION]), ...scrubber.used()],
  };
}

/** Seals the message before the response, so that a prompt that repeats the message does not copy it again. */
export function sealResponse(response: LlmTurnResponse): LlmTurnResponse {
  try {
    return seal({ ...response, message: seal(response.message) });
  } catch (error) {
    // Seals the whole response, so that the error's pointer starts at its root.
    if (error instanceof NotJsonError) return seal(response);
    throw error;
  }
}

export interface ReplayRedaction {
  readonly scrubber: Scrubber;
  /** Names that the recording used and this replay lacks. Secrets found only by these stay in the live prompt. */
  readonly missing: readonly string[];
}

/** Returns the names in `extensions.redacted` that affect prompts. Accepts any value. */
export function redactedBy(redacted: unknown): string[] {
  if (!Array.isArray(redacted)) return [];
  return redacted.filter((name): name is string => typeof name === "string" && name !== BY_FUNCTION);
}

/** Undefined if the recording has no redacted prompts. Throws `redaction-one-sided` if redaction is off now, and `invalid-options`. */
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
    const hint = "Remove redact: false, or record again with it.";
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
