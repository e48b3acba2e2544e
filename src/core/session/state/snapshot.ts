// The snapshot of a session: the state that a store keeps, and its strict reader.

import { seal } from "../../canon/copy.js";
import { isPlainObject, NotJsonError, type JsonValue } from "../../canon/value.js";
import { AgentError } from "../../errors.js";
import type { LlmMessage } from "../../model/message.js";
import { findMessageFlaw } from "../../model/response.js";

/** The state of a session between two turns. */
export interface SessionState {
  /** Sealed messages, without instructions. */
  readonly history: readonly LlmMessage[];
  /** The number of turns that the session has begun. */
  readonly seq: number;
  /** The session's records of its subagents' sessions and jobs. */
  readonly children?: JsonValue;
}

export const EMPTY_STATE: SessionState = Object.freeze({ history: Object.freeze([]), seq: 0 });

const VERSION = 1;
const FIELDS = ["schemaVersion", "history", "seq", "children"];

/** The state as plain JSON. It shares its messages, which are frozen. */
export function toSnapshot({ history, seq, children }: SessionState): JsonValue {
  const state = { schemaVersion: VERSION, history: history as unknown as JsonValue, seq };
  return children === undefined ? state : { ...state, children };
}

/** Throws `AgentError` `store-failed` for anything but a snapshot of this version. */
export function readSnapshot(state: unknown): SessionState {
  try {
    if (!isPlainObject(state)) throw unsupported("it is not an object");
    const unknown = Object.keys(state).find((key) => !FIELDS.includes(key));
    if (unknown !== undefined) throw unsupported(`it has an unknown field ${JSON.stringify(unknown)}`);
    const { schemaVersion, history, seq = 0, children } = state;
    if (schemaVersion !== VERSION) throw unsupported(`its schemaVersion is ${JSON.stringify(schemaVersion)}`);
    if (!Array.isArray(history)) throw unsupported("its history is not a list");
    if (!Number.isSafeInteger(seq) || (seq as number) < 0) throw unsupported("its seq is not a whole number");
    for (const [index, message] of history.entries()) assertMessage(message, index);
    const own = { history: seal(history) as readonly LlmMessage[], seq: seq as number };
    return children === undefined ? own : { ...own, children: seal({ children }).children as JsonValue };
  } catch (error) {
    if (error instanceof NotJsonError) throw unsupported("it is not plain JSON", error);
    throw error;
  }
}

function assertMessage(message: unknown, index: number): void {
  const flaw = findMessageFlaw(message);
  if (flaw !== undefined) throw unsupported(`message ${index}${flaw.pointer} is not ${flaw.expected}`);
  if ((message as LlmMessage).role === "system") throw unsupported(`message ${index} is a system message`);
}

function unsupported(why: string, cause?: unknown): AgentError {
  return new AgentError("store-failed", `Unsupported stored session state: ${why}`, {
    hint: "Use the session with the version of Playhead that stored it, or delete the session.",
    cause,
  });
}
