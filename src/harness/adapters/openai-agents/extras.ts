// What the Agents SDK says and our messages have no field for: one further field, `openaiAgents`, beside the ones we model. A
// request that holds any which a model must see has a setting of the same name, so that a provider of ours refuses it.

import { AgentError, type JsonObject, type LlmMessage, type LlmToolDefinition } from "../../../core/index.js";
import { fieldOf, withField, type Loose } from "../loose.js";

/** The name of the field, and of the setting. */
export const EXTRAS = "openaiAgents";

/** `value` with `extras`, where there are any. */
export function withExtras<T extends object>(value: T, extras: JsonObject): T {
  return withField(value, EXTRAS, extras);
}

/** The extras of a message, a part, a tool, the settings or a response; empty where there are none. */
export function extrasOf(value: object): Loose {
  return fieldOf(value, EXTRAS);
}

/** True where a provider that does not know extras would leave something out. How a text is wrapped is nothing of that kind. */
export function messageNeedsAgents(message: LlmMessage): boolean {
  const { output, ...rest } = extrasOf(message);
  if (Object.keys(rest).length > 0 || (typeof output === "object" && output !== null)) return true;
  if (message.role !== "user" || typeof message.content === "string") return false;
  return message.content.some((part) => Object.keys(extrasOf(part)).length > 0);
}

/** A handoff is offered as a function, and `strict` is a matter of the wire: the rest of a tool is not for every vendor. */
export function toolNeedsAgents(tool: LlmToolDefinition): boolean {
  const { handoff: _handoff, strict: _strict, ...rest } = extrasOf(tool);
  return Object.keys(rest).length > 0;
}

/** Refuses what no recording can hold, by its name. */
export function refuse(what: string, why: string): never {
  throw new AgentError("invalid-options", `the OpenAI Agents adapter cannot take ${what}: ${why}`, {
    hint: "See docs/openai-agents.md for what is kept and what is refused.",
  });
}
