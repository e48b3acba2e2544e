import { describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import type { HashFilterOption } from "../../../src/cassette/prompt/hash-filters.js";
import { resealCassette } from "../../../src/cassette/prompt/reseal.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { prompt, recordTurns } from "../../support/recording.js";
import { refusal, rejection } from "../../support/refusal.js";
import { say } from "../../support/script.js";

const BUILD = { name: "build", pattern: "build \\d+" } as const;
const quiet = { ports: { warn: () => undefined } };
const record = (text: string, options: object = {}) =>
  recordTurns([prompt(text)], [say("yes")], { ...quiet, ...options });

async function replays(cassette: unknown, text: string, hashFilter?: HashFilterOption): Promise<void> {
  const replay = cassetteProvider(cassette, hashFilter === undefined ? {} : { hashFilter });
  await replay.turn(prompt(text));
  replay.assertConsumed();
}

describe("the filters of a replay", () => {
  it("are those that the recording notes, without being told", async () => {
    const cassette = await record("on 2026-11-22, build 7", { hashFilter: ["isoDate", BUILD] });
    expect(cassette.extensions).toMatchObject({
      filtered: true,
      filters: ["isoDate", "build"],
      filterPatterns: [{ ...BUILD, replace: "<build>" }],
    });
    expect(cassette.entries[0]?.prompt?.messages).toEqual([{ role: "user", content: "on <date>, <build>" }]);
    await replays(cassette, "on 2027-01-01, build 8");
    await replays(cassette, "on 2027-01-01, build 8", ["isoDate", BUILD]);
  });

  it("keep two patterns of one name apart", async () => {
    const hashFilter = [BUILD, { name: "build", pattern: "release \\d+" }];
    const cassette = await record("build 7, release 7", { hashFilter });
    await replays(cassette, "build 8, release 8");
  });

  it("may be more than those: both sides pass them, and the cassette stays as it is", async () => {
    const cassette = await record("on 2026-11-22, build 7 in /home/ann/x", { hashFilter: ["isoDate"] });
    const before = JSON.stringify(cassette);
    await replays(cassette, "on 2027-01-01, build 8 in /srv/y", ["path", BUILD]);
    expect(JSON.stringify(cassette)).toBe(before);
    const error = await rejection(cassetteProvider(cassette, { hashFilter: [BUILD] }).turn(prompt("on x, build 8")));
    expect((error as CassetteError).code).toBe("prompt-changed");
  });

  it("name those in use with those that are needed", async () => {
    const cassette = await record("2026-11-22, /home/ann/x, v1.2.3", { hashFilter: ["isoDate"] });
    const replay = cassetteProvider(cassette, { hashFilter: ["path"] });
    const error = (await rejection(replay.turn(prompt("2026-11-23, /srv/y, v1.2.4")))) as CassetteError;
    expect(error.miss?.filters).toEqual(["isoDate", "path", "version"]);
    await replays(cassette, "2026-11-23, /srv/y, v1.2.4", ["isoDate", "path", "version"]);
  });

  it("cannot be added to a recording without prompts", async () => {
    const cassette = await record("2026-11-22", { prompts: false, hashFilter: ["isoDate"] });
    await replays(cassette, "2026-11-23");
    const error = refusal(() => cassetteProvider(cassette, { hashFilter: ["path"] })) as CassetteError;
    expect(error.code).toBe("filter-one-sided");
  });

  it.each([
    ["a name of a newer version", { filters: ["colour"] }],
    ["a pattern that is missing", { filters: ["build"], filterPatterns: [] }],
    ["a pattern that could hang", { filters: ["b"], filterPatterns: [{ name: "b", pattern: "(a)\\1" }] }],
    ["no names at all", { filters: [1] }],
  ])("are refused if the recording notes %s", async (_what, noted) => {
    const cassette = await record("q");
    const edited = resealCassette(
      { ...cassette, extensions: { ...cassette.extensions, filtered: true, ...noted } as never },
      cassette.entries,
    );
    const error = refusal(() => cassetteProvider(edited)) as CassetteError;
    expect(error.code).toBe("filter-one-sided");
    expect(error.summary).toContain("the filters that the cassette notes cannot be used");
    // Without strict, the next turn answers.
    await cassetteProvider(edited, { strict: false }).turn(prompt("r"));
  });

  it("are taken over by a recording that continues the first", async () => {
    const { resumeProvider } = await import("../../../src/cassette/record/fork.js");
    const { scriptedProvider } = await import("../../../src/core/providers/scripted.js");
    const cassette = await record("on 2026-11-22", { hashFilter: ["isoDate"] });
    const fork = resumeProvider(cassette, { live: scriptedProvider([say("more")]), ...quiet });
    await fork.turn(prompt("on 2026-11-23"));
    await fork.turn(prompt("and 2026-11-24"));
    const longer = fork.toCassette();
    expect(longer.extensions?.filters).toEqual(["isoDate"]);
    const replay = cassetteProvider(longer);
    await replay.turn(prompt("on 2030-01-01"));
    await replay.turn(prompt("and 2030-01-02"));
    replay.assertConsumed();
  });
});
