// Finds requests that continue state on the vendor's server. The model sees more than their messages, so two equal requests can mean
// different things. A door first puts in what it knows (held-conversations.ts). It refuses what is left.

import { invalidOptions } from "../errors.js";
import { toList, toObject } from "../http/json-readers.js";
import { isGiven } from "./fields.js";

/** The state that a request body continues, and how to answer it. */
export interface HeldState {
  /** The path of the field that names the state. */
  readonly field: string;
  readonly message: string;
  readonly hint: string;
  /** The vendor's own status and code for a state that it does not have. */
  readonly status: 400 | 404;
  readonly code: string;
  /** True where the vendor's client reacts by sending the whole conversation. */
  readonly isRecoverable: boolean;
  /** True for a part of an earlier answer that a recorded turn leaves out, so that a replay never gives its id. */
  readonly isLeftOut?: boolean;
}

/** The error code of Anthropic's API for a thread that the server does not have. */
export const THREAD_NOT_FOUND = "thread_not_found";

const WHOLE = "Send the whole conversation in each request";

/** The state that a body continues. Undefined for a body that holds its whole conversation. */
export function findHeldState(json: unknown): HeldState | undefined {
  const body = toObject(json);
  const { thread } = body;
  // A new thread comes with all of its messages.
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
  return { ...held(`messages[${index}].audio.id`, `${WHOLE}: send the model's words as text.`), isLeftOut: true };
}

/** Throws `invalid-options` for a body that continues state on the vendor's server, as `find` finds it. */
export function refuseHeldState(json: unknown, find = findHeldState): void {
  const state = find(json);
  if (state !== undefined) throw invalidOptions(state.message, state.hint);
}

/** `field` is the path of the field that names the state. */
export function held(field: string, hint: string): HeldState {
  const message = `the request continues a conversation on the vendor's server (${field}), and its beginning is not known here`;
  return { field, message, hint, status: 400, code: "held-state", isRecoverable: false };
}
