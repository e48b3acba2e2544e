// The three stores of a runtime. A host implements them. Their contract is held by `storageConformance` of playhead/harness.

import type { RuntimeMemory } from "../../model/memory.js";
import type { Maybe } from "../../time/wait.js";
import type { ConversationEntry } from "./entry.js";

/** Everything that lasts: conversations, skills and memory. */
export interface Storage {
  readonly conversations: ConversationStore;
  readonly skills: SkillStore;
  readonly memory: RuntimeMemory;
  /** Closes all three. Only its creator calls this: a runtime does not own the storage that it receives. */
  close?(): Maybe<void>;
}

/** Names a conversation: its id, and the agent and sender from which the id is made. */
export interface ConversationRef {
  readonly id: string;
  readonly agent: string;
  readonly sender: string;
}

/**
 * The logs of conversations, by id.
 *
 * Contract: what is read equals what was appended. One append is kept whole or not at all, and is durable once it has returned. Of two
 * appends at the same length, one gets "conflict". Failures are `AgentError` `conversation-failed`. An entry of more than 8,388,608
 * characters of JSON, and entry 1,000,001, are refused so.
 */
export interface ConversationStore {
  /** The number of entries. 0 if there is no such conversation. */
  length(id: string): Maybe<number>;
  /** The entries from index `from` on, in order, at most `limit`. Past the end, an empty list. */
  read(id: string, from: number, limit: number): Maybe<readonly ConversationEntry[]>;
  /** Appends if the conversation has exactly `at` entries. Otherwise it changes nothing and returns "conflict". */
  append(id: string, at: number, entries: readonly ConversationEntry[]): Maybe<"appended" | "conflict">;
  /** Conversations whose id is greater than `after`, in the order of code units, at most `limit`. */
  list(after: string, limit: number): Maybe<readonly ConversationRef[]>;
  /** True if the conversation was there. */
  delete(id: string): Maybe<boolean>;
}

/** Instructions that an agent can load by name. `name` matches `^[a-z0-9-]{1,64}$`. */
export interface SkillSummary {
  readonly name: string;
  readonly description: string;
}

/** A skill with its text. */
export interface Skill extends SkillSummary {
  readonly body: string;
}

/** The skills of a storage. `list` is sorted by name. */
export interface SkillStore {
  list(): Maybe<readonly SkillSummary[]>;
  load(name: string): Maybe<Skill | undefined>;
}
