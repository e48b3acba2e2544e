// Refusals on a wire: those that our own servers send, and those that vendors are known to send.

import type { JsonObject } from "../canon/value.js";

/** An error for the client of any wire. */
export interface WireFailure {
  status: number;
  /** One word for a program. */
  code: string;
  message: string;
  /** Carried along under the same name by every wire. */
  miss?: JsonObject;
}

/** A refusal that vendors' servers send, by its meaning. */
export type HttpFaultName =
  /** Too many requests or tokens for now. */
  | "rate-limit"
  /** An account without credit: waiting does not help. */
  | "quota"
  | "server-error"
  | "overloaded"
  /** The conversation is too long for the model. */
  | "context-length"
  | "auth"
  | "not-found"
  /** A gateway in front of the vendor, with a page instead of JSON. */
  | "bad-gateway";

export interface HttpFault {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A refusal with a JSON body; `indent` as in JSON.stringify. */
export function jsonFault(
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
  indent?: number,
): HttpFault {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body, null, indent),
  };
}
