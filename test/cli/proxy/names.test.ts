import { describe, expect, it } from "vitest";
import { recordingProvider } from "../../../src/cassette/index.js";
import { echoProvider, type LlmMessage, type UserMessage } from "../../../src/core/index.js";
import { nameOfPrompt } from "../../../src/cli/proxy/names.js";

async function nameOf(...contents: UserMessage["content"][]): Promise<string | undefined> {
  const provider = recordingProvider(echoProvider());
  const messages: LlmMessage[] = contents.map((content) => ({ role: "user", content }));
  await provider.turn({ messages: [{ role: "system", content: "Be brief." }, ...messages] });
  return nameOfPrompt(provider.toCassette());
}

describe("nameOfPrompt", () => {
  it.each([
    ["the words of the user", ["Write a note"]],
    ["words next to a block", ["<system-reminder>\nToday is Monday.\n</system-reminder>\nWrite a note"]],
    ["words before a block", ["Write a note <b>now</b>"]],
    ["the last message", ["<environment_context>\n<cwd>/srv</cwd>\n</environment_context>", "Write a note"]],
    ["the last message with words of the user", ["Write a note", "<reminder>Be brief.</reminder>"]],
    ["a block that has no end", ["<p>Write a note", "<reminder>Be brief.</reminder>"], "p-write-a-note"],
  ])("takes %s", async (_, contents, name = "write-a-note") => expect(await nameOf(...contents)).toBe(name));

  it("takes the words between blocks of several parts", async () => {
    const texts = ["<a>one</a>", "Write", "<b-c>two</b-c>", "a note"];
    expect(await nameOf(texts.map((text) => ({ type: "text", text })))).toBe("write-a-note");
  });

  it("takes the words of a block if there are no others", async () => {
    expect(await nameOf("<task>Write a note</task>")).toBe("task-write-a-note-task");
  });

  it("finds no name without words", async () => expect(await nameOf("…", "?")).toBeUndefined());

  it("leaves the rest of a text with very many blocks as it is", async () => {
    expect(await nameOf(`${"<a></a>".repeat(100)}<b>one</b>`)).toBe("b-one-b");
    expect(await nameOf("<a>".repeat(300_000) + "x")).toMatch(/^a-a-a/);
  });
});
