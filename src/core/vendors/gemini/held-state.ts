// Requests that continue content that only Google's server has.

import { toObject, toText } from "../../http/json-readers.js";
import type { HeldState } from "../../wire/held-state.js";

/** The cached content that a request begins with, if any. */
export function findCachedContent(json: unknown): HeldState | undefined {
  const body = toObject(json);
  const field = ["cachedContent", "cached_content"].find((name) => toText(body[name]) !== "");
  if (field === undefined) return undefined;
  return {
    field,
    message: `the request continues content that the vendor's server has cached (${field}): a recording of it would not hold that content`,
    hint: `Send the whole conversation in each request, without \`${field}\`.`,
    status: 404,
    code: "NOT_FOUND",
    isRecoverable: false,
  };
}
