// The texts about tools that filters read: every `description` in a definition, and in the schema of its parameters. Names, types and
// allowed values stay, since a change of one of them is a change of the tool.

import { hashJson, type LlmMessage } from "../../core/index.js";
import type { Cassette, ContextExtension } from "../file/format.js";
import { findVolatileChange, type VolatileChange } from "./volatile-difference.js";

type Rewrite = (text: string) => string;

/** Rewrites the descriptions in a JSON value. Returns the value itself if none changed. */
export function mapDescriptions<T>(value: T, rewrite: Rewrite): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => mapDescriptions(item, rewrite));
    return items.every((item, index) => item === value[index]) ? value : (items as T);
  }
  const before = Object.entries<unknown>(value as Record<string, unknown>);
  const after = before.map(([key, item]): [string, unknown] => {
    return [key, key === "description" && typeof item === "string" ? rewrite(item) : mapDescriptions(item, rewrite)];
  });
  return after.every(([, item], index) => item === before[index]?.[1]) ? value : (Object.fromEntries(after) as T);
}

/** The recorded contexts with their descriptions rewritten. Hashes are those of the rewritten tools. */
export function mapContexts(contexts: readonly ContextExtension[], rewrite: Rewrite): ContextExtension[] {
  return contexts.map((context) => {
    const tools = context.tools && mapDescriptions(context.tools, rewrite);
    return tools === undefined || tools === context.tools ? context : { ...context, tools, toolsHash: hashJson(tools) };
  });
}

/** The change, if the tools differ only in such texts of their descriptions. `cassette` names the filters in use. */
export function findVolatileTools(cassette: Cassette, recorded: unknown, now: unknown): VolatileChange | undefined {
  const [before, after] = [takeDescriptions(recorded), takeDescriptions(now)];
  if (hashJson(before.rest) !== hashJson(after.rest)) return undefined;
  return findVolatileChange(cassette, before.messages, after.messages);
}

/** The descriptions as messages, which filters read, and the tools without them. */
function takeDescriptions(tools: unknown): { messages: LlmMessage[]; rest: unknown } {
  const messages: LlmMessage[] = [];
  const take = (content: string): string => {
    messages.push({ role: "user", content });
    return "";
  };
  return { rest: mapDescriptions(tools, take), messages };
}
