import { describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import {
  readHashFilter,
  type HashFilterName,
  type HashFilterOption,
} from "../../../src/cassette/prompt/hash-filters.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { prompt, recordTurns, user } from "../../support/recording.js";
import { refusal } from "../../support/refusal.js";
import { say } from "../../support/script.js";

const rewrite = (option: HashFilterOption, text: string) => readHashFilter(option).filter?.([user(text)]);

describe("ready-made hash filters", () => {
  it.each<[HashFilterName, string, string]>([
    ["uuid", "id 550e8400-e29b-41d4-a716-446655440000.", "id <uuid>."],
    ["isoDate", "at 2026-11-20T12:00:00.000Z and 2026-11-20", "at <date> and <date>"],
    [
      "date",
      "Sun Nov 22 2026; November 22, 2026, 22 Nov 2026 or Sunday, the 22nd of November 2026",
      "<date>; <date>, <date> or Sunday, the <date>",
    ],
    ["date", "The current month is May 2026, after Sept. 2025.", "The current month is <date>, after <date>."],
    ["date", String(new Date(Date.UTC(2026, 10, 22))), "<date>"],
    ["date", new Date(Date.UTC(2026, 10, 22)).toUTCString(), "<date>"],
    ["date", new Date(Date.UTC(2026, 10, 22)).toLocaleString("en-US"), "<date>"],
    [
      "date",
      new Date(Date.UTC(2026, 10, 22)).toLocaleString("en-US", { dateStyle: "full", timeStyle: "short" }),
      "<date>",
    ],
    ["date", "in 2026, Mar 1 to 2, 2026-11-22, 1/2, Sunday 9:30", "in 2026, Mar 1 to 2, 2026-11-22, 1/2, Sunday 9:30"],
    [
      "path",
      "in /home/ann/notes.txt or C:\\Users\\ann\\x, not and/or, https://a/b",
      "in <path> or <path>, not and/or, https://a/b",
    ],
    ["isoDate", '{"out":"a\\n2026-11-22"}', '{"out":"a\\n<date>"}'],
    [
      "date",
      "today is Sunday, November 22. -rw-r--r-- 1 a a 9 Nov  2 09:30 file",
      "today is <date>. -rw-r--r-- 1 a a 9 <date> file",
    ],
    ["date", "Sun Nov 22 09:30:15 UTC 2026, Date:   Sun Nov 22 09:30:15 2026 +0100", "<date>, Date:   <date>"],
    ["time", "at 09:30:15.123Z, 9:30 pm, 3 hours ago, a.ts:10:25", "at <time>, <time>, <time>, a.ts:10:25"],
    ["unixTime", '{"at":1795251000123,"id":4006381333931}', '{"at":<time>,"id":4006381333931}'],
    [
      "duration",
      "Duration  1.23s (setup 12ms), 1m20s, 10 files",
      "Duration  <duration> (setup <duration>), <duration>, 10 files",
    ],
    ["duration", "commit 925517d756591b9b066d, took 5d 3h", "commit 925517d756591b9b066d, took <duration>"],
    [
      "version",
      "Python 3.12, Linux 6.8.0-49-generic, (build 22631), pkg@1.2.3 at 127.0.0.1, go 5",
      "Python <version>, Linux <version>, (build <version>), pkg@<version> at 127.0.0.1, go 5",
    ],
    [
      "number-in:ms",
      '"ms": 12, {\\"ms\\":3}, ms=-4.5e3, ms  7, rms=1',
      '"ms": <number>, {\\"ms\\":<number>}, ms=<number>, ms  <number>, rms=1',
    ],
    [
      "path",
      '{"cwd":"C:\\\\Users\\\\Ann Lee\\\\shop\\nPASS /home/józef/x\\nFAIL"} file:///Users/ann/x ~/a PATH=/usr/bin:/opt/x/bin /tmp. /help',
      '{"cwd":"<path>\\nPASS <path>\\nFAIL"} <path> <path> PATH=<path>:<path> <path>. /help',
    ],
    [
      "path",
      "<cwd>/home/ann/shop</cwd> <path>/home/ann/a.ts</path> <root>/tmp</root> <b>a</b>/c <date>/a/b",
      "<cwd><path></cwd> <path><path></path> <root><path></root> <b>a</b>/c <date>/a/b",
    ],
    ["sessionId", "session=af-1 sessionId: x2", "session=<id> sessionId: <id>"],
  ])("PLK-130 PLK-136 %s rewrites its own, once and for all", (name, text, expected) => {
    expect(rewrite([name], text)).toEqual([user(expected)]);
    expect(rewrite([name], expected)).toEqual([user(expected)]);
  });

  it("PLK-130 PLK-131 are named in the recording, and another list is refused by its names", async () => {
    const custom = (messages: readonly unknown[]) => messages as never;
    const cassette = await recordTurns([prompt("2026-11-20")], [say("x")], { hashFilter: ["isoDate", custom] });
    expect(cassette.extensions).toMatchObject({ filtered: true, filters: ["isoDate", "custom"] });
    const replay = cassetteProvider(cassette, { hashFilter: ["isoDate", custom] });
    await replay.turn(prompt("2027-01-01"));
    replay.assertConsumed();
    for (const hashFilter of [undefined, ["isoDate"] as const, custom]) {
      const error = refusal(() => cassetteProvider(cassette, hashFilter === undefined ? {} : { hashFilter }));
      expect((error as CassetteError).code).toBe("filter-one-sided");
      expect((error as CassetteError).summary).toContain("(isoDate, custom)");
    }
  });

  it.each([["uid"], [], "uuid"])("refuses %j", (option) => {
    expect(() => readHashFilter(option as never)).toThrow(CassetteError);
  });
});
