// Requests that continue a conversation which only the vendor's server holds. Their messages are a part of what the model sees,
// so two such requests can be equal word for word and mean different things: neither a recording nor a replay can take one.

import { invalidOptions } from "../errors.js";
import { toList, toObject } from "../http/json-readers.js";

/** A request body that continues state on the vendor's server, and how to answer it. */
export interface HeldState {
  /** The field that names the state, as a path in the body. */
  readonly field: string;
  readonly message: string;
  readonly hint: string;
  /** The status and code with which the vendor says that it does not have this state. */
  readonly status: 400 | 404;
  readonly code: string;
  /** True where the vendor's own client reacts to this answer by sending the whole conversation. */
  readonly isRecoverable: boolean;
}

/** The error code of Anthropic's API for a thread that the server does not have. */
export const THREAD_NOT_FOUND = "thread_not_found";

const WHOLE = "Send the whole conversation in each request";

/** The state that a body continues, or undefined for a body that holds its whole conversation. */
export function findHeldState(json: unknown): HeldState | undefined {
  const body = toObject(json);
  const { thread } = body;
  // A thread that is only created comes with all of its messages.
  if (isGiven(thread) && toObject(thread)["type"] !== "create") {
    const hint = `${WHOLE}: pass \`thread: false\` to toolRunner of @anthropic-ai/sdk, or call messages.create without \`thread\`.`;
    return { ...held("thread", hint), status: 404, code: THREAD_NOT_FOUND, isRecoverable: true };
  }
  for (const field of ["previous_response_id", "conversation"]) {
    if (isGiven(body[field])) return held(field, `${WHOLE}, without \`${field}\`.`);
  }
  const { container } = body;
  if (isGiven(container) && (typeof container === "string" || isGiven(toObject(container)["id"]))) {
    return held("container", `${WHOLE}, and do not name a container of an earlier request.`);
  }
  const index = toList(body["messages"]).findIndex((message) => isGiven(toObject(toObject(message)["audio"])["id"]));
  if (index < 0) return undefined;
  return held(`messages[${index}].audio.id`, `${WHOLE}: give what the model said as text.`);
}

/** Throws `invalid-options` for a body that continues state on the vendor's server. */
export function refuseHeldState(json: unknown): void {
  const state = findHeldState(json);
  if (state !== undefined) throw invalidOptions(state.message, state.hint);
}

function held(field: string, hint: string): HeldState {
  const message = `the request continues a conversation on the vendor's server (${field}): a recording of it would not hold that conversation`;
  return { field, message, hint, status: 400, code: "held-state", isRecoverable: false };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
