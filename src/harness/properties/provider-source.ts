// The inputs of checkProvider: a provider, or a function that makes a new one for each call, and the prompts.

import { providerName, type LlmProviderAdapter, type LlmTurnRequest } from "../../core/index.js";
import { checkedFactory, factoryHint } from "../contract/factory.js";
import {
  describeGiven,
  findMessagesFault,
  isClass,
  isObject,
  missingMethods,
  refuse,
} from "../contract/check-inputs.js";
import { settle } from "../contract/waiting.js";

/** A provider, or a function that makes a new one in the same state at each call. */
export type ProviderSource = LlmProviderAdapter | (() => LlmProviderAdapter | Promise<LlmProviderAdapter>);

/** A source of complete providers, new ones if a function makes them. */
export interface CheckedSource {
  readonly isMade: boolean;
  readonly name: string;
  get(): Promise<LlmProviderAdapter>;
}

const OWNER = "checkProvider";
const HINT = "Pass a provider, or a function that makes a new one at each call.";

/** Throws `AgentError` `invalid-options` unless the value is a provider or makes one. */
export async function checkSource(source: ProviderSource, timeoutMs: number): Promise<CheckedSource> {
  const missing = (subject: unknown) => missingMethods(subject, ["turn"]);
  if (typeof source !== "function") {
    if (missing(source).length > 0) refuse(OWNER, `${describeGiven(source)}, which is not a provider`, HINT);
    return { isMade: false, name: providerName(source), get: async () => source };
  }
  const make: () => LlmProviderAdapter | Promise<LlmProviderAdapter> = source;
  if (isClass(source)) refuse(OWNER, describeGiven(source), factoryHint(source, HINT));
  const blame = (fault: string, _actual: unknown, cause?: unknown): never =>
    refuse(OWNER, `a function that ${fault}`, HINT, cause);
  const get = checkedFactory({ kind: "provider", missing, made: new WeakSet(), blame }, timeoutMs, make);
  const first = await get();
  // Its end is judged with the calls.
  await settle(() => first.destroy?.(), timeoutMs);
  return { isMade: true, name: providerName(first), get };
}

export function assertPrompts(prompts: readonly LlmTurnRequest[] | undefined): void {
  if (prompts === undefined) return;
  const hint = "Give requests such as { messages: [{ role: 'user', content: 'Hello' }] }, or leave prompts out.";
  if (prompts.length === 0) refuse(OWNER, "no prompts", hint);
  for (const [index, prompt] of prompts.entries()) {
    const messages: unknown = isObject(prompt) ? prompt.messages : undefined;
    if (!Array.isArray(messages)) refuse(OWNER, `a prompt ${index} without a list of messages`, hint);
    const fault = findMessagesFault(messages);
    if (fault !== undefined) refuse(OWNER, `a prompt ${index} in which /messages${fault}`, hint);
  }
}
