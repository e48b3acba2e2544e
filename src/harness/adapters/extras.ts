// Extras: one additional field for a framework's data that our shapes have no field for. Extras are hashed, stored and returned
// like every other field.

import { AgentError, type JsonObject, type LlmMessage } from "../../core/index.js";
import { fieldOf, withField, type Loose } from "./loose.js";

/**
 * The functions of one adapter. `key` names the field, and the setting that marks a request with extras: our own providers
 * refuse that setting instead of dropping extras silently.
 */
export function createExtras(key: string, adapter: string, page: string) {
  const extrasOf = (value: object): Loose => fieldOf(value, key);
  return {
    /** `value` with `extras`, if there are any. */
    withExtras: <T extends object>(value: T, extras: JsonObject): T => withField(value, key, extras),
    /** The extras of a message, part, call, tool, response or the settings. Empty without extras. */
    extrasOf,
    /** True if a provider that ignores extras would leave something out. How the text of a result is wrapped does not count. */
    hasExtras: (message: LlmMessage): boolean => {
      const { output, ...rest } = extrasOf(message);
      if (Object.keys(rest).length > 0 || (typeof output === "object" && output !== null)) return true;
      if (message.role !== "user" || typeof message.content === "string") return false;
      return message.content.some((part) => Object.keys(extrasOf(part)).length > 0);
    },
    /** Throws for a value that a recording cannot hold, and names it. */
    refuse: (what: string, why: string): never => {
      throw new AgentError("invalid-options", `the ${adapter} adapter cannot take ${what}: ${why}`, {
        hint: `${page} lists what is kept and what is refused.`,
      });
    },
  };
}

/** Why an adapter refuses a conversation that is held elsewhere. */
export const HELD = "it continues a conversation on the vendor's server; send the whole conversation without it";
