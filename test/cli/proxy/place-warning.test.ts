import { describe, expect, it } from "vitest";
import { recordingProvider, type CassetteV2, type RecordingOptions } from "../../../src/cassette/index.js";
import { echoProvider } from "../../../src/core/index.js";
import { createPlaceWarning } from "../../../src/cli/proxy/place-warning.js";

async function recorded(texts: readonly string[], options: RecordingOptions = {}): Promise<CassetteV2> {
  const provider = recordingProvider(echoProvider(), options);
  for (const content of texts) await provider.turn({ messages: [{ role: "user", content }] });
  return provider.toCassette();
}

function warnings(cassettes: readonly CassetteV2[], cwd = "/srv/shop", env = { HOME: "/home/ann" }): string[] {
  const notes: string[] = [];
  const look = createPlaceWarning({ cwd, env }, (text) => void notes.push(text));
  for (const [conversation, cassette] of cassettes.entries()) look(conversation, cassette);
  return notes;
}

describe("the warning of a folder in a prompt", () => {
  it.each([
    ["the working folder", "cwd: /srv/shop", "/srv/shop"],
    ["a file below it", "/srv/shop/src/a.ts", "/srv/shop"],
    ["the home", "config in /home/ann/.agent", "/home/ann"],
  ])("names %s once, and the filter", async (_, text, place) => {
    const cassette = await recorded(["Hello", text, text]);
    expect(warnings([cassette, cassette])).toEqual([
      `a recorded prompt holds a folder of this machine (${place}), so a replay in another folder or for another user will miss. Record or serve with --filter path.`,
    ]);
  });

  it("reads what a conversation got since it was last written", async () => {
    const notes: string[] = [];
    const look = createPlaceWarning({ cwd: "/srv/shop", env: {} }, (text) => void notes.push(text));
    look(0, await recorded(["Hello"]));
    expect(notes).toEqual([]);
    look(0, await recorded(["Hello", "in /srv/shop"]));
    expect(notes).toHaveLength(1);
  });

  it("finds a folder of Windows", async () => {
    const [note] = warnings([await recorded(["in C:\\Users\\Ann (1)\\shop"])], "C:\\Users\\Ann (1)", { HOME: "" });
    expect(note).toContain("(C:\\Users\\Ann (1))");
  });

  it("is silent for another folder, and for a recording whose filters cover it", async () => {
    expect(warnings([await recorded(["/srv/shopping", "/srv", "/home/anna"])])).toEqual([]);
    expect(warnings([await recorded(["/srv/shop"], { hashFilter: ["path"] })])).toEqual([]);
    expect(warnings([await recorded(["/srv/shop"])], "/", { HOME: "" })).toEqual([]);
  });
});
