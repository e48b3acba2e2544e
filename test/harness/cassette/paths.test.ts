import { describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import { formatLock, toLockEntry } from "../../../src/cassette/trust/lock.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { pathInLock } from "../../../src/harness/cassette/paths.js";
import { createUseCassette } from "../../../src/harness/cassette/use-cassette.js";
import { testKey } from "../../support/keys.js";
import { memoryFiles } from "../../support/memory-files.js";
import { fixedPorts, runWeather, WEATHER_SCRIPT, weatherCassette } from "../../support/recording.js";
import { rejection } from "../../support/refusal.js";

const FILE = "cassettes/weather.cassette.json";
const good = await weatherCassette();
const anew = await weatherCassette({ ports: fixedPorts(9) });
const live = () => scriptedProvider(WEATHER_SCRIPT);

function harness(initial: Record<string, string>, environment = {}) {
  const files = memoryFiles(initial);
  return { files, useCassette: createUseCassette({ files, environment }) };
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(CassetteError);
  return (error as CassetteError).code;
}

describe("useCassette with a lock", () => {
  const lock = formatLock(new Map([[FILE, toLockEntry(good)]]));

  it("replays what the lock confirms", async () => {
    const { useCassette } = harness({ [FILE]: formatCassette(good), "cassettes.lock": lock });
    const handle = await useCassette(FILE, live, { lock: "cassettes.lock" });
    expect((await runWeather(handle.provider)).finalAnswer).toBe("Take an umbrella.");
    await handle.done();
  });

  it("refuses another recording, one that is not listed, and a lock that is not there", async () => {
    const { useCassette } = harness({
      [FILE]: formatCassette(anew),
      "cassettes.lock": lock,
      "cassettes/b.cassette.json": formatCassette(good),
    });
    const options = { lock: "cassettes.lock" };
    expect(await codeOf(useCassette(FILE, live, options))).toBe("lock-mismatch");
    expect(await codeOf(useCassette("cassettes/b.cassette.json", live, options))).toBe("lock-mismatch");
    expect(await codeOf(useCassette(FILE, live, { lock: "none.lock" }))).toBe("file-not-found");
    expect((await useCassette(FILE, live)).mode).toBe("replay");
  });

  it("refuses a lock in a folder that is not above the cassette", async () => {
    const { useCassette } = harness({ [FILE]: formatCassette(good), "other/cassettes.lock": lock });
    expect(await codeOf(useCassette(FILE, live, { lock: "other/cassettes.lock" }))).toBe("lock-mismatch");
  });

  it.each(["", 1, true])("refuses %j for a path", async (path) => {
    const { useCassette } = harness({ [FILE]: formatCassette(good) });
    expect(await codeOf(useCassette(FILE, live, { lock: path as string }))).toBe("invalid-options");
  });

  it("records what the lock does not know yet", async () => {
    const { useCassette, files } = harness({ "cassettes.lock": lock });
    const handle = await useCassette("cassettes/new.cassette.json", live, { mode: "record", lock: "cassettes.lock" });
    await runWeather(handle.provider);
    await handle.done();
    expect([files.texts.has("cassettes/new.cassette.json"), files.texts.get("cassettes.lock")]).toEqual([true, lock]);
  });
});

describe("useCassette that signs", () => {
  it("PLK-126 takes the key from the environment it was given", async () => {
    const key = testKey(1);
    const { useCassette, files } = harness({}, { CASSETTE_KEY: key.seed });
    const handle = await useCassette(FILE, live, { mode: "record", sign: "env:CASSETTE_KEY" });
    await runWeather(handle.provider);
    await handle.done();
    const written = parseCassette(files.texts.get(FILE) ?? "");
    expect(written.version === 2 && written.signature?.publicKey).toBe(key.publicKey);
  });

  it("signs what from-first-miss records again", async () => {
    const key = testKey(1);
    const { useCassette, files } = harness({ [FILE]: formatCassette(good) }, { CASSETTE_KEY: key.seed });
    const handle = await useCassette(FILE, live, { mode: "from-first-miss", sign: "env:CASSETTE_KEY" });
    await runWeather(handle.provider, { weather: "sun" });
    await handle.done();
    const written = parseCassette(files.texts.get(FILE) ?? "");
    expect(written.version === 2 && written.signature?.publicKey).toBe(key.publicKey);
  });

  it("refuses a key that is not there before the run", async () => {
    const { useCassette } = harness({});
    expect(await codeOf(useCassette(FILE, live, { mode: "record", sign: "env:NOPE" }))).toBe("invalid-options");
  });
});

describe("the path in a lock", () => {
  it("is the one from the lock's folder, whatever folder that is", () => {
    expect(pathInLock("/r/cassettes.lock", "/r/a/b.cassette.json")).toBe("a/b.cassette.json");
    expect(pathInLock("/r/x/cassettes.lock", "/r/a.cassette.json")).toBeUndefined();
    expect(pathInLock("cassettes.lock", "./a/../b.cassette.json")).toBe("b.cassette.json");
    expect(pathInLock("/r/cassettes.lock", "/r")).toBeUndefined();
  });
});
