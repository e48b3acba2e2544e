// The suite against both storages that ship, and against storages that are broken on purpose: each fails in the one case that speaks of
// its fault.

import { afterAll, describe, expect, it } from "vitest";
import { createInMemoryStorage } from "../../../../src/core/env/storage/memory-storage.js";
import type { ConversationEntry } from "../../../../src/core/env/storage/entry.js";
import type { ConversationStore, Storage } from "../../../../src/core/env/storage/storage.js";
import { AgentError } from "../../../../src/core/errors.js";
import { storageConformance } from "../../../../src/harness/conformance/storage/suite.js";
import { openFileStorage } from "../../../../src/host/env/file-storage.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());
let opened = 0;

const skills = [
  { name: "zip", description: "Packs files.", body: "Use zip." },
  { name: "add", description: "Adds numbers.", body: "Add." },
];

describe("CRB-11 the storage in this process", () => {
  for (const { name, run } of storageConformance(() => createInMemoryStorage({ skills }))) it(name, run);
});

describe("CRB-11 CRB-15 the storage in a folder", () => {
  for (const { name, run } of storageConformance(() => openFileStorage(folder.path(`storage-${opened++}`))))
    it(name, run);
});

type Broken = (right: ConversationStore) => Partial<ConversationStore>;
const entriesOf = (store: ConversationStore, id: string) => store.read(id, 0, 1e9) as readonly ConversationEntry[];

/** By the case that must fail. */
const BROKEN: Readonly<Record<string, Broken>> = {
  "has no entries of a conversation that was never begun": (right) => {
    const begun = new Set<string>();
    return {
      append: (id, at, entries) => (begun.add(id), right.append(id, at, entries)),
      read: (id, from, limit) =>
        begun.size === 0 ? [{ kind: "created", version: 1, agent: "", sender: "" }] : right.read(id, from, limit),
    };
  },
  "reads what was appended, every kind of entry": (right) => ({
    append: (id, at, entries) =>
      right.append(
        id,
        at,
        entries.map((entry) =>
          entry.kind === "message" && entry.sender !== undefined ? { kind: "message", message: entry.message } : entry,
        ),
      ),
  }),
  "reads pages from an index on, in order": (right) => ({
    read: (id, from, limit) => (limit === 5 ? right.read(id, from, 6) : right.read(id, from, limit)),
  }),
  "answers conflict unless the length is as expected, and then changes nothing": (right) => ({
    append: (id, at, entries) => {
      const length = right.length(id) as number;
      return right.append(id, at > length && length > 0 ? length : at, entries);
    },
  }),
  "lets one of many concurrent appends at a length win": (right) => ({
    append: async (id, at, entries) => {
      const length = right.length(id) as number;
      await Promise.resolve();
      return right.append(id, at === length ? (right.length(id) as number) : at, entries);
    },
  }),
  "keeps nothing of an append that is refused": (right) => ({
    append: (id, at, entries) => {
      if (right.length(id) !== at) return "conflict";
      if (entries.length !== 2 || at !== 1) return right.append(id, at, entries);
      void right.append(id, at, entries.slice(0, 1));
      return right.append(id, at + 1, entries.slice(1));
    },
  }),
  "refuses an entry that is too large, and keeps one that is just small enough": (right) => ({
    append: (id, at, entries) => {
      if (entries.some((entry) => JSON.stringify(entry).length === 8_388_608))
        throw new AgentError("conversation-failed", "too large");
      return right.append(id, at, entries);
    },
  }),
  "says so when a conversation is full": (right) => ({
    append: (id, at, entries) => (entries.length > 1_000_000 ? "appended" : right.append(id, at, entries)),
  }),
  "shares nothing with what was appended or read": (right) => {
    const shared = new Map<string, readonly ConversationEntry[]>();
    return {
      append: (id, at, entries) => {
        const end = right.append(id, at, entries);
        if (entries.length === 2 && end === "appended") shared.set(id, entries);
        return end;
      },
      read: (id, from, limit) => {
        const [, second] = shared.get(id) ?? [];
        const isShort = second?.kind === "message" && second.message.content === "after";
        return isShort ? (shared.get(id)?.slice(from, from + limit) ?? []) : right.read(id, from, limit);
      },
    };
  },
  "keeps conversations apart, whatever their ids are": (right) => {
    const plain = (id: string) => id.normalize("NFC");
    return {
      length: (id) => right.length(plain(id)),
      append: (id, at, entries) => right.append(plain(id), at, entries),
      read: (id, from, limit) => right.read(plain(id), from, limit),
    };
  },
  "lists by id in the order of code units, page by page, with agent and sender": (right) => ({
    list: (after, limit) =>
      (right.list(after, limit) as readonly { id: string }[]).map(({ id }) => ({ id, agent: "a", sender: "" })),
  }),
  "deletes a conversation whole, once, and it can begin again": (right) => ({
    delete: (id) => {
      const { length } = entriesOf(right, id);
      void right.delete(id);
      return length > 0 || id === "x";
    },
  }),
};

/** The missing false of `delete` shows in the case of a conversation that was never begun as well. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  "deletes a conversation whole, once, and it can begin again": [
    "has no entries of a conversation that was never begun",
  ],
};

async function failuresOf(make: () => Storage): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of storageConformance(make, { patienceMs: 2_000 })) {
    await run().catch((error: unknown) => {
      expect(error).toHaveProperty("expected");
      failed.push(name);
    });
  }
  return failed;
}

describe("a storage whose conversations are broken", () => {
  it.each(Object.entries(BROKEN))("is found by: %s", async (name, broken) => {
    const failed = await failuresOf(() => {
      const right = createInMemoryStorage({ skills });
      return { ...right, conversations: { ...right.conversations, ...broken(right.conversations) } };
    });
    expect(failed.filter((other) => !(ALSO[name] ?? []).includes(other))).toEqual([name]);
  });

  it("is tried in each case about conversations", () => {
    const names = storageConformance(() => createInMemoryStorage()).map(({ name }) => name);
    const untried = names.filter((name) => !name.startsWith("memory: ") && !/skill|three stores/.test(name));
    expect(untried.filter((name) => BROKEN[name] === undefined)).toEqual([]);
  });
});

it.each<[string, (right: Storage) => Partial<Storage>]>([
  [
    "has three stores with all their methods",
    ({ skills: own }) => ({ skills: { ...own, extra: 1 } as never, memory: undefined as never }),
  ],
  [
    "lists skills by name, and loads each that it lists",
    ({ skills: own }) => ({ skills: { ...own, list: async () => [...(await own.list())].reverse() } }),
  ],
  [
    "loads no skill that it does not list",
    ({ skills: own }) => ({
      skills: { ...own, load: async (name) => (name === ".." ? { name, description: "", body: "" } : own.load(name)) },
    }),
  ],
])("a storage that is broken elsewhere is found by: %s", async (name, broken) => {
  const failed = await failuresOf(() => {
    const right = createInMemoryStorage({ skills });
    return { ...right, ...broken(right) };
  });
  expect(failed.filter((other) => !other.startsWith("memory: "))).toEqual([name]);
});

it("a storage whose memory is broken is found by the cases of memory", async () => {
  const failed = await failuresOf(() => {
    const right = createInMemoryStorage();
    return { ...right, memory: { ...right.memory, keys: () => [] } };
  });
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.every((name) => name.startsWith("memory: "))).toBe(true);
});
