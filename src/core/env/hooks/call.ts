// The call that the runtime hands to a hook. Its signal is created when it is read, and the tools of this package find the whole context
// behind it.

import type { JsonObject } from "../../canon/value.js";
import type { CustomToolContext } from "../../tools/tool.js";
import type { ToolCall } from "../hook.js";
import type { ConversationRef } from "../storage/storage.js";

export class HookCall implements ToolCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly agent: string;
  readonly sender: string;
  readonly conversationId: string;
  readonly context: CustomToolContext;

  constructor(name: string, args: JsonObject, { id, agent, sender }: ConversationRef, context: CustomToolContext) {
    this.name = name;
    this.args = args;
    this.agent = agent;
    this.sender = sender;
    this.conversationId = id;
    this.context = context;
  }

  get signal(): AbortSignal {
    return this.context.signal;
  }

  get memory(): ToolCall["memory"] {
    return this.context.memory;
  }
}
