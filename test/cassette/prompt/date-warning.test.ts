import { afterAll, describe, expect, it } from "vitest";
import { createConversations } from "../../../src/cassette/record/conversations.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import type { RecordingOptions } from "../../../src/cassette/record/recorder.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { recordedCassette, verifyKept } from "../../support/oracle.js";
import { prompt } from "../../support/recording.js";
import { say } from "../../support/script.js";

afterAll(verifyKept);

const NOON = Date.UTC(2026, 10, 22, 12);

/** What a recording of `text` at noon of 22 November 2026 (UTC) warns of. */
async function warningsFor(text: string, options: RecordingOptions = {}): Promise<string[]> {
  const warnings: string[] = [];
  const ports = { now: () => NOON, warn: (message: string) => void warnings.push(message) };
  const recorder = recordingProvider(scriptedProvider([say("It is 2026-11-22."), say("yes")]), { ...options, ports });
  await recorder.turn(prompt(text));
  await recorder.turn(prompt(text, text));
  recorder.toCassette();
  recordedCassette(recorder);
  return warnings;
}

describe("a recording whose prompt holds the time of the recording", () => {
  it.each([
    ["2026-11-22", "isoDate"],
    ["2026-11-22T12:00:00.000Z", "isoDate"],
    ["Sun Nov 22 2026", "date"],
    ["November 22nd, 2026", "date"],
    ["22 Nov 2026", "date"],
    ["11/22/2026, 12:00 PM", "date"],
    ["22/11/2026", "date"],
    ["1795348800000", "unixTime"],
    ['{"at":1795348800}', "unixTime"],
    // In the zones that are a day ahead.
    ["2026-11-23", "isoDate"],
  ] as const)("warns once of %s, and %s takes it out", async (time, filter) => {
    const [warning, ...others] = await warningsFor(`Today: ${time}.`);
    expect(warning).toContain("a recorded prompt holds the time of the recording (");
    expect(warning).toContain(`Set hashFilter: ["${filter}"], or set the clock in the test.`);
    expect(others).toEqual([]);
    expect(await warningsFor(`Today: ${time}.`, { hashFilter: [filter] })).toEqual([]);
  });

  it.each(["2026-11-20", "22 Nov 2025", "call 1795348800000123", "at 1795000000000", "x2026-11-22", "no date"])(
    "does not warn of %s",
    async (text) => expect(await warningsFor(text)).toEqual([]),
  );

  it("advises a client that is recorded from outside in its own words, once for all conversations", () => {
    const warnings: string[] = [];
    const conversations = createConversations({ now: () => NOON, warn: (text) => void warnings.push(text) });
    for (const text of ["Today is 2026-11-22. Rain?", "Today is 2026-11-22. Snow?"]) {
      const request = { ...prompt(text), settings: {} };
      conversations.open(request, "openai:m").answer(say("no"));
    }
    expect(conversations.toCassettes()).toHaveLength(2);
    expect(warnings).toEqual([
      "playhead: a recorded prompt holds the time of the recording (2026-11-22), so a replay at another time will miss. " +
        "Record or serve with --filter isoDate, or give the client a fixed date for the recording and for every replay.",
    ]);
  });

  it("does not warn where a hashFilter takes it out, or no prompts are kept", async () => {
    expect(await warningsFor("on 2026-11-22", { hashFilter: ["isoDate"] })).toEqual([]);
    expect(await warningsFor("on 2026-11-22", { prompts: false })).toEqual([]);
  });
});
