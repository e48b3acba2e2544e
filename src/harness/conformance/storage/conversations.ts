// Cases about the logs of conversations: compare-and-set by length, all or nothing, in order, and unshared.

import {
  AgentError,
  MAX_CONVERSATION_ENTRIES,
  MAX_ENTRY_CHARACTERS,
  type ConversationEntry,
  type Storage,
} from "../../../core/index.js";
import { describeThrown } from "../../contract/thrown.js";
import { assertSame, fail, toClauses, type Clause } from "../../contract/clause.js";

const created: ConversationEntry = { kind: "created", version: 1, agent: "a", sender: "s" };
const said = (content: string): ConversationEntry => ({ kind: "message", message: { role: "user", content } });

export const conversationClauses: readonly Clause<Storage>[] = toClauses({
  "has no entries of a conversation that was never begun": {
    advice: "Return 0 from length, [] from read and false from delete, and create nothing on reads.",
    async check({ conversations }) {
      assertSame("length", await conversations.length("x"), 0);
      assertSame("read", await conversations.read("x", 0, 10), []);
      assertSame("delete", await conversations.delete("x"), false);
      assertSame("list", await conversations.list("", 10), []);
    },
  },
  "reads what was appended, every kind of entry": {
    advice: "Keep entries as JSON text, with every field as it is.",
    async check({ conversations }) {
      assertSame("append", await conversations.append("x", 0, KINDS), "appended");
      assertSame("read", await conversations.read("x", 0, 100), KINDS);
      assertSame("length", await conversations.length("x"), KINDS.length);
    },
  },
  "reads pages from an index on, in order": {
    advice: "Read by index: entries `from` up to `from + limit`, and an empty list past the end.",
    async check({ conversations }) {
      const all = [created, ...Array.from({ length: 24 }, (_, index) => said(`${index}`))];
      await conversations.append("x", 0, all);
      for (const [from, limit] of [
        [0, 1],
        [3, 5],
        [9, 12],
        [20, 100],
        [24, 1],
        [25, 5],
        [99, 1],
      ] as const) {
        const what = `read from ${from}, at most ${limit}`;
        assertSame(what, await conversations.read("x", from, limit), all.slice(from, from + limit));
      }
    },
  },
  "answers conflict unless the length is as expected, and then changes nothing": {
    advice: "Compare the length and append in one transaction.",
    async check({ conversations }) {
      await conversations.append("x", 0, [created, said("1")]);
      for (const at of [0, 1, 3])
        assertSame(`append at ${at}`, await conversations.append("x", at, [said("2")]), "conflict");
      assertSame("append at 1 to nothing", await conversations.append("y", 1, [said("2")]), "conflict");
      assertSame("read", await conversations.read("x", 0, 9), [created, said("1")]);
      assertSame("length of the other", await conversations.length("y"), 0);
      assertSame("append at 2", await conversations.append("x", 2, [said("2")]), "appended");
    },
  },
  "lets one of many concurrent appends at a length win": {
    advice: "Take a write lock before the length is read.",
    async check({ conversations }) {
      await conversations.append("x", 0, [created]);
      const ends = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => conversations.append("x", 1, [said(`${index}`), said("and")])),
      );
      assertSame("how many were appended", ends.filter((end) => end === "appended").length, 1);
      const winner = ends.indexOf("appended");
      assertSame("read", await conversations.read("x", 1, 99), [said(`${winner}`), said("and")]);
    },
  },
  "keeps nothing of an append that is refused": {
    advice: "Check all entries before the first one is written, or roll back.",
    async check({ conversations }) {
      await conversations.append("x", 0, [created]);
      const large = said("x".repeat(MAX_ENTRY_CHARACTERS));
      await assertRefused("append with an entry that is too large", async () =>
        conversations.append("x", 1, [said("1"), large]),
      );
      assertSame("read", await conversations.read("x", 0, 9), [created]);
      assertSame("append afterwards", await conversations.append("x", 1, [said("1")]), "appended");
    },
  },
  "refuses an entry that is too large, and keeps one that is just small enough": {
    advice: "Measure the entry as JSON text, in UTF-16 code units.",
    async check({ conversations }) {
      const rest = JSON.stringify(said("")).length;
      await conversations.append("x", 0, [created, said("x".repeat(MAX_ENTRY_CHARACTERS - rest))]);
      assertSame("length", await conversations.length("x"), 2);
      await assertRefused("append of one character more", async () =>
        conversations.append("x", 2, [said("x".repeat(MAX_ENTRY_CHARACTERS - rest + 1))]),
      );
    },
  },
  "says so when a conversation is full": {
    advice: `Refuse entry ${MAX_CONVERSATION_ENTRIES + 1} with conversation-failed.`,
    async check({ conversations }) {
      const many = Array.from({ length: MAX_CONVERSATION_ENTRIES + 1 }, () => created);
      await assertRefused("append of too many entries", async () => conversations.append("x", 0, many));
      assertSame("length", await conversations.length("x"), 0);
    },
  },
  "shares nothing with what was appended or read": {
    advice: "Keep a copy, such as the JSON text, and return a copy or a frozen object.",
    async check({ conversations }) {
      const message = { role: "user" as const, content: "before" };
      await conversations.append("x", 0, [created, { kind: "message", message }]);
      message.content = "after";
      const [, read] = await conversations.read("x", 0, 2);
      assertSame("read", read, said("before"));
      if (read?.kind === "message" && !Object.isFrozen(read.message)) read.message.content = "changed";
      assertSame("read again", (await conversations.read("x", 1, 1))[0], said("before"));
    },
  },
  "keeps conversations apart, whatever their ids are": {
    advice: "Compare ids by all their code units.",
    async check({ conversations }) {
      const ids = ["a", "A", "a ", "a:", "é", "e\u0301", "\u{1f600}", "\uffff", "__proto__", "%", "a\0b", "'"];
      for (const id of ids) await conversations.append(id, 0, [{ ...created, agent: id }]);
      for (const id of ids)
        assertSame(`read of ${id}`, await conversations.read(id, 0, 9), [{ ...created, agent: id }]);
      const listed = (await conversations.list("", 99)).map(({ id }) => id);
      assertSame("the listed ids", listed, [...ids].sort());
    },
  },
  "lists by id in the order of code units, page by page, with agent and sender": {
    advice: "Sort ids with sort(), without a compare function, and take agent and sender from the first entry.",
    async check({ conversations }) {
      const ids = ["10", "9", "B", "a", "b", "\uffee", "\u{1f600}"].sort();
      for (const id of [...ids].reverse()) await conversations.append(id, 0, [created]);
      const seen: unknown[] = [];
      for (let after = ""; ;) {
        const page = await conversations.list(after, 2);
        if (page.length > 2) fail("list with a limit of 2", page.length, 2);
        seen.push(...page);
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.id;
      }
      assertSame(
        "the list",
        seen,
        ids.map((id) => ({ id, agent: "a", sender: "s" })),
      );
    },
  },
  "deletes a conversation whole, once, and it can begin again": {
    advice: "Delete all entries of the id, and those alone.",
    async check({ conversations }) {
      for (const id of ["x", "xy"]) await conversations.append(id, 0, [created, said("1")]);
      assertSame("delete", await conversations.delete("x"), true);
      assertSame("delete again", await conversations.delete("x"), false);
      assertSame("length", await conversations.length("x"), 0);
      assertSame("read", await conversations.read("x", 0, 9), []);
      assertSame("length of the other", await conversations.length("xy"), 2);
      assertSame(
        "list",
        (await conversations.list("", 9)).map(({ id }) => id),
        ["xy"],
      );
      assertSame("append", await conversations.append("x", 0, [created]), "appended");
    },
  },
});

