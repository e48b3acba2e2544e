// The conversation store as a run uses it: with a time limit and one kind of error. Synchronous results stay synchronous, so that a run
// on a store in this process never waits.

import { AgentError } from "../../errors.js";
import { CONVERSATION_PAGE, STORAGE_TIMEOUT_MS } from "../../limits.js";
import type { Ports } from "../../ports.js";
import { quoteForeign } from "../../text/mask.js";
import { isThrown, thrownText } from "../../text/thrown.js";
import { isThenable, within, type Maybe } from "../../time/wait.js";
import { damaged, readEntry, type ConversationEntry } from "./entry.js";
import type { ConversationStore } from "./storage.js";

/** Every failure is `AgentError` `conversation-failed`. */
export interface StoreGate {
  length(id: string): Maybe<number>;
  /** All raw entries from `from` up to `to`. The caller checks them. */
  range(id: string, from: number, to: number): Promise<readonly unknown[]>;
  append(id: string, at: number, entries: readonly ConversationEntry[]): Maybe<"appended" | "conflict">;
  delete(id: string): Maybe<boolean>;
}

export function openGate(store: ConversationStore, ports: Pick<Ports, "timer">): StoreGate {
  const call = <T>(what: string, id: string, work: () => Maybe<T>, check: (value: T) => boolean): Maybe<T> => {
    const keep = (value: T): T => {
      if (check(value)) return value;
      throw failed(what, id, new Error("it returned an invalid value"));
    };
    const fail = (error: unknown): never => {
      throw failed(what, id, error);
    };
    let value: Maybe<T>;
    try {
      value = work();
    } catch (error) {
      return fail(error);
    }
    if (!isThenable(value)) return keep(value);
    return within(value, STORAGE_TIMEOUT_MS, ports).then(keep, fail);
  };
  return {
    length: (id) => call("measure", id, () => store.length(id), isCount),
    async range(id, from, to) {
      const entries: unknown[] = [];
      while (from + entries.length < to) {
        const at = from + entries.length;
        const limit = Math.min(CONVERSATION_PAGE, to - at);
        const page = await call<readonly unknown[]>("read", id, () => store.read(id, at, limit), Array.isArray);
        if (page.length === 0 || page.length > limit) throw damaged(id, at, "the store does not have it");
        entries.push(...page);
      }
      return entries;
    },
    append: (id, at, entries) =>
      call(
        "append to",
        id,
        () => store.append(id, at, entries),
        (end) => end === "appended" || end === "conflict",
      ),
    delete: (id) =>
      call(
        "delete",
        id,
        () => store.delete(id),
        (gone) => typeof gone === "boolean",
      ),
  };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function failed(what: string, id: string, error: unknown): AgentError {
  if (isThrown(error, AgentError) && error.code === "conversation-failed") return error;
  const message = `the storage could not ${what} conversation ${JSON.stringify(id)}: ${quoteForeign(thrownText(error))}`;
  const known = isThrown(error, AgentError) ? error : undefined;
  return new AgentError("conversation-failed", message, {
    hint: known?.hint ?? "See `cause`.",
    retryable: known?.retryable ?? false,
    cause: error,
  });
}

/** Another process, or a late call, has written to the conversation. */
export function conflict(id: string): AgentError {
  return new AgentError("conversation-failed", `another run wrote to conversation ${JSON.stringify(id)}`, {
    hint: "Send again. The next run starts from the stored conversation.",
    retryable: true,
  });
}

/** Checked and sealed entries. `from` is the index of the first. */
export function readEntries(id: string, from: number, given: readonly unknown[]): ConversationEntry[] {
  return given.map((entry, index) => readEntry(id, from + index, entry));
}
