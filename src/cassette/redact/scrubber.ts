// Replaces the secrets of messages, answers and other JSON by placeholders, the same way whenever it is asked. What is sealed
// is scrubbed once.

import {
  findMessageFlaw,
  isSealed,
  seal,
  type JsonValue,
  type LlmMessage,
  type LlmTurnResponse,
} from "../../core/index.js";
import { mapMessage, mapStrings } from "./leaves.js";
import { createNumbers } from "./numbers.js";
import { BY_POINTER, type Redaction } from "./options.js";
import { isPlaceholder } from "./placeholder.js";
import { replaceAt } from "./pointers.js";
import { createTextScrubber, MAX_ROUNDS } from "./text.js";

export interface Scrubber {
  messages(messages: readonly LlmMessage[]): LlmMessage[];
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

type Given = Pick<Redaction, "rules" | "values" | "pointers">;

export function createScrubber({ rules, values, pointers }: Given): Scrubber {
  const numbers = createNumbers();
  const texts = createTextScrubber({ rules, values }, numbers);
  const scrubText = (text: string): string => texts.scrub(text);
  let cache = new WeakMap<object, LlmMessage>();

  const hide = (value: JsonValue): JsonValue => {
    if (value === null || value === "" || (typeof value === "string" && isPlaceholder(value))) return value;
    return numbers.placeholderOf(typeof value === "string" ? value : JSON.stringify(value), [BY_POINTER]);
  };

  function scrubMessage(message: LlmMessage): LlmMessage {
    const known = cache.get(message);
    if (known !== undefined) return known;
    const own = seal(message);
    // What is no message is refused elsewhere, in words.
    if (findMessageFlaw(own) !== undefined) return message;
    const placed = pointers.length === 0 ? own : (replaceAt(own as never, pointers, hide) as unknown as LlmMessage);
    const clean = seal(mapMessage(placed, scrubText));
    if (isSealed(message)) cache.set(message, clean);
    return clean;
  }

  /** Once more where a value became known on the way, since it may stand further up as well. */
  function untilKnown<T>(scrub: () => T): T {
    for (let round = 0; ; round++) {
      const before = texts.known;
      const result = scrub();
      if (texts.known === before || round === MAX_ROUNDS) return result;
      cache = new WeakMap();
    }
  }

  return {
    messages: (messages) => untilKnown(() => Array.from(messages, scrubMessage)),
    response: (response) =>
      untilKnown(() => {
        const message = scrubMessage(response.message) as LlmTurnResponse["message"];
        const { finalAnswer } = response;
        if (finalAnswer === undefined) return message === response.message ? response : { ...response, message };
        // The final answer repeats the text, which a pointer may have hidden as a whole.
        const isText = finalAnswer === response.message.content;
        return { ...response, message, finalAnswer: isText ? message.content : scrubText(finalAnswer) };
      }),
    json: (value) => untilKnown(() => mapStrings(value, scrubText)),
    used: () => numbers.used(),
    settle: () => numbers.settle(),
    renumber(map) {
      if (!numbers.renumber(map)) return false;
      cache = new WeakMap();
      return true;
    },
  };
}
