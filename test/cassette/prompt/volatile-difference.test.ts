import { afterAll, describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import type { HashFilterOption } from "../../../src/cassette/prompt/hash-filters.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { verifyKept } from "../../support/oracle.js";
import { prompt, recordTurns, user } from "../../support/recording.js";
import { rejection } from "../../support/refusal.js";
import { say } from "../../support/script.js";

afterAll(verifyKept);

const quiet = { ports: { warn: () => undefined } };

async function missOf(before: string, now: string, hashFilter?: HashFilterOption): Promise<CassetteError> {
  const options = hashFilter === undefined ? {} : { hashFilter };
  const cassette = await recordTurns([prompt(before)], [say("yes")], { ...quiet, ...options });
  return (await rejection(cassetteProvider(cassette, options).turn(prompt(now)))) as CassetteError;
}

describe("a miss whose two prompts differ only in what changes with each run", () => {
  it.each([
    ["a date", '["isoDate"]', "Today is 2026-11-22.", "Today is 2026-11-23."],
    ["a date", '["date"]', "Today is Sun Nov 22 2026.", "Today is Mon Nov 23 2026."],
    ["a date", '["date"]', "It is November 22, 2026", "It is November 23, 2026"],
    ["a date", '["date"]', "22 Nov 2026 and 1 May 2020", "23 Nov 2026 and 2 May 2021"],
    [
      "a UUID and a date",
      '["uuid", "date"]',
      "run 550e8400-e29b-41d4-a716-446655440000 on Nov 22 2026",
      "run 650e8400-e29b-41d4-a716-446655440000 on Nov 23 2026",
    ],
    ["a path", '["path"]', "in /home/ann/run", "in /home/bob/run"],
    ["a session id", '["sessionId"]', "session=a1", "session=b2"],
    ["a time of day", '["time"]', "at 9:30 AM", "at 10:31 AM"],
    ["a time in seconds or milliseconds", '["unixTime"]', '{"at":1795305600}', '{"at":1795392000}'],
    ["a duration", '["duration"]', "ok in 1.23s", "ok in 0.9s"],
    ["a version", '["version"]', "Node.js v22.11.0", "Node.js v24.0.1"],
    [
      "a number",
      '["number-in:Original token count"]',
      "Exit code 0\nOriginal token count: 512\nOutput:",
      "Exit code 0\nOriginal token count: 498\nOutput:",
    ],
    ["a number", '["number-in:total tokens"]', '{\\"total tokens\\": 3}', '{\\"total tokens\\": 4}'],
    ["a number", '["number-in:count"]', `${"x".repeat(126)} one count: 3`, `${"x".repeat(126)} one count: 4`],
    [
      "a path and a number",
      '["path", "number-in:files"]',
      '{"cwd":"/home/ann/x","files": 3}',
      '{"cwd":"/srv/y","files": 12}',
    ],
  ])("names %s and hashFilter %s, which makes the replay find it", async (noun, list, before, now) => {
    const error = await missOf(before, now);
    expect(error.code).toBe("prompt-changed");
    expect(error.summary).toContain(`turn 0: the user message changed (message 0); the two differ only in ${noun}\n`);
    expect(error.hint).toContain(
      `ut hashFilter: ${list} into the options of the cassette. The recording stays as it is.`,
    );
    expect(error.miss?.filters).toEqual(JSON.parse(list));
    expect(error.hint?.includes("vi.setSystemTime")).toBe(/date|time/.test(noun));

    const hashFilter = JSON.parse(list) as HashFilterOption;
    const options = { ...quiet, hashFilter };
    const replay = cassetteProvider(await recordTurns([prompt(before)], [say("yes")], options), { hashFilter });
    await replay.turn(prompt(now));
    replay.assertConsumed();
    const later = cassetteProvider(await recordTurns([prompt(before)], [say("yes")], quiet), { hashFilter });
    await later.turn(prompt(now));
    later.assertConsumed();
  });

  it("adds the filter to those in use", async () => {
    const own = (messages: readonly unknown[]) => messages as never;
    const [before, now] = ["on 2026-11-22", "on 2026-11-23"];
    expect((await missOf(before, now, ["uuid", own])).hint).toContain('hashFilter: ["uuid", yourFilter, "isoDate"]');
    expect((await missOf(before, now, own)).hint).toContain('hashFilter: [yourFilter, "isoDate"]');
  });

  it("names the clock for a time in figures", async () => {
    const error = await missOf('{"at":1795305600123}', '{"at":1795392000456}');
    expect(error.summary).toContain("the two differ only in a time in seconds or milliseconds");
    expect(error.hint).toContain("vi.setSystemTime");
  });

  it("keeps a change that may be meant in sight where it is a number", async () => {
    const error = await missOf("20 degrees", "21.5 degrees");
    expect(error.summary).toContain("the two differ only in a number");
    expect(error.hint).toContain("If the change was not intended, undo it.");
  });

  it("names no filter for a field whose name is too long for one", async () => {
    const field = `"${"a".repeat(60)} ${"b".repeat(45)}": `;
    const error = await missOf(`${field}3`, `${field}4`);
    expect([error.code, error.summary]).toEqual([
      "prompt-changed",
      expect.stringContaining("the two differ only in a number"),
    ]);
  });

  it.each(["2xx: ", "3rd: ", "4xx=1, 5xx="])(
    "names no filter for a number after %j, which is not a field name",
    async (before) => {
      const error = await missOf(`${before}5`, `${before}6`);
      expect(error.summary).toContain("the two differ only in a number");
      expect(error.summary).not.toContain("a number and");
      expect(error.hint).not.toContain("hashFilter: [");
    },
  );

  it.each([
    ["another word", "on 2026-11-22, rain", "on 2026-11-23, sun"],
    ["a date on one side", "on 2026-11-22", "on Sunday"],
  ])("says nothing of it for %s", async (_what, before, now) => {
    const error = await missOf(before, now);
    expect(error.summary).not.toContain("differ only");
    expect(error.hint).toContain("If the change was not intended, undo it. Otherwise record it again");
  });

  it("says nothing of it where a message was added", async () => {
    const cassette = await recordTurns([prompt("2026-11-22")], [say("yes")], quiet);
    const error = (await rejection(
      cassetteProvider(cassette).turn({ messages: [user("2026-11-22"), user("2026-11-22")] }),
    )) as CassetteError;
    expect(error.summary).not.toContain("differ only");
  });
});
