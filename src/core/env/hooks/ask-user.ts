// A hook that lets the model ask the user.

import type { Hook, ToolCall, ToolSchema } from "../hook.js";
import { serve } from "./tools.js";

const SCHEMA: ToolSchema = {
  name: "ask_user",
  description: "Ask the user one question, and wait for the answer. Ask only what you cannot find out yourself.",
  effect: "read",
  schema: {
    type: "object",
    properties: { question: { type: "string", minLength: 1, description: "The question." } },
    required: ["question"],
    additionalProperties: false,
  },
};

/** Offers the tool `ask_user`. `ask` receives the question and resolves with the answer. It should stop waiting when `call.signal` fires. */
export function askUserHook(ask: (question: string, call: ToolCall) => Promise<string>): Hook {
  return {
    schema: () => [SCHEMA],
    dispatch: (name, call) =>
      name === SCHEMA.name ? serve(() => ask(call.args["question"] as string, call)) : undefined,
  };
}
