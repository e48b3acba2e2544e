// Finds the names and ids that a wire leaves out of a tool result, by the calls before it.

import type { AssistantMessage } from "../model/message.js";

export interface CallNames {
  add(message: AssistantMessage): void;
  /** The name of the latest call with this id, or "". */
  nameOf(id: string): string;
  /** The id of the first call of this name without a result, or "". */
  idOf(name: string): string;
  /** Marks a call as having its result. */
  close(id: string): void;
}

/** One for each conversation. */
export function createCallNames(): CallNames {
  const names = new Map<string, string>();
  let open: { id: string; name: string }[] = [];
  return {
    add({ toolCalls = [] }) {
      for (const { id, name } of toolCalls) names.set(id, name);
      open = toolCalls.map(({ id, name }) => ({ id, name }));
    },
    nameOf: (id) => names.get(id) ?? "",
    idOf: (name) => open.find((call) => call.name === name)?.id ?? "",
    close(id) {
      open = open.filter((call) => call.id !== id);
    },
  };
}
