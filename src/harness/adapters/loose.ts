// Reading values of other packages, of whose shape only their documentation vouches, and the one further field beside ours in
// which an adapter keeps what our shapes have no place for.

import { toBase64, type JsonObject, type JsonValue } from "../../core/index.js";

/** Anything as an object whose fields can be asked for. */
export type Loose = Readonly<Record<string, unknown>>;

/** The object itself, or an empty one. */
export function toLoose(value: unknown): Loose {
  return typeof value === "object" && value !== null ? (value as Loose) : {};
}

/** A text that can be recorded; "" for what is none. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed() : "";
}

/** `value` without the fields that are undefined, at any depth, with links as text and bytes as base64: the rest is meant to be JSON. */
export function toJson(value: unknown): JsonValue {
  if (value instanceof URL) return value.href;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return toBase64(value);
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : toJson(item)));
  if (typeof value !== "object" || value === null) return value as JsonValue;
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) return value as unknown as JsonValue;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]): [string, JsonValue][] =>
      item === undefined ? [] : [[key, toJson(item)]],
    ),
  );
}

/** `{ [key]: value }`, or nothing where there is nothing to say. */
export function optional<K extends string>(key: K, value: unknown): Partial<Record<K, JsonValue>> {
  if (value === undefined || value === null) return {};
  return { [key]: toJson(value) } as Record<K, JsonValue>;
}

/** `value` with `extras` under `key`, where there are any. */
export function withField<T extends object>(value: T, key: string, extras: JsonObject): T {
  return Object.keys(extras).length === 0 ? value : { ...value, [key]: extras };
}

/** What `withField` put there; empty where there is nothing. */
export function fieldOf(value: object, key: string): Loose {
  return toLoose((value as Loose)[key]);
}

/** A field of extras that is an object. */
export function objectIn(extras: Loose, key: string): JsonObject | undefined {
  const value = extras[key];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** A field of extras as the SDK wants it; nothing where it is absent. */
export function given<K extends string>(key: K, value: unknown): Partial<Record<K, JsonValue>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, JsonValue>);
}
