// A hook that lets an agent keep notes between conversations.

import type { Hook, ToolCall, ToolSchema } from "../hook.js";
import { serve } from "./tools.js";

const KEY = { type: "string", minLength: 1, maxLength: 200, description: "The name of the note." };
const fields = (properties: ToolSchema["schema"], required: string[]): ToolSchema["schema"] => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

const SCHEMAS: readonly ToolSchema[] = [
  {
    name: "remember",
    description: "Keep a note under a name. A note of that name is replaced.",
    effect: "write",
    schema: fields({ key: KEY, text: { type: "string", description: "The note." } }, ["key", "text"]),
  },
  {
    name: "recall",
    description: "Read a note. Without a name: list the names of all notes.",
    effect: "read",
    schema: fields({ key: KEY }, []),
  },
  {
    name: "forget",
    description: "Delete a note.",
    effect: "write",
    schema: fields({ key: KEY }, ["key"]),
  },
];

/** Offers `remember`, `recall` and `forget` on the memory of the agent that calls. The first and the last write. */
export function memoryHook(): Hook {
  return {
    schema: () => SCHEMAS,
    dispatch: (name, call) => {
      const body = BODIES[name];
      return body === undefined || !Object.hasOwn(BODIES, name) ? undefined : serve(() => body(call));
    },
  };
}

const BODIES: Readonly<Record<string, (call: ToolCall) => Promise<unknown>>> = {
  remember: async ({ args, memory }) => {
    await memory.set("agent", args["key"] as string, args["text"] as string);
    return { remembered: args["key"] };
  },
  recall: async ({ args, memory }) => {
    if (args["key"] === undefined) return { notes: await memory.keys("agent") };
    const text = await memory.get("agent", args["key"] as string);
    return text === undefined ? { found: false } : { found: true, text };
  },
  forget: async ({ args, memory }) => ({ forgotten: await memory.delete("agent", args["key"] as string) }),
};
