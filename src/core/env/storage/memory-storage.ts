// Storage that lasts until the process ends, for tests and for programs that keep nothing.

import { seal } from "../../canon/copy.js";
import { AgentError, invalidOptions } from "../../errors.js";
import { MAX_CONVERSATION_ENTRIES, MAX_ENTRY_CHARACTERS } from "../../limits.js";
import { createInMemoryRuntimeMemory } from "../../memory/memory.js";
import { assertKnownOptions } from "../../options.js";
import { showValue } from "../../text/show.js";
import { findEntryFlaw, type ConversationEntry } from "./entry.js";
import type { ConversationRef, ConversationStore, Skill, SkillStore, Storage } from "./storage.js";

/** The initial contents of an in-memory storage. Conversations by id, with all their entries. */
export interface StorageSeed {
  readonly conversations?: Readonly<Record<string, readonly ConversationEntry[]>>;
  readonly skills?: readonly Skill[];
}

/**
 * Creates a storage of maps in this process. `seed` sets its initial contents. Throws `AgentError` `invalid-options` for an invalid seed.
 * See {@link ConversationStore} for the errors of its calls.
 */
export function createInMemoryStorage(seed: StorageSeed = {}): Storage {
  assertKnownOptions("createInMemoryStorage", seed, ["conversations", "skills"]);
  const logs = new Map<string, ConversationEntry[]>();
  for (const [id, entries] of Object.entries(seed.conversations ?? {})) logs.set(id, ownSeed(id, entries));
  return {
    conversations: createStore(logs),
    skills: createSkills(seed.skills ?? []),
    memory: createInMemoryRuntimeMemory(),
  };
}

function createStore(logs: Map<string, ConversationEntry[]>): ConversationStore {
  return {
    length: (id) => logs.get(id)?.length ?? 0,
    read: (id, from, limit) => logs.get(id)?.slice(from, from + limit) ?? [],
    append(id, at, entries) {
      const log = logs.get(id) ?? [];
      if (log.length !== at) return "conflict";
      if (at + entries.length > MAX_CONVERSATION_ENTRIES) throw tooMany(id);
      const own = entries.map((entry) => seal(entry));
      const large = own.findIndex(isTooLarge);
      if (large >= 0) throw tooLarge(id, at + large);
      log.push(...own);
      if (log.length > 0) logs.set(id, log);
      return "appended";
    },
    list: (after, limit) =>
      [...logs.keys()]
        .filter((id) => id > after)
        .sort()
        .slice(0, limit)
        .map((id) => toRef(id, logs.get(id)?.[0])),
    delete: (id) => logs.delete(id),
  };
}

function toRef(id: string, created: ConversationEntry | undefined): ConversationRef {
  if (created?.kind !== "created") return { id, agent: "", sender: "" };
  return { id, agent: created.agent, sender: created.sender };
}

/** The text is only written where the parts could reach the limit. */
function isTooLarge(entry: ConversationEntry): boolean {
  return couldBeLarge(entry) && JSON.stringify(entry).length > MAX_ENTRY_CHARACTERS;
}

/** An escape takes up to six characters for one. */
const LONGEST_ESCAPE = 6;

function couldBeLarge(entry: ConversationEntry): boolean {
  if (entry.kind !== "message") return true;
  const { message } = entry;
  const isPlain = message.role === "tool" || (message.role === "user" && typeof message.content === "string");
  return !isPlain || message.content.length * LONGEST_ESCAPE > MAX_ENTRY_CHARACTERS / 2;
}

function createSkills(skills: readonly Skill[]): SkillStore {
  for (const skill of skills) {
    const flaw = findSkillFlaw(skill);
    if (flaw !== undefined) throw invalidOptions(`a skill of createInMemoryStorage ${flaw}`, "Correct the skill.");
  }
  const byName = new Map(skills.map((skill) => [skill.name, Object.freeze({ ...skill })]));
  const summaries = [...byName.values()].map(({ name, description }) => Object.freeze({ name, description }));
  summaries.sort((one, other) => (one.name < other.name ? -1 : 1));
  return { list: () => summaries, load: (name) => byName.get(name) };
}

const SKILL_NAME = /^[a-z0-9-]{1,64}$/;

/** What is wrong with a skill, as the rest of a sentence, or undefined. */
export function findSkillFlaw({ name, description }: Skill): string | undefined {
  if (typeof name !== "string" || !SKILL_NAME.test(name))
    return `has the name ${showValue(name)}: use 1 to 64 of a-z, 0-9 and "-"`;
  return typeof description === "string" ? undefined : `named ${name} has no description`;
}

function ownSeed(id: string, entries: readonly ConversationEntry[]): ConversationEntry[] {
  return entries.map((entry, index) => {
    const flaw = findEntryFlaw(index, entry);
    if (flaw === undefined) return seal(entry);
    throw invalidOptions(
      `the seed of createInMemoryStorage: entry ${index} of ${JSON.stringify(id)}: ${flaw}`,
      "Correct the entry.",
    );
  });
}

function tooMany(id: string): AgentError {
  return new AgentError(
    "conversation-failed",
    `conversation ${JSON.stringify(id)} is full: it may have ${MAX_CONVERSATION_ENTRIES} entries`,
    {
      hint: "Begin another conversation with another sender.",
    },
  );
}

function tooLarge(id: string, index: number): AgentError {
  const what = `entry ${index} of conversation ${JSON.stringify(id)} has more than ${MAX_ENTRY_CHARACTERS} characters`;
  return new AgentError("conversation-failed", what, { hint: "Store large content elsewhere, and send a reference." });
}
