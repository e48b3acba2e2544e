// What a conversation keeps of a message that is new to it.

import { seal, sealTexts } from "../canon/copy.js";
import { NotJsonError } from "../canon/value.js";
import type { LlmMessage, ToolMessage } from "../model/message.js";

/** Seals what is plain JSON; a message that is not (a Buffer as an argument, half a surrogate pair) is kept as it came. */
export function keepMessage<T extends LlmMessage>(message: T): T {
  try {
    return seal(message);
  } catch (error) {
    if (error instanceof NotJsonError) return message;
    throw error;
  }
}

/** The same for the message of a result, which nobody else holds yet. */
export function keepResult(message: ToolMessage): ToolMessage {
  return sealTexts(message);
}
