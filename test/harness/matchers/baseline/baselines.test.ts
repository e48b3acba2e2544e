import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatCassette, type CallOrder, type CassetteV2 } from "../../../../src/cassette/index.js";
import "../../../../src/entry/vitest.js";
import { createMatchers } from "../../../../src/harness/index.js";
import { rejection } from "../../../support/refusal.js";
import { ask, say } from "../../../support/script.js";
import { lookupRun, record } from "../../vitest/runs.js";

let root: string;
let [oslo, rome, lima]: CassetteV2[] = [];

async function write(path: string, cassette: CassetteV2 | undefined): Promise<string> {
  const file = join(root, path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, formatCassette(cassette as CassetteV2));
  return file;
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "playhead-baselines-"));
  [oslo, rome, lima] = await Promise.all(
    ["Oslo", "Rome", "Lima"].map(async (city) => (await lookupRun({ city }, `${city} is sunny`)).cassette),
  );
  await write("one/weather.0.cassette.json", oslo);
  await write("one/weather.1.cassette.json", rome);
  await write("two/weather.0.cassette.json", oslo);
  await write("two/hotel.0.cassette.json", lima);
  await mkdir(join(root, "empty"));
});
afterAll(() => rm(root, { recursive: true }));

describe("toHaveNoDriftFrom several baselines", () => {
  it("passes where the run is like one of them: a list, a folder, or both", async () => {
    const folder = join(root, "one");
    for (const run of [oslo, rome]) {
      await expect(run).toHaveNoDriftFrom([oslo, rome] as CassetteV2[]);
      await expect(run).toHaveNoDriftFrom(folder);
      await expect(run).toHaveNoDriftFrom(`${folder}/`);
      await expect(run).toHaveNoDriftFrom([folder, lima as CassetteV2]);
    }
    await expect(lima).not.toHaveNoDriftFrom(folder);
    await expect(lima).toHaveNoDriftFrom([folder, lima as CassetteV2]);
  });

  it("shows the nearest one where it is like none", async () => {
    const near = (await lookupRun({ city: "Rome" }, "Rome is wet")).cassette;
    const folder = join(root, "one");
    expect(await rejection(expect(near).toHaveNoDriftFrom(folder))).toMatchObject({
      message: expect.stringMatching(
        /^expected no difference from \S+weather\.1\.cassette\.json \(the nearest of 2 baselines\), but there is 1 difference:\n {2}- The assistant's text changed/,
      ),
    });
    expect(await rejection(expect(near).toHaveNoDriftFrom([oslo, rome] as CassetteV2[]))).toMatchObject({
      message: expect.stringContaining("expected no difference from baseline 1 (the nearest of 2 baselines)"),
    });
  });

  it("says under .not which one it is like", async () => {
    expect(await rejection(expect(rome).not.toHaveNoDriftFrom(join(root, "one")))).toMatchObject({
      message: expect.stringContaining(
        "weather.1.cassette.json (one of 2 baselines), but its calls and texts are the same.",
      ),
    });
  });

  it("asks for the scenario of a folder that has several", async () => {
    const folder = join(root, "two");
    await expect(oslo).toHaveNoDriftFrom(folder, { scenario: "weather" });
    await expect(oslo).not.toHaveNoDriftFrom(folder, { scenario: "hotel" });
    for (const assertion of [expect(oslo), expect(oslo).not]) {
      expect(await rejection(assertion.toHaveNoDriftFrom(folder))).toMatchObject({
        code: "matcher-misuse",
        message: expect.stringContaining("has 2 scenarios, hotel, weather. Choose one with the scenario option"),
      });
      expect(await rejection(assertion.toHaveNoDriftFrom(folder, { scenario: "flight" }))).toMatchObject({
        code: "matcher-misuse",
      });
      expect(await rejection(assertion.toHaveNoDriftFrom(oslo as CassetteV2, { scenario: "weather" }))).toMatchObject({
        code: "matcher-misuse",
      });
    }
  });

  it("rejects for a folder without cassettes, an empty list and a baseline that is not there, also under .not", async () => {
    for (const assertion of [expect(oslo), expect(oslo).not]) {
      expect(await rejection(assertion.toHaveNoDriftFrom(join(root, "empty")))).toMatchObject({
        code: "matcher-misuse",
      });
      expect(await rejection(assertion.toHaveNoDriftFrom([]))).toMatchObject({ code: "matcher-misuse" });
      const gone = join(root, "gone.cassette.json");
      expect(await rejection(assertion.toHaveNoDriftFrom([oslo as CassetteV2, gone]))).toMatchObject({
        code: "file-not-found",
      });
    }
  });

  it("knows no folders where nobody gave it files", async () => {
    const { toHaveNoDriftFrom } = createMatchers({ load: async () => oslo as CassetteV2 });
    const context = { equals: Object.is, utils: { iterableEquality: undefined } };
    expect(await toHaveNoDriftFrom.call(context, rome, "a folder")).toMatchObject({ pass: false });
  });
});

describe("toHaveNoDriftFrom with an order of calls", () => {
  const [lookup, save] = [{ name: "lookup" }, { name: "save" }];
  const turns = async (...names: { name: string }[]) =>
    (await record([...names.map((call) => ask([call])), say("done")])).cassette;

  it.each<[CallOrder, boolean, boolean]>([
    ["strict", false, false],
    ["exact", false, false],
    ["in_order", false, false],
    ["unordered", true, false],
    ["any_order", true, false],
    ["subset", true, true],
    ["superset", true, false],
  ])("%s: another order passes %s, a call less passes %s", async (order, other, less) => {
    const base = await turns(lookup, save);
    for (const [run, holds] of [
      [await turns(save, lookup), other],
      [await turns(save), less],
    ] as const) {
      if (holds) await expect(run).toHaveNoDriftFrom(base, { order });
      else await expect(run).not.toHaveNoDriftFrom(base, { order });
    }
  });

  it("lets calls change places that only read, and says so", async () => {
    const [base, run] = [await turns(lookup, save), await turns(save, lookup)];
    await expect(run).toHaveNoDriftFrom(base, { readOnly: ["lookup", "sa*"] });
    await expect(run).not.toHaveNoDriftFrom(base, { readOnly: ["lookup"] });
    expect(
      await rejection(expect(run).not.toHaveNoDriftFrom(base, { order: "subset", readOnly: ["lookup"] })),
    ).toMatchObject({
      message: expect.stringContaining("its calls and texts are the same, order subset, lookup read-only."),
    });
  });

  it("refuses an order it does not know and an empty name, also under .not", async () => {
    const base = await turns(lookup);
    for (const assertion of [expect(base), expect(base).not]) {
      expect(await rejection(assertion.toHaveNoDriftFrom(base, { order: "loose" as CallOrder }))).toMatchObject({
        code: "matcher-misuse",
        message: expect.stringContaining("its option order must be one of strict, exact, in_order"),
      });
      expect(await rejection(assertion.toHaveNoDriftFrom(base, { readOnly: [""] }))).toMatchObject({
        code: "invalid-options",
      });
    }
  });
});
