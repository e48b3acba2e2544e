// What the AI SDK says and our messages have no field for: one further field, `aiSdk`, beside the ones we model. It is hashed,
// stored and given back like everything else. A request that holds any has a setting of the same name, which `fromAiSdk` alone
// knows: a provider of ours refuses it and does not drop in silence what it cannot say.

import { AgentError, type JsonObject, type LlmMessage } from "../../../core/index.js";
import { fieldOf, withField, type Loose } from "../loose.js";

/** The name of the field, and of the setting. */
export const EXTRAS = "aiSdk";

/** `value` with `extras`, where there are any. */
export function withExtras<T extends object>(value: T, extras: JsonObject): T {
  return withField(value, EXTRAS, extras);
}

/** The extras of a message, a part, a call, a tool, the settings or a response; empty where there are none. */
export function extrasOf(value: object): Loose {
  return fieldOf(value, EXTRAS);
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
