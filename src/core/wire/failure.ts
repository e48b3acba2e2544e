// A refusal in the shape a vendor's clients read an error from.

import { defined } from "../defined.js";
import type { JsonObject } from "../canon/value.js";
import { THREAD_NOT_FOUND } from "./held-state.js";

/** What went wrong, for a client of any wire. */
export interface WireFailure {
  status: number;
  /** One word for a program. */
  code: string;
  message: string;
  /** Carried along under the same name by every wire. */
  miss?: JsonObject;
}

/** OpenAI's clients show what lies within `error` and nothing beside it, so the miss lies there, too. */
export function failOpenAi({ status, code, message, miss }: WireFailure): JsonObject {
  const extra = defined({ miss });
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type, param: null, code, ...extra }, ...extra };
}

/**
 * The error object of the Messages API. By its code for a lost thread, clients send the whole conversation. They print the whole
 * body as JSON unless it has a `message` of its own, too.
 */
export function failAnthropic({ status, code, message, miss }: WireFailure): JsonObject {
  const type = TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  const details = code === THREAD_NOT_FOUND ? { details: { error_code: code } } : {};
  const error = { type, message, ...details };
  return { type: "error", error, message, ...defined({ miss }) };
}

const TYPES: Readonly<Record<number, string>> = {
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
};

/** Ollama's one text. */
export function failOllama({ message, miss }: WireFailure): JsonObject {
  return { error: message, ...defined({ miss }) };
}
