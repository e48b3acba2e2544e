import { describe, expect, it } from "vitest";
import { findFolders, moveFolders } from "../../../src/cassette/serve/folders.js";
import { createShelf } from "../../../src/cassette/serve/shelf.js";
import { VENDORS, type LlmMessage, type LlmTurnResponse } from "../../../src/core/index.js";
import { recordTurns, user } from "../../support/recording.js";
import { say } from "../../support/script.js";

const found = (was: string, is: string) => [...findFolders([user(was)], [user(is)])];

const writing = (path: string, said = ""): LlmTurnResponse => ({
  message: {
    role: "assistant",
    content: said,
    toolCalls: [{ id: "c1", name: "write", arguments: { path, content: "x" } }],
  },
  stopReason: "toolUse",
});

describe("the folders that differ between two prompts", () => {
  it.each<[string, string, string, [string, string][]]>([
    ["one folder", "cwd: /home/ann/shop", "cwd: /srv/b", [["/home/ann/shop", "/srv/b"]]],
    ["the folder of a file", "see /home/ann/shop/src/a.ts.", "see /srv/b/src/a.ts.", [["/home/ann/shop", "/srv/b"]]],
    [
      "several folders",
      "/home/ann/a /tmp/x1/y",
      "/home/bob/a /tmp/x2/y",
      [
        ["/home/ann", "/home/bob"],
        ["/tmp/x1", "/tmp/x2"],
      ],
    ],
    [
      "a project of the same name, apart from the home",
      "cwd /home/ann/shop, see /home/ann/.agent/x",
      "cwd /home/ci/work/shop/shop, see /home/ci/.agent/x",
      [
        ["/home/ann/shop", "/home/ci/work/shop/shop"],
        ["/home/ann/.agent", "/home/ci/.agent"],
      ],
    ],
    [
      "a home by its own path, not by what is in it",
      "/home/ann/shop/a.ts /home/ann/shop/b.ts ~ is /home/ann",
      "/srv/shop/a.ts /srv/shop/b.ts ~ is /root",
      [
        ["/home/ann/shop", "/srv/shop"],
        ["/home/ann", "/root"],
      ],
    ],
    [
      "no folder above one at another depth",
      "cwd /home/ann/shop",
      "cwd /home/ci/work/shop",
      [["/home/ann/shop", "/home/ci/work/shop"]],
    ],
    ["the folder above one at the same depth", "cwd /home/ann/shop", "cwd /home/ci/shop", [["/home/ann", "/home/ci"]]],
    [
      "no folder of a file that stayed",
      "/home/ann/shop /home/ann/notes.md",
      "/srv/shop /home/ann/notes.md",
      [["/home/ann/shop", "/srv/shop"]],
    ],
    ["no folder that is the same", "in /usr/lib", "in /usr/lib", []],
    ["folders of Windows", "in C:\\Users\\Ann\\shop", "in D:\\work\\b", [["C:\\Users\\Ann\\shop", "D:\\work\\b"]]],
    ["no folder that would be two", "/a/b and /a/b", "/c/d and /e/f", []],
    ["nothing where a path is missing", "/a/b and /c/d", "/e/f", []],
  ])("are %s", (_, was, is, expected) => expect(found(was, is)).toEqual(expected));
});

describe("an answer in another folder", () => {
  const folders = new Map([
    ["/home/ann", "/home/bob"],
    ["/home/ann/shop", "/srv/b"],
    ["/home/ann/.a-b/(x)+", "/home/bob/.c"],
  ]);
  const move = (text: string): string => moveFolders(say(text), folders, new Set()).message.content;

  it.each([
    ["/home/ann/shop/a.ts", "/srv/b/a.ts"],
    ["`/home/ann/shop`, /home/ann.", "`/srv/b`, /home/bob."],
    ["/home/ann/.a-b/(x)+/y", "/home/bob/.c/y"],
    ["cd /home/ann/shopping", "cd /home/bob/shopping"],
    ["/home/ann/shop-2 /home/anna /x/home/ann /home/ann.d", "/home/bob/shop-2 /home/anna /x/home/ann /home/ann.d"],
  ])("names %s as %s", (was, is) => expect(move(was)).toBe(is));

  it("has its calls and its final answer there, and its thoughts as they were", () => {
    const before: LlmTurnResponse = {
      ...writing("/home/ann/shop/a.ts", "Writing /home/ann/shop/a.ts"),
      finalAnswer: "/home/ann/shop",
    };
    const reasoning = [{ type: "text" as const, text: "in /home/ann/shop", signature: "s" }];
    const thinking = { ...before, message: { ...before.message, reasoning } };
    const after = moveFolders(thinking, folders, new Set());
    expect(after).toEqual({
      ...writing("/srv/b/a.ts", "Writing /srv/b/a.ts"),
      finalAnswer: "/srv/b",
      message: { ...writing("/srv/b/a.ts", "Writing /srv/b/a.ts").message, reasoning },
    });
  });

  it("is the answer itself if it names none of them", () => {
    const answer = say("Done.");
    expect(moveFolders(answer, folders, new Set())).toBe(answer);
  });
});

describe("a shelf with the filter path", async () => {
  const wire = VENDORS.anthropic;
  const conversation = (folder: string): LlmMessage[] => [
    user(`Work in ${folder}.`),
    writing(`${folder}/note.txt`).message,
    { role: "tool", toolCallId: "c1", name: "write", content: `created ${folder}/note.txt` },
  ];
  const cassette = await recordTurns(
    [{ messages: conversation("/home/ann/shop").slice(0, 1) }, { messages: conversation("/home/ann/shop") }],
    [writing("/home/ann/shop/note.txt"), say("Wrote /home/ann/shop/note.txt.")],
  );
  const replay = async (folder: string) => {
    const warnings: string[] = [];
    const warn = (text: string) => void warnings.push(text);
    const shelf = createShelf([{ file: "a", cassette, names: [] }], { hashFilter: ["path"], warn });
    const ask = async (messages: LlmMessage[]) => {
      const { request } = wire.parse(wire.encode({ messages }, "m-1", 100));
      return shelf.answer(wire, request);
    };
    const answers = [await ask(conversation(folder).slice(0, 1)), await ask(conversation(folder))];
    return { answers: answers.map(({ response }) => response), plans: answers.map(({ planOf }) => planOf()), warnings };
  };

  it("answers a whole run with the folders of the client, and says so once", async () => {
    const { answers, warnings } = await replay("/srv/b");
    expect(answers).toMatchObject([writing("/srv/b/note.txt"), say("Wrote /srv/b/note.txt.")]);
    expect(warnings).toEqual(["a: answers name /srv/b in place of the recorded /home/ann/shop"]);
  });

  it("answers as recorded in the recorded folder", async () => {
    const { answers, warnings } = await replay("/home/ann/shop");
    expect([answers[1]?.finalAnswer, warnings]).toEqual(["Wrote /home/ann/shop/note.txt.", []]);
  });
});
