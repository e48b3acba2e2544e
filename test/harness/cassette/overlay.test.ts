import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { toLockEntry } from "../../../src/cassette/trust/lock.js";
import { createCassetteStore, formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { HarnessError } from "../../../src/harness/errors.js";
import { overlaidStore, readOverlay } from "../../../src/harness/cassette/overlay.js";
import { memoryFiles } from "../../support/memory-files.js";
import { weatherCassette } from "../../support/recording.js";

const original = await weatherCassette();
const other = await weatherCassette({}, { weather: "sun" });
const file = "a.cassette.json";

function overlaid(environment: { CASSETTE_OVERLAY?: string }) {
  const files = memoryFiles({ [file]: formatCassette(original), "b.json": formatCassette(other) });
  return { files, ...overlaidStore(createCassetteStore(files), files, environment) };
}

const CASSETTE_OVERLAY = JSON.stringify({ seen: "seen.jsonl", replace: { [resolve(file)]: "b.json" } });

describe("an overlay", () => {
  it("gives what stands for a cassette, past its lock and its limit, and notes what was loaded", async () => {
    const { files, load } = overlaid({ CASSETTE_OVERLAY });
    const lock = { lock: new Map([[file, toLockEntry(original)]]), path: file };
    expect(await load(file, { lock, maxBytes: 1, trust: { keys: [] }, requireSignature: true })).toEqual(other);
    expect(await load("b.json")).toEqual(other);
    const paths = [file, "b.json"].map((path) => `${JSON.stringify({ path: resolve(path) })}\n`);
    expect(files.texts.get("seen.jsonl")).toBe(paths.join(""));
  });

  it("holds every other cassette against what it is asked to", async () => {
    const { load } = overlaid({ CASSETTE_OVERLAY });
    const lock = { lock: new Map([[file, toLockEntry(original)]]), path: file };
    await expect(load("b.json", { lock })).rejects.toMatchObject({ code: "lock-mismatch" });
  });

  it("is absent by default, and then nothing is noted", async () => {
    const { files, load } = overlaid({});
    expect(await load(file)).toEqual(original);
    expect(files.texts.has("seen.jsonl")).toBe(false);
    expect(readOverlay({ CASSETTE_OVERLAY: "" })).toBeUndefined();
  });

  it.each([
    "{",
    "null",
    "{}",
    '{"seen":"","replace":{}}',
    '{"seen":"a","replace":{"b":1}}',
    '{"seen":"a","replace":[]}',
  ])("is refused if it is invalid: %s", async (text) => {
    const { load } = overlaid({ CASSETTE_OVERLAY: text });
    await expect(load(file)).rejects.toThrow(HarnessError);
    await expect(load(file)).rejects.toMatchObject({ code: "overlay-unclear" });
  });
});
