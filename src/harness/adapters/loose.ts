// Readers for values of other packages, whose shape only their documentation vouches for.

import {
  defined,
  toBase64,
  type AssistantMessage,
  type JsonObject,
  type JsonValue,
  type LlmToolCall,
  type Reasoning,
} from "../../core/index.js";

export type Loose = Readonly<Record<string, unknown>>;

export function toLoose(value: unknown): Loose {
  return typeof value === "object" && value !== null ? (value as Loose) : {};
}

/** A text that can be recorded; "" for a value of another type. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed() : "";
}

/** `value` as JSON: without undefined fields at any depth, URLs and dates as text, bytes as base64. */
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

/** The fields as JSON, without those that are undefined or null. */
export function optional<K extends string>(fields: Readonly<Record<K, unknown>>): Partial<Record<K, JsonValue>> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(kept.map(([key, value]) => [key, toJson(value)])) as Partial<Record<K, JsonValue>>;
}

/** `value` with `extras` under `key`, if there are any. */
export function withField<T extends object>(value: T, key: string, extras: JsonObject): T {
  return Object.keys(extras).length === 0 ? value : { ...value, [key]: extras };
}

/** The extras that `withField` put under `key`; empty without any. */
export function fieldOf(value: object, key: string): Loose {
  return toLoose((value as Loose)[key]);
}

/** A field of extras, if it is an object. */
export function objectIn(extras: Loose, key: string): JsonObject | undefined {
  const value = extras[key];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The fields unchanged, without those that are undefined. */
export function given<K extends string>(fields: Readonly<Record<K, unknown>>): Partial<Record<K, JsonValue>> {
  return defined(fields) as Partial<Record<K, JsonValue>>;
}

/** An assistant message, without the lists that are empty. */
export function assistantMessage(content: string, toolCalls: LlmToolCall[], reasoning: Reasoning[]): AssistantMessage {
  return {
    role: "assistant",
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reasoning.length === 0 ? {} : { reasoning }),
  };
}
