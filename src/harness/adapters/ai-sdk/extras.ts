// What the AI SDK says and our messages have no field for: one further field, `aiSdk`, beside the ones we model. It is hashed,
// stored and given back like everything else. A request that holds any has a setting of the same name, which `fromAiSdk` alone
// knows: a provider of ours refuses it and does not drop in silence what it cannot say.

import { AgentError, type JsonObject, type JsonValue, type LlmMessage } from "../../../core/index.js";
import { toLoose, type Loose } from "./spec.js";

/** The name of the field, and of the setting. */
export const EXTRAS = "aiSdk";

/** `value` with `extras`, where there are any. */
export function withExtras<T extends object>(value: T, extras: JsonObject): T {
  return Object.keys(extras).length === 0 ? value : { ...value, [EXTRAS]: extras };
}

/** The extras of a message, a part, a call, a tool, the settings or a response; empty where there are none. */
export function extrasOf(value: object): Loose {
  return toLoose((value as Loose)[EXTRAS]);
}

/** True where a provider that does not know extras would leave something out: all but how the text of a result is spelled. */
export function needsAiSdk(message: LlmMessage): boolean {
  const { output, ...rest } = extrasOf(message);
  if (Object.keys(rest).length > 0 || (typeof output === "object" && output !== null)) return true;
  if (message.role !== "user" || typeof message.content === "string") return false;
  return message.content.some((part) => Object.keys(extrasOf(part)).length > 0);
}

/** Refuses what neither side can hold, by its name. */
export function refusePart(what: string, why: string): never {
  throw new AgentError("invalid-options", `the AI SDK adapter cannot take ${what}: ${why}`, {
    hint: "See docs/ai-sdk.md for what is kept and what is refused.",
  });
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
