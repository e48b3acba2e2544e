// A runtime on one environment value for tests: scripted answers, storage that can fail, and the entries that it holds.

import type { Config, Env } from "../../src/core/env/env.js";
import { createEnvRuntime, type EnvRuntime } from "../../src/core/env/runtime.js";
import type { EnvAgent } from "../../src/core/env/run/agent.js";
import type { EnvRuntimeOptions } from "../../src/core/env/options.js";
import type { Hook } from "../../src/core/env/hook.js";
import { toolHook } from "../../src/core/env/hooks/tools.js";
import type { ConversationEntry } from "../../src/core/env/storage/entry.js";
import { createInMemoryStorage } from "../../src/core/env/storage/memory-storage.js";
import type { ConversationStore, Storage } from "../../src/core/env/storage/storage.js";
import type { LlmProviderAdapter } from "../../src/core/model/provider.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { ScriptStep } from "../../src/core/providers/scripted.js";
import type { CustomTool } from "../../src/core/tools/tool.js";
import { quietPorts, watchedScript, type Asked } from "./script.js";

export interface EnvCase {
  steps?: readonly ScriptStep[];
  provider?: LlmProviderAdapter;
  env?: Env;
  tools?: readonly CustomTool[];
  hook?: Hook;
  storage?: Storage;
  agent?: Partial<EnvAgent>;
  agents?: readonly EnvAgent[];
  options?: Partial<EnvRuntimeOptions>;
}

export interface EnvPlay {
  runtime: EnvRuntime;
  storage: Storage;
  /** What the provider was asked, for a script. */
  asked: Asked[];
  warnings: string[];
  entries: (id?: string) => ConversationEntry[];
}

export const AGENT = "a";
/** The conversation of the agent with the owner. */
export const ID = "a:";

export function playEnv(play: EnvCase = {}): EnvPlay {
  const { steps = [], tools, hook, storage = createInMemoryStorage(), agent, agents, options } = play;
  const script = watchedScript(steps);
  const served = hook ?? (tools === undefined ? undefined : toolHook(tools));
  const env: Env = play.env ?? (served === undefined ? {} : { hook: () => served });
  const ports = quietPorts();
  const config: Config = { storage, provider: play.provider ?? script, env };
  const runtime = createEnvRuntime(config, {
    agents: agents ?? [{ name: AGENT, instructions: "Be brief.", ...agent }],
    ports,
    ...options,
  });
  const entries = (id = ID) => storage.conversations.read(id, 0, 1_000_000) as ConversationEntry[];
  return { runtime, storage, asked: script.asked, warnings: ports.warnings, entries };
}

/** Entries as `kind` or the role of their message. */
export function kindsOf(entries: readonly ConversationEntry[]): string[] {
  return entries.map((entry) => (entry.kind === "message" ? entry.message.role : entry.kind));
}

export function messagesOf(entries: readonly ConversationEntry[]): LlmMessage[] {
  return entries.flatMap((entry) => (entry.kind === "message" ? [entry.message] : []));
}

/** A storage whose calls are counted, and whose nth call (from 0) fails: before it, or after it was done. */
export function failingStorage(
  nth: number,
  {
    after = false,
    inner = createInMemoryStorage(),
    late = false,
  }: { after?: boolean; inner?: Storage; late?: boolean } = {},
): { storage: Storage; calls: () => number } {
  let calls = 0;
  const { conversations } = inner;
  const guard = <A extends unknown[], R>(work: (...args: A) => R): ((...args: A) => R) => {
    const call = (...args: A): R => {
      const number = calls++;
      if (number === nth && !after) throw new Error("the disk is gone");
      const result = work(...args);
      if (number === nth) throw new Error("the disk is gone, but the call was done");
      return result;
    };
    if (!late) return call;
    return (async (...args: A) => {
      await Promise.resolve();
      return call(...args);
    }) as unknown as (...args: A) => R;
  };
  const store: ConversationStore = {
    length: guard((id) => conversations.length(id)),
    read: guard((id, from, limit) => conversations.read(id, from, limit)),
    append: guard((id, at, entries) => conversations.append(id, at, entries)),
    list: guard((after_, limit) => conversations.list(after_, limit)),
    delete: guard((id) => conversations.delete(id)),
  };
  return { storage: { ...inner, conversations: store }, calls: () => calls };
}

/** True if each call has its result right behind its message, and no result is without a call, as vendors demand. */
export function isWhole(messages: readonly LlmMessage[]): boolean {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.delete(message.toolCallId)) return false;
      continue;
    }
    if (open.size > 0) return false;
    open = new Set(message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : []);
  }
  return open.size === 0;
}
