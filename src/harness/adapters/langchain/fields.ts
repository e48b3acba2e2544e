// Readers for LangChain's objects, and the refusal of content that our conversations cannot hold.

import { isPlainObject, showValue } from "../../../core/index.js";
import { HarnessError } from "../../errors.js";

/** The field, and the setting, for LangChain's data that our shapes cannot hold. Our own providers refuse the setting. */
export const EXTRAS = "langchain";

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** True for an absent or empty value. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return Array.isArray(value) ? value.length === 0 : isPlainObject(value) && Object.keys(value).length === 0;
}

/** Names of call options, fields and block types that may be dropped instead of refused. */
export type Ignored = readonly string[];

export function refuse(place: string, what: string, name?: string): never {
  const also = name === undefined ? "" : `, or drop it with ignore: [${JSON.stringify(name)}]`;
  throw new HarnessError(
    "cannot-convert",
    `${place} ${what}, which a recorded conversation cannot hold`,
    `Take it out${also}`,
  );
}

export function textAt(value: unknown, place: string): string {
  return typeof value === "string" ? value : refuse(place, `must be a text, not ${showValue(value)}`);
}
