// Replaces secrets with placeholders, always in the same way. Messages known from the previous prompt are not scrubbed again.

import {
  findMessageFlaw,
  seal,
  toVisible,
  type JsonValue,
  type LlmMessage,
  type LlmTurnResponse,
} from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { MAX_REDACTION_ROUNDS } from "../limits.js";
import { mapMessage, mapOthers, mapStrings } from "./leaves.js";
import { createNumbers } from "./detect/placeholder-numbers.js";
import { BY_POINTER, type Redaction } from "./options.js";
import { isPlaceholder } from "./placeholder.js";
import { replaceAt } from "./pointers.js";
import { createTextScrubber } from "./text.js";

export interface Scrubber {
  /** Extends and returns `before` if the last call returned it and it is still valid. If not, returns a new list. */
  readonly messages: (messages: readonly LlmMessage[], before?: LlmMessage[]) => LlmMessage[];
  response(response: LlmTurnResponse): LlmTurnResponse;
  /** Scrubs every text of tools, settings or arguments, keys included. */
  json<T extends JsonValue>(value: T): T;
  /** The sorted names of the rules that replaced something, and of `value` and `pointer`. */
  used(): string[];
  /** Fixes the numbers of all values found so far. */
  settle(): void;
  /** Renumbers values. Returns false and changes nothing if one of the numbers is fixed or a new number is taken. */
  renumber(numbers: ReadonlyMap<number, number>): boolean;
}

/** Fields of a response without secrets, or with a scrub step of their own. */
const OWN_OF_RESPONSE = ["message", "finalAnswer", "stopReason"];

type Given = Pick<Redaction, "rules" | "values" | "pointers">;

export function createScrubber({ rules, values, pointers }: Given): Scrubber {
  const numbers = createNumbers();
  const texts = createTextScrubber({ rules, values }, numbers);
  const scrubText = (text: string): string => texts.scrub(text);
  const isOurs = (rule: string): boolean => texts.isOurs(rule);
  const hide = (value: JsonValue): JsonValue => {
    if (value === null || value === "" || (typeof value === "string" && isPlaceholder(value, isOurs))) return value;
    return numbers.placeholderOf(typeof value === "string" ? value : JSON.stringify(value), [BY_POINTER]);
  };

  function placeIn(message: LlmMessage): LlmMessage {
    const placed = replaceAt(message as never, pointers, hide) as unknown as LlmMessage;
    assertMessage(placed);
    return placed;
  }

  function scrubMessage(message: LlmMessage): LlmMessage {
    const own = seal(message);
    // A malformed message is refused elsewhere, unless a filter repairs it. Any of its texts may hold a secret.
    if (findMessageFlaw(own) !== undefined) return seal(mapStrings(own as never, scrubText));
    return seal(mapMessage(pointers.length === 0 ? own : placeIn(own), scrubText));
  }

  /** The clean messages returned last. Undefined once their numbers have changed. */
  let current: LlmMessage[] | undefined;

  /** Scrubs again if it learned a new value, which may also occur earlier. */
  function untilKnown<T>(scrub: () => T): T {
    for (let round = 0; ; round++) {
      const before = texts.known();
      const result = scrub();
      if (texts.known() === before || round === MAX_REDACTION_ROUNDS) return result;
      current = undefined;
    }
  }

  return {
    messages: (messages, before) =>
      untilKnown(() => {
        const clean = before !== undefined && before === current ? before : [];
        // Cleared first, in case a message throws.
        current = undefined;
        for (let index = clean.length; index < messages.length; index++) {
          clean.push(scrubMessage(messages[index] as LlmMessage));
        }
        return (current = clean);
      }),
    response: (response) =>
      untilKnown(() => {
        const message = scrubMessage(response.message) as LlmTurnResponse["message"];
        const rest = mapOthers(response, OWN_OF_RESPONSE, scrubText);
        const { finalAnswer } = response;
        if (finalAnswer === undefined) return message === response.message ? rest : { ...rest, message };
        // The final answer usually repeats the text, so a pointer into the text applies to both.
        const { content } = scrubMessage({ role: "assistant", content: finalAnswer }) as LlmTurnResponse["message"];
        return { ...rest, message, finalAnswer: content };
      }),
    json: (value) => untilKnown(() => mapStrings(value, scrubText)),
    used: () => numbers.used(),
    settle: () => numbers.settle(),
    renumber(map) {
      if (!numbers.renumber(map)) return false;
      current = undefined;
      return true;
    },
  };
}

function assertMessage(placed: LlmMessage): void {
  const flaw = findMessageFlaw(placed);
  if (flaw === undefined) return;
  const what = `redact.pointers replaces a part that a message needs: ${flaw.pointer} would not be ${flaw.expected}`;
  const hint = "Use a pointer to a text, or to a value in the arguments of a call.";
  throw new CassetteError("invalid-options", toVisible(what), { pointer: flaw.pointer, hint });
}