const KINDS: readonly ConversationEntry[] = [
  created,
  said("plain, \0 \u2028 é e\u0301 \u{1f600}"),
  {
    kind: "message",
    sender: "ann",
    message: {
      role: "user",
      content: [
        { type: "text", text: "see" },
        { type: "image", url: "https://example.com/a.png" },
      ],
    },
  },
  {
    kind: "message",
    message: {
      role: "assistant",
      content: "",
      reasoning: [{ type: "text", text: "hm", signature: "s" }],
      toolCalls: [
        { id: "1", name: "t", arguments: JSON.parse('{"__proto__":{"a":1},"n":0.1,"list":[null,true,{}]}') as never },
        { id: "2", name: "t", arguments: {}, malformedArguments: "{" },
      ],
    },
  },
  { kind: "message", message: { role: "tool", toolCallId: "1", name: "t", content: "r" } },
  { kind: "message", message: { role: "tool", toolCallId: "2", name: "t", content: "bad", isError: true } },
  { kind: "archive", name: "archive-1", from: 1, to: 3, summary: "all" },
];

async function assertRefused(what: string, work: () => Promise<unknown>): Promise<void> {
  let value: unknown;
  try {
    value = await work();
  } catch (error) {
    if (error instanceof AgentError && error.code === "conversation-failed") return;
    fail(what, describeThrown(error), "AgentError conversation-failed");
  }
  fail(what, value, "AgentError conversation-failed");
}
