// Reading what a framework hands over, and refusing by name what a conversation of ours has no place for.

import { isPlainObject, showValue } from "../../../core/index.js";
import { HarnessError } from "../../errors.js";

/** The further field, and the setting, for what LangChain says and our shapes have no place for. A provider of ours refuses the setting. */
export const EXTRAS = "langchain";

export type Fields = Readonly<Record<string, unknown>>;

/** An object of any class as its fields. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** True for what says nothing: absent, empty. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return Array.isArray(value) ? value.length === 0 : isPlainObject(value) && Object.keys(value).length === 0;
}

/** What may be left out although a conversation cannot hold it: names of call options, fields and types of blocks. */
export type Ignored = readonly string[];

/** Throws `cannot-convert`. */
export function refuse(place: string, what: string, name?: string): never {
  const also =
    name === undefined ? "" : `; ignore: [${JSON.stringify(name)}] leaves it out, and a replay is made without it`;
  throw new HarnessError(
    "cannot-convert",
    `${place} ${what}, which no conversation here can hold`,
    `Take it out${also}`,
  );
}

/** A text, or a refusal that names the value. */
export function textAt(value: unknown, place: string): string {
  return typeof value === "string" ? value : refuse(place, `is ${showValue(value)} and no text`);
}
