// The conversations of a runtime that are held in memory, and the current runs, at most one for each conversation.

import { AgentError } from "../../errors.js";
import type { Provider } from "../env.js";
import type { Conversation } from "./conversation.js";

/** A conversation with its provider, which is requested once for each load. */
export interface LiveConversation {
  readonly conversation: Conversation;
  readonly provider: Provider;
}

export interface Desk {
  get(id: string): LiveConversation | undefined;
  /** Holds a conversation. Beyond the limit, drops the idle ones that were unused for longest. */
  keep(id: string, live: LiveConversation): void;
  /** Drops a conversation, which is read again at its next use. */
  drop(id: string): void;
  isBusy(id: string): boolean;
  /** Runs `work` as the only run of the conversation. Throws `conversation-busy`. `ends` aborts it. */
  occupy<T>(id: string, ends: AbortController, work: () => Promise<T>): Promise<T>;
  /** Aborts the run of a conversation. True when there was one. */
  cancel(id: string, reason: unknown): boolean;
  /** Aborts all runs, and resolves when they have ended. */
  clear(reason: unknown): Promise<void>;
}

export function createDesk(maxConversations: number): Desk {
  const held = new Map<string, LiveConversation>();
  const runs = new Map<string, { readonly ends: AbortController; readonly over: Promise<void> }>();
  const trim = (): void => {
    for (const id of held.keys()) {
      if (held.size <= maxConversations) return;
      if (!runs.has(id)) held.delete(id);
    }
  };
  return {
    get: (id) => held.get(id),
    keep(id, live) {
      held.delete(id);
      held.set(id, live);
      trim();
    },
    drop: (id) => void held.delete(id),
    isBusy: (id) => runs.has(id),
    async occupy(id, ends, work) {
      if (runs.has(id)) throw busy(id);
      let end = (): void => undefined;
      runs.set(id, { ends, over: new Promise((resolve) => (end = resolve)) });
      try {
        return await work();
      } finally {
        runs.delete(id);
        trim();
        end();
      }
    },
    cancel(id, reason) {
      const run = runs.get(id);
      run?.ends.abort(reason);
      return run !== undefined;
    },
    async clear(reason) {
      const all = [...runs.values()];
      for (const { ends } of all) ends.abort(reason);
      await Promise.all(all.map(({ over }) => over));
      held.clear();
    },
  };
}

export function busy(id: string): AgentError {
  return new AgentError("conversation-busy", `a run is in progress in conversation ${JSON.stringify(id)}`, {
    hint: "Wait until it ends, or cancel it.",
    retryable: true,
  });
}
