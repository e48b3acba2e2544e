// A message that a vendor's wire read, as a message of a log, with the wire's own fields. Ids are the log's, so that missing ones count.

import { defined, type JsonObject, type JsonValue, type LlmMessage } from "../../../core/index.js";
import type { LogMessage } from "../log-run.js";
import { toName } from "../foreign-json.js";

/** `ids` are those of the message's calls in their order, or of its result. */
export function fromWire(message: LlmMessage, ids: readonly (JsonValue | undefined)[]): LogMessage {
  switch (message.role) {
    case "assistant": {
      const { role, content, toolCalls = [], reasoning = [], ...wire } = message;
      const calls = toolCalls.map(({ name, arguments: args, malformedArguments }, index) => ({
        id: ids[index],
        name: toName(name),
        arguments: args,
        ...defined({ malformedArguments }),
      }));
      return { role, content, reasoning, calls, ...withWire(wire) };
    }
    case "tool": {
      const { role, toolCallId: _id, name, content, isError = false, ...wire } = message;
      return { role, callId: ids[0], name: toName(name), content, isError, ...withWire(wire) };
    }
    case "user": {
      const { role, content, ...wire } = message;
      return { role, content, ...withWire(wire) };
    }
    case "system": {
      const { role, content, ...wire } = message;
      return { role, content, ...withWire(wire) };
    }
  }
}

function withWire(fields: object): { wire?: JsonObject } {
  return Object.keys(fields).length === 0 ? {} : { wire: fields as JsonObject };
}
