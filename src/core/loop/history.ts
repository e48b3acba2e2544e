// What a conversation keeps of a message that is new to it.

import { seal } from "../canon/copy.js";
import { NotJsonError } from "../canon/value.js";
import type { LlmMessage } from "../model/message.js";

/** Seals what is plain JSON; a message that is not (a Buffer as an argument, half a surrogate pair) is kept as it came. */
export function keepMessage<T extends LlmMessage>(message: T): T {
  try {
    return seal(message);
  } catch (error) {
    if (error instanceof NotJsonError) return message;
    throw error;
  }
}
