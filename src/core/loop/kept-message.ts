// New messages of a conversation, in the form in which it keeps them.

import { seal, sealTexts } from "../canon/copy.js";
import { NotJsonError } from "../canon/value.js";
import type { LlmMessage, ToolMessage } from "../model/message.js";

/** Seals a message that is plain JSON. Another one (a Buffer as an argument, half a surrogate pair) is kept as it came. */
export function keepMessage<T extends LlmMessage>(message: T): T {
  try {
    return seal(message);
  } catch (error) {
    if (error instanceof NotJsonError) return message;
    throw error;
  }
}

/** Seals the message of a result in place, since nobody else holds it yet. */
export function keepResult(message: ToolMessage): ToolMessage {
  return sealTexts(message);
}
