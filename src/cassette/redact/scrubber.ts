// Replaces secrets by placeholders, the same way each time. What is known from the prompt before is not scrubbed again.

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
import { createNumbers } from "./detect/numbers.js";
import { BY_POINTER, type Redaction } from "./options.js";
import { isPlaceholder } from "./placeholder.js";
import { replaceAt } from "./pointers.js";
import { createTextScrubber } from "./text.js";

export interface Scrubber {
  /** Grows and returns `before` if it is the list that the last call returned and still holds; else returns a new list. */
  readonly messages: (messages: readonly LlmMessage[], before?: LlmMessage[]) => LlmMessage[];
  response(response: LlmTurnResponse): LlmTurnResponse;
  /** Tools, settings, arguments: every text in it, keys included. */
  json<T extends JsonValue>(value: T): T;
  /** The names of what replaced something, sorted. */
  used(): string[];
  /** Values whose number may still change; after this, none. */
  settle(): void;
  /** Gives values other numbers, where all of these may still change and none is taken. False: nothing was done. */
  renumber(numbers: ReadonlyMap<number, number>): boolean;
}

/** What of a response has no secret in it, or is scrubbed on its own. */
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
    // What is no message is refused elsewhere, in words, unless a filter makes one of it: every text of it may hold a secret.
    if (findMessageFlaw(own) !== undefined) return seal(mapStrings(own as never, scrubText));
    return seal(mapMessage(pointers.length === 0 ? own : placeIn(own), scrubText));
  }

  /** The list of clean messages that was returned last, while its values have the numbers they had then. */
  let current: LlmMessage[] | undefined;

  /** Once more where a value became known on the way, since it may stand further up as well. */
  function untilKnown<T>(scrub: () => T): T {
    for (let round = 0; ; round++) {
      const before = texts.known;
      const result = scrub();
      if (texts.known === before || round === MAX_REDACTION_ROUNDS) return result;
      current = undefined;
    }
  }

  return {
    messages: (messages, before) =>
      untilKnown(() => {
        const clean = before !== undefined && before === current ? before : [];
        // Forgotten where a message throws.
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
        // The final answer mostly repeats the text, and a pointer into the text is meant for both.
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
  const what = `redact.pointers takes out a part that a message needs: ${flaw.pointer} would not be ${flaw.expected}`;
  const hint = "Point at a text, or at a value in the arguments of a call.";
  throw new CassetteError("invalid-options", toVisible(what), { pointer: flaw.pointer, hint });
}
