// The three stores of a runtime. A host implements them. `storageConformance` of playhead/harness checks their contract.

import type { RuntimeMemory } from "../../model/memory.js";
import type { Maybe } from "../../time/wait.js";
import type { ConversationEntry } from "./entry.js";

/** All persistent data: conversations, skills and memory. */
export interface Storage {
  readonly conversations: ConversationStore;
  readonly skills: SkillStore;
  readonly memory: RuntimeMemory;
  /** Closes all three. Only its creator calls this: a runtime does not own the storage that it receives. */
  close?(): Maybe<void>;
}

/** Identifies a conversation: its id, and the agent and sender that the id is made from. */
export interface ConversationRef {
  readonly id: string;
  readonly agent: string;
  readonly sender: string;
}

/**
 * The logs of conversations, by id.
 *
 * Contract: reads return exactly what was appended. An append is stored completely or not at all, and is durable once it has returned.
 * If two appends expect the same length, one returns "conflict". Failures are `AgentError` `conversation-failed`. An entry of more than
 * 8,388,608 characters of JSON fails in the same way, and so does entry 1,000,001.
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
