// Whose calls are checked: one provider, or a function that makes a new one for each call; and what it is asked.

import { findMessageFlaw, providerName, type LlmProviderAdapter, type LlmTurnRequest } from "../../core/index.js";
import { describeGiven, isClass, isObject, missingMethods, refuse } from "../contract/given.js";
import { describeThrown } from "../contract/thrown.js";
import { settle } from "./within.js";

/** A provider, or a function that makes a new one in the same state at each call. */
export type ProviderSource = LlmProviderAdapter | (() => LlmProviderAdapter | Promise<LlmProviderAdapter>);

/** A source that was looked at: what it gives is a provider, and new wherever it is made. */
export interface CheckedSource {
  readonly isMade: boolean;
  readonly name: string;
  get(): Promise<LlmProviderAdapter>;
}

const OWNER = "checkProvider";
const HINT = "Pass a provider, or a function that makes a new one at each call.";

/** Throws `AgentError` `invalid-options` for what is neither a provider nor makes one. */
export async function checkSource(source: ProviderSource, timeoutMs: number): Promise<CheckedSource> {
  if (typeof source !== "function") {
    if (missingMethods(source, ["turn"]).length > 0)
      refuse(OWNER, `${describeGiven(source)}, which is no provider`, HINT);
    return { isMade: false, name: providerName(source), get: async () => source };
  }
  if (isClass(source)) refuse(OWNER, describeGiven(source), `Pass () => new ${source.name}().`);
  const made = new WeakSet<object>();
  const get = async (): Promise<LlmProviderAdapter> => {
    const end = await settle(source, timeoutMs);
    if (end.kind === "late") refuse(OWNER, `a function that gave nothing within ${timeoutMs} ms`, HINT);
    if (end.kind === "thrown") refuse(OWNER, `a function that threw ${describeThrown(end.error)}`, HINT, end.error);
    const provider = end.value as LlmProviderAdapter;
    if (missingMethods(provider, ["turn"]).length > 0) {
      refuse(OWNER, `a function that gives ${describeGiven(provider)}, which is no provider`, HINT);
    }
    if (made.has(provider)) {
      const hint = "Let it make a new one at each call, or pass the provider itself.";
      refuse(OWNER, "a function that gives the same provider twice", hint);
    }
    made.add(provider);
    return provider;
  };
  const first = await get();
  // How it ends is judged with the calls.
  await settle(() => first.destroy?.(), timeoutMs);
  return { isMade: true, name: providerName(first), get };
}

/** Throws `AgentError` `invalid-options` for what nobody can be asked. */
export function assertPrompts(prompts: readonly LlmTurnRequest[] | undefined): void {
  if (prompts === undefined) return;
  const hint = "Give requests such as { messages: [{ role: 'user', content: 'Hello' }] }, or leave prompts out.";
  if (prompts.length === 0) refuse(OWNER, "no prompts", hint);
  for (const [index, prompt] of prompts.entries()) {
    const messages: unknown = isObject(prompt) ? prompt.messages : undefined;
    if (!Array.isArray(messages)) refuse(OWNER, `a prompt ${index} without a list of messages`, hint);
    for (const [place, message] of (messages as unknown[]).entries()) {
      const flaw = findMessageFlaw(message);
      if (flaw === undefined) continue;
      refuse(OWNER, `a prompt ${index} in which /messages/${place}${flaw.pointer} is not ${flaw.expected}`, hint);
    }
  }
}
