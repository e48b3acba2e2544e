import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cassetteProvider, formatCassette, recordingProvider, type CassetteV2 } from "../../../src/cassette/index.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import "../../../src/entry/vitest.js";
import { createUseCassette } from "../../../src/harness/index.js";
import { nodeFiles } from "../../../src/host/index.js";
import { ask, say } from "../../support/script.js";
import { rejection } from "../../support/refusal.js";
import { lookupRun, record, replay, run } from "../vitest/runs.js";

let folder: string;
let pinned: CassetteV2;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "playhead-matchers-"));
  pinned = (await lookupRun()).cassette;
  file = join(folder, "pinned.cassette.json");
  await writeFile(file, formatCassette(pinned));
});
afterAll(() => rm(folder, { recursive: true }));

describe("toMatchCassette", () => {
  it("passes for a recorder, its cassette and a finished replay of the same behaviour", async () => {
    const { recorder, cassette } = await lookupRun();
    const { provider } = await replay(cassette);
    await expect(recorder).toMatchCassette(pinned);
    await expect(cassette).toMatchCassette(file);
    await expect(provider).toMatchCassette(file);
  });

  it("passes for a handle of useCassette, recording and replaying", async () => {
    const useCassette = createUseCassette({ files: nodeFiles(), environment: {} });
    const path = join(folder, "handle.cassette.json");
    for (const mode of ["record", "replay"] as const) {
      const handle = await useCassette(path, echoProvider, { mode });
      await run(handle.provider);
      await handle.done();
      await expect(handle).toMatchCassette(path);
    }
  });

  it("says what differs in sentences and gives both sides of it to the runner", async () => {
    const { recorder } = await lookupRun({ city: "Oslo" }, "rain");
    const error = await rejection(expect(recorder).toMatchCassette(file));
    expect(error).toMatchObject({
      message: [
        `expected no difference from ${file}, but there are 2 differences:`,
        '  - lookup was called with other arguments at turn 0: /city was "Paris" and is "Oslo".',
        `  - The assistant's text changed at turn 1: it was "sunny" and is "rain".`,
        `If this is not intended, undo the change. To see every difference, save the run and use \`npx playhead diff ${file} <new file>\`.`,
        `If this is intended, record ${file} again and review it. If this test records it: CASSETTE_MODE=refresh npx vitest run ` +
          "test/harness/matchers/match-cassette.test.ts --project shared -t " +
          "'^toMatchCassette( | > )says what differs in sentences and gives both sides of it to the runner$'",
      ].join("\n"),
      expected: [
        { turn: 0, tool: "lookup", at: { "/city": "Paris" } },
        { turn: 1, text: "sunny" },
      ],
      actual: [
        { turn: 0, tool: "lookup", at: { "/city": "Oslo" } },
        { turn: 1, text: "rain" },
      ],
    });
  });

  it("fails on a call more and on a call less, each on the side where it is", async () => {
    const call = { name: "save", arguments: { to: "disk" } };
    const side = { turn: 1, tool: "save", arguments: { to: "disk" } };
    const longer = (await record([ask([{ name: "lookup", arguments: { city: "Paris" } }]), ask([call]), say("sunny")]))
      .cassette;
    const more = await rejection(expect(longer).toMatchCassette(pinned));
    expect(more).toMatchObject({ expected: [{ turns: 2 }], actual: [side, { turns: 3 }] });
    expect(more).toMatchObject({ message: expect.stringContaining('save({"to":"disk"}) was added at turn 1.') });
    const less = await rejection(expect(pinned).toMatchCassette(longer));
    expect(less).toMatchObject({ expected: [side, { turns: 3 }], actual: [{ turns: 2 }] });
    expect(less).toMatchObject({
      message: expect.stringContaining("The run took 2 turns, and the pinned run took 3."),
    });
  });

  it("fails on a text more, a text less and a call that moved", async () => {
    const lookup = { name: "lookup", arguments: {} };
    const save = { name: "save", arguments: {} };
    const old = (await record([ask([lookup], { content: "first" }), ask([save]), say("end")])).cassette;
    const now = (await record([ask([save]), ask([lookup]), say("end")])).cassette;
    const back = await rejection(expect(now).toMatchCassette(old));
    expect(back).toMatchObject({ message: expect.stringMatching(/moved from turn \d to turn \d/) });
    expect(back).toMatchObject({ expected: expect.arrayContaining([{ turn: 0, text: "first" }]) });
    const forth = await rejection(expect(old).toMatchCassette(now));
    expect(forth).toMatchObject({ actual: expect.arrayContaining([{ turn: 0, text: "first" }]) });
  });

  it("fails on a turn more even where nothing was said or called in it", async () => {
    const short = (await record([say("")])).cassette;
    const silent = recordingProvider({ turn: async () => say("") });
    await silent.turn({ messages: [] });
    await silent.turn({ messages: [] });
    const error = await rejection(expect(silent).toMatchCassette(short));
    expect(error).toMatchObject({
      message: expect.stringContaining(
        "but there is 1 difference:\n  - The run took 2 turns, and the pinned run took 1.",
      ),
      expected: [{ turns: 1 }],
      actual: [{ turns: 2 }],
    });
  });

  it("names ten differences and counts the others", async () => {
    const many = (count: number, city: string) =>
      ask(Array.from({ length: count }, (_, index) => ({ name: `tool${index}`, arguments: { city } })));
    const old = (await record([many(12, "Paris"), say("end")])).cassette;
    const now = (await record([many(12, "Oslo"), say("end")])).cassette;
    const { message } = (await rejection(expect(now).toMatchCassette(old))) as Error;
    expect(message).toContain("there are 12 differences:");
    expect(message.match(/^ {2}- /gm)).toHaveLength(11);
    expect(message).toContain("\n  - and 2 more\n");
  });

  it("says under .not that nothing differs", async () => {
    const { recorder } = await lookupRun({ city: "Oslo" });
    await expect(recorder).not.toMatchCassette(file);
    expect(await rejection(expect(pinned).not.toMatchCassette(pinned))).toMatchObject({
      message:
        "expected a run that differs from the pinned cassette, but its calls, texts and number of turns are the same.\n" +
        "Remove .not, or check that the changed agent ran. `npx playhead diff <pinned file> <new file>` compares two files.",
    });
  });

  it.each([
    ["nothing", () => undefined, "was given undefined"],
    ["a path", () => file, "was given the text"],
    ["a run result", async () => (await lookupRun()).result, "was given an object with agentId"],
    ["a number", () => 3, "was given the number 3"],
    ["a list", () => [pinned], "was given a list of 1"],
    ["a function", () => () => pinned, "was given a function"],
  ])("refuses %s as the run, also under .not", async (_, make, words) => {
    const received = await make();
    for (const assertion of [expect(received), expect(received).not]) {
      expect(await rejection(assertion.toMatchCassette(pinned))).toMatchObject({
        code: "matcher-misuse",
        message: expect.stringContaining(`toMatchCassette: it needs a value with a cassette and ${words}`),
      });
    }
  });

  it.each([
    ["undefined", undefined, "was given undefined"],
    ["null", null, "was given null"],
    ["an empty object", {}, "was given an object without keys"],
    ["an empty path", "", "was given an empty path"],
    ["the text of a cassette", '{"version": 2}', "was given text instead of a path"],
  ])("refuses %s as the pinned cassette, also under .not", async (_, wrong, words) => {
    for (const assertion of [expect(pinned), expect(pinned).not]) {
      expect(await rejection(assertion.toMatchCassette(wrong as string))).toMatchObject({
        code: "matcher-misuse",
        message: expect.stringContaining(words),
      });
    }
  });

  it("refuses options it does not know or cannot use", async () => {
    const refused = async (options: unknown) => rejection(expect(pinned).toMatchCassette(pinned, options as object));
    expect(await refused({ strict: true })).toMatchObject({
      message: expect.stringContaining("it has no option strict"),
    });
    expect(await refused({ requireIntegrity: "yes" })).toMatchObject({
      message: expect.stringContaining("its option requireIntegrity must be a boolean"),
    });
    expect(await refused(null)).toMatchObject({ message: expect.stringContaining("its options must be an object") });
  });

  it("rejects for a pinned file that is missing or tampered with, also under .not", async () => {
    const missing = join(folder, "none.cassette.json");
    const tampered = join(folder, "tampered.cassette.json");
    await writeFile(tampered, formatCassette(pinned).replace("sunny", "windy"));
    for (const assertion of [expect(pinned), expect(pinned).not]) {
      expect(await rejection(assertion.toMatchCassette(missing))).toMatchObject({
        code: "file-not-found",
        file: missing,
        message: expect.stringContaining(`${missing} was refused (file-not-found): there is no cassette at`),
      });
      const { message } = (await rejection(assertion.toMatchCassette(missing))) as Error;
      expect(message.match(/to do/g)).toHaveLength(1);
      expect(await rejection(assertion.toMatchCassette(tampered))).toMatchObject({
        code: "response-hash",
        file: tampered,
        pointer: "/entries/1",
        message: expect.stringContaining(`${tampered} was refused (response-hash): turn 1`),
      });
    }
  });

  it("rejects for a run whose cassette was tampered with, also under .not", async () => {
    const tampered = { ...pinned, recordedProvider: "another" };
    for (const assertion of [expect(tampered), expect(tampered).not]) {
      expect(await rejection(assertion.toMatchCassette(pinned))).toMatchObject({ code: "envelope-hash" });
    }
  });

  it("takes version 1 only when integrity is not required", async () => {
    const { entries, recordedAt, recordedProvider } = pinned;
    const stripped = entries.map(({ turnIndex, promptHash, response }) => ({ turnIndex, promptHash, response }));
    const old = { version: 1 as const, recordedAt, recordedProvider, entries: stripped };
    expect(await rejection(expect(pinned).toMatchCassette(old))).toMatchObject({ code: "integrity-required" });
    await expect(pinned).toMatchCassette(old, { requireIntegrity: false });
  });

  it("refuses a replay that has turns left, since its cassette says more than the run did", async () => {
    const provider = cassetteProvider(pinned);
    for (const assertion of [expect(provider), expect(provider).not]) {
      expect(await rejection(assertion.toMatchCassette(pinned))).toMatchObject({
        code: "matcher-misuse",
        message: expect.stringContaining("the run did not replay 2 of 2 recorded turns"),
      });
    }
  });

  it("refuses to compare with nothing, also under .not", async () => {
    const empty = recordingProvider(echoProvider());
    for (const assertion of [expect(empty), expect(empty).not]) {
      expect(await rejection(assertion.toMatchCassette(pinned))).toMatchObject({
        message: expect.stringContaining("the run has no turns to compare"),
      });
      expect(await rejection(assertion.toMatchCassette(empty.toCassette()))).toMatchObject({
        message: expect.stringContaining("the pinned cassette has no turns"),
      });
    }
  });

  it("refuses a live handle, which has no cassette", async () => {
    const useCassette = createUseCassette({ files: nodeFiles(), environment: {} });
    const handle = await useCassette(file, echoProvider, { mode: "live" });
    expect(await rejection(expect(handle).not.toMatchCassette(pinned))).toMatchObject({
      message: expect.stringContaining("the handle is live, so there is no cassette"),
    });
  });
});
