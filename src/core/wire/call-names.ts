// Names and ids that a wire leaves out of a tool result, found again in the calls before it.

import type { AssistantMessage } from "../model/message.js";

/** The calls of a conversation as it is read. */
export interface CallNames {
  add(message: AssistantMessage): void;
  /** The name of the latest call with this id; "" where there is none. */
  nameOf(id: string): string;
  /** The id of the first call of this name that has no result yet; "" where there is none. */
  idOf(name: string): string;
  /** Says that a call has its result. */
  settle(id: string): void;
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
    settle(id) {
      open = open.filter((call) => call.id !== id);
    },
  };
}
