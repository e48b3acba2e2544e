import { afterAll, describe, expect, it, vi } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { HarnessError } from "../../../src/harness/errors.js";
import type { ModeEnvironment } from "../../../src/harness/cassette/mode.js";
import type { RunEnd } from "../../../src/harness/cassette/run-end.js";
import { createUseCassette } from "../../../src/harness/cassette/use-cassette.js";
import { memoryFiles } from "../../support/memory-files.js";
import { verifyKept } from "../../support/oracle.js";
import { runWeather, WEATHER_SCRIPT, weatherCassette } from "../../support/recording.js";
import { rejection } from "../../support/refusal.js";

afterAll(verifyKept);

const FILE = "cassettes/weather.cassette.json";
const good = formatCassette(await weatherCassette());

/** A harness over files in memory, and a live provider that counts how often it was made and asked. */
function harness(
  initial: Record<string, string> = {},
  environment: ModeEnvironment & { CASSETTE_LEDGER?: string } = {},
) {
  const files = memoryFiles(initial);
  const spent = { made: 0, asked: 0 };
  const live = (): LlmProviderAdapter => {
    spent.made++;
    const script = scriptedProvider(WEATHER_SCRIPT);
    return {
      name: "live",
      turn(request) {
        spent.asked++;
        return script.turn(request);
      },
    };
  };
  return { files, spent, live, useCassette: createUseCassette({ files, environment }) };
}

async function refused(promise: Promise<unknown>): Promise<CassetteError> {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(CassetteError);
  return error as CassetteError;
}

describe("mode replay", () => {
  it("PLK-104 answers from the file and does not even make the live provider", async () => {
    const { useCassette, live, spent, files } = harness({ [FILE]: good });
    const handle = await useCassette(FILE, live);
    expect([handle.mode, handle.file, handle.provider.name]).toEqual(["replay", FILE, "cassette:scripted"]);
    expect((await runWeather(handle.provider)).finalAnswer).toBe("Take an umbrella.");
    await handle.done();
    expect(spent).toEqual({ made: 0, asked: 0 });
    expect([...files.texts]).toEqual([[FILE, good]]);
  });

  it("fails in done where turns are left over, and names the file", async () => {
    const { useCassette, live } = harness({ [FILE]: good });
    const error = await refused((await useCassette(FILE, live)).done());
    expect([error.code, error.file]).toEqual(["unconsumed", FILE]);
  });

  it("fails in done on a miss that the run caught, even where every turn was used in the end", async () => {
    const { useCassette, live } = harness({ [FILE]: good });
    const handle = await useCassette(FILE, live);
    const stray = { messages: [{ role: "user", content: "Another question." }] } as const;
    await rejection(handle.provider.turn(stray));
    await runWeather(handle.provider);
    const error = await refused(handle.done());
    expect([error.code, error.file, error.miss?.turn]).toEqual(["prompt-changed", FILE, 0]);
    expect(error.message).toContain("the run caught a miss and went on");
    expect(error.message).toContain("Another question.");
  });

  it("needs the key of a signature before it continues a recording", async () => {
    const { useCassette, live, spent } = harness({ [FILE]: good });
    const error = await refused(useCassette(FILE, live, { mode: "from-first-miss", sign: "env:NO_KEY" }));
    expect([error.message.includes("NO_KEY"), spent.made]).toEqual([true, 0]);
  });

  it("forgets a miss at reset", async () => {
    const provider = cassetteProvider(parseCassette(good));
    await rejection(provider.turn({ messages: [{ role: "user", content: "Another question." }] }));
    await rejection(provider.turn({ messages: [{ role: "user", content: "And another." }] }));
    expect(() => provider.assertAnswered()).toThrow("the run caught 2 misses and went on");
    provider.reset();
    provider.assertAnswered();
  });

  it("names the file in a miss", async () => {
    const { useCassette, live } = harness({ [FILE]: good });
    const { provider } = await useCassette(FILE, live);
    const error = await refused(runWeather(provider, { weather: "sun" }));
    expect([error.code, error.file]).toEqual(["prompt-changed", FILE]);
  });

  it("does not record what is missing", async () => {
    const { useCassette, live, spent, files } = harness();
    expect((await refused(useCassette(FILE, live))).code).toBe("file-not-found");
    expect([spent.made, files.texts.size]).toEqual([0, 0]);
  });

  it("PLK-122 PLK-123 refuses version 1 unless told otherwise", async () => {
    const { entries, recordedAt, recordedProvider } = parseCassette(good);
    const bare = entries.map(({ turnIndex, promptHash, response }) => ({ turnIndex, promptHash, response }));
    const old = JSON.stringify({ version: 1, recordedAt, recordedProvider, entries: bare });
    const { useCassette, live } = harness({ [FILE]: old });
    expect((await refused(useCassette(FILE, live))).code).toBe("integrity-required");
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const handle = await useCassette(FILE, live, { requireIntegrity: false });
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
    await runWeather(handle.provider);
    await handle.done();
  });
});

describe("mode record", () => {
  it("PLK-102 records what the live provider said, and done writes the file", async () => {
    const { useCassette, live, spent, files } = harness();
    const handle = await useCassette(FILE, live, { mode: "record", agentId: "researcher" });
    expect([handle.mode, handle.provider.name]).toEqual(["record", "live"]);
    await runWeather(handle.provider);
    expect(files.texts.size).toBe(0);
    await handle.done();
    expect(spent).toEqual({ made: 1, asked: 2 });
    const written = parseCassette(files.texts.get(FILE) ?? "", { requireIntegrity: true });
    expect([written.agentId, written.recordedProvider, written.entries.length]).toEqual(["researcher", "live", 2]);
  });

  it("writes what mode replay then replays", async () => {
    const { useCassette, live, spent } = harness();
    for (const mode of ["record", "replay"] as const) {
      const handle = await useCassette(FILE, live, { mode });
      await runWeather(handle.provider);
      await handle.done();
    }
    expect(spent).toEqual({ made: 1, asked: 2 });
  });

  it.each([
    ["a provider", (live: () => LlmProviderAdapter) => live()],
    ["a function that makes one", (live: () => LlmProviderAdapter) => live],
    ["a function that makes one later", (live: () => LlmProviderAdapter) => async () => live()],
  ])("takes %s", async (_, given) => {
    const { useCassette, live, files } = harness();
    const handle = await useCassette(FILE, given(live), { mode: "record" });
    await runWeather(handle.provider);
    await handle.done();
    expect(files.texts.has(FILE)).toBe(true);
  });

  it.each(["record", "refresh", "auto"] as const)("in %s refuses a name that folders do not show", async (mode) => {
    const { useCassette, live, spent } = harness();
    const error = await refused(useCassette("cassettes/weather.json", live, { mode }));
    expect([error.code, error.summary]).toEqual([
      "invalid-options",
      "cassettes/weather.json does not end in .cassette.json, so nothing was recorded",
    ]);
    expect(spent.made).toBe(0);
  });

  it("does not mind the name of a file that is replayed", async () => {
    const { useCassette, live } = harness({ "weather.json": good });
    for (const mode of ["replay", "auto"] as const) {
      expect((await useCassette("weather.json", live, { mode })).mode).toBe("replay");
    }
  });

  it.each([good, "", "damaged"])("refuses a file that is there before anything is spent (%#)", async (text) => {
    const { useCassette, live, spent, files } = harness({ [FILE]: text });
    const error = await refused(useCassette(FILE, live, { mode: "record" }));
    expect([error.code, error.summary, error.file]).toEqual([
      "file-exists",
      `${FILE} exists and was left as it is; nothing was spent`,
      FILE,
    ]);
    expect(spent.made).toBe(0);
    expect(files.texts.get(FILE)).toBe(text);
  });

  it("refuses a file that cannot be read, too", async () => {
    const { useCassette, live, spent, files } = harness();
    files.fail("read", { kind: "failed", message: "EACCES" });
    expect((await refused(useCassette(FILE, live, { mode: "record" }))).code).toBe("file-unreadable");
    expect(spent.made).toBe(0);
  });

  it("leaves a file alone that appeared during the run", async () => {
    const { useCassette, live, files } = harness();
    const handle = await useCassette(FILE, live, { mode: "record" });
    await runWeather(handle.provider);
    files.texts.set(FILE, "somebody else's");
    expect((await refused(handle.done())).code).toBe("file-exists");
    expect(files.texts.get(FILE)).toBe("somebody else's");
  });

  it("writes no file for a run that asked nothing", async () => {
    const { useCassette, live, files } = harness();
    const error = await refused((await useCassette(FILE, live, { mode: "record" })).done());
    expect([error.code, error.file]).toEqual(["nothing-recorded", FILE]);
    expect(files.texts.size).toBe(0);
  });

  it("PLK-130 PLK-133 hands hashFilter and redact on", async () => {
    const { useCassette, live, files } = harness();
    const hashFilter = (messages: LlmMessage[]) => messages.filter((message) => message.role !== "system");
    const handle = await useCassette(FILE, live, {
      mode: "record",
      hashFilter,
      redact: (response) => ({ ...response, model: "hidden" }),
    });
    await runWeather(handle.provider, { systemPrompt: "today" });
    await handle.done();
    expect(files.texts.get(FILE)).toContain('"model": "hidden"');
    const replay = await useCassette(FILE, live, { hashFilter });
    await runWeather(replay.provider, { systemPrompt: "tomorrow" });
    await replay.done();
    expect((await refused(useCassette(FILE, live))).code).toBe("filter-one-sided");
  });
});

describe("filters by name", () => {
  const FILTERS = "cassette.filters.json";

  it("come from a list or a file, and a replay applies those of the recording by itself", async () => {
    const filters = ["isoDate", { name: "build", pattern: "build \\d+" }];
    for (const hashFilter of [["isoDate", { name: "build", pattern: "build \\d+" }] as const, FILTERS]) {
      const { useCassette, live } = harness({ [FILTERS]: JSON.stringify({ filters }) });
      const handle = await useCassette(FILE, live, { mode: "record", hashFilter });
      await runWeather(handle.provider, { systemPrompt: "2026-11-22, build 7" });
      await handle.done();
      for (const options of [{}, { hashFilter }]) {
        const replay = await useCassette(FILE, live, options);
        await runWeather(replay.provider, { systemPrompt: "2027-01-01, build 8" });
        await replay.done();
      }
    }
  });

  it("may be added to a replay, which leaves the cassette as it is", async () => {
    const { useCassette, live, files } = harness();
    const handle = await useCassette(FILE, live, { mode: "record" });
    await runWeather(handle.provider, { systemPrompt: "2026-11-22" });
    await handle.done();
    const before = files.texts.get(FILE);
    const replay = await useCassette(FILE, live, { hashFilter: ["isoDate"] });
    await runWeather(replay.provider, { systemPrompt: "2027-01-01" });
    await replay.done();
    expect(files.texts.get(FILE)).toBe(before);
  });

  it("refuses a file that is missing or wrong", async () => {
    const { useCassette, live } = harness({ [FILE]: good, [FILTERS]: '{"filters":["dates"]}' });
    const wrong = await refused(useCassette(FILE, live, { hashFilter: FILTERS }));
    expect([wrong.code, wrong.pointer, wrong.file]).toEqual(["invalid-options", "/filters/0", FILTERS]);
    const missing = await refused(useCassette(FILE, live, { hashFilter: "date" }));
    expect([missing.code, missing.file]).toEqual(["file-not-found", "date"]);
    expect(missing.hint).toContain('hashFilter: ["date"]');
  });
});

describe("mode refresh", () => {
  it("records and replaces, whatever the file held", async () => {
    for (const text of [good, "damaged"]) {
      const { useCassette, live, files } = harness({ [FILE]: text });
      const handle = await useCassette(FILE, live, { mode: "refresh" });
      expect(handle.mode).toBe("refresh");
      await runWeather(handle.provider);
      expect(files.texts.get(FILE)).toBe(text);
      await handle.done();
      expect(parseCassette(files.texts.get(FILE) ?? "").recordedProvider).toBe("live");
    }
  });

  it("keeps the run of a failed test in another file, until one passes", async () => {
    const failed = FILE.replace(".cassette.json", ".failed.cassette.json");
    const { useCassette, live, files } = harness({ [FILE]: good });
    for (const isFailed of [true, false]) {
      const handle = await useCassette(FILE, live, { mode: "refresh" });
      await runWeather(handle.provider);
      await handle.done({ failed: isFailed });
      expect([files.texts.get(FILE) === good, files.texts.has(failed)]).toEqual([isFailed, isFailed]);
      if (isFailed) expect(parseCassette(files.texts.get(failed) ?? "").recordedProvider).toBe("live");
    }
    const handle = await useCassette(FILE, live);
    expect((await refused(handle.done({ failed: "yes" as never }))).code).toBe("invalid-options");
    await handle.done({ failed: true });
  });

  it("leaves the old file where the run failed before any turn", async () => {
    const { useCassette, live, files } = harness({ [FILE]: good });
    const handle = await useCassette(FILE, live, { mode: "refresh" });
    expect((await refused(handle.done())).code).toBe("nothing-recorded");
    expect(files.texts.get(FILE)).toBe(good);
  });
});

describe("a file that was recorded already", () => {
  const twice = `this process already recorded ${FILE}, which was left unchanged`;

  it.each(["record", "refresh"] as const)("is not recorded again in %s, by whichever name", async (mode) => {
    const { useCassette, live, spent, files } = harness();
    const first = await useCassette(FILE, live, { mode: "record" });
    await runWeather(first.provider);
    await first.done();
    const text = files.texts.get(FILE);
    const error = await refused(useCassette(FILE, live, { mode }));
    expect([error.code, error.summary, error.file]).toEqual(["file-exists", twice, FILE]);
    expect(error.hint).toContain("Two tests share this cassette");
    expect(error.hint).toContain("Give each test its own file");
    expect((await refused(useCassette(`./cassettes/../${FILE}`, live, { mode }))).code).toBe("file-exists");
    expect([spent.made, files.texts.get(FILE)]).toEqual([1, text]);
  });

  it("is left to the first of two recordings that run at once", async () => {
    const { useCassette, live, files } = harness();
    const [first, second] = [
      await useCassette(FILE, live, { mode: "refresh" }),
      await useCassette(FILE, live, { mode: "refresh", agentId: "second" }),
    ];
    await runWeather(first.provider);
    await runWeather(second.provider);
    const outcomes = await Promise.allSettled([first.done(), second.done()]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect((await refused(second.done())).summary).toBe(twice);
    expect(parseCassette(files.texts.get(FILE) ?? "").agentId).toBeUndefined();
  });

  it.each(["refresh", "from-first-miss"] as const)(
    "is left to the first of two processes that record it at once, in mode %s",
    async (mode) => {
      const { useCassette, live, files } = harness({ [FILE]: good });
      const elsewhere = createUseCassette({ files, environment: {} });
      const ask = { messages: [{ role: "user" as const, content: "another" }] };
      const [first, second] = [await useCassette(FILE, live, { mode }), await elsewhere(FILE, live, { mode })];
      await first.provider.turn(ask);
      await second.provider.turn(ask);
      await first.done();
      const text = files.texts.get(FILE);
      const error = await refused(second.done());
      expect([error.code, error.summary]).toEqual([
        "file-exists",
        `${FILE} changed while it was recorded again, and was left unchanged`,
      ]);
      expect([text === good, files.texts.get(FILE) === text]).toEqual([false, true]);
    },
  );

  it("is free again when it could not be written", async () => {
    const { useCassette, live, files } = harness({ [FILE]: good });
    const first = await useCassette(FILE, live, { mode: "refresh" });
    await runWeather(first.provider);
    files.fail("write", { kind: "failed", message: "ENOSPC" });
    expect((await refused(first.done())).code).toBe("file-unreadable");
    expect((await useCassette(FILE, live, { mode: "refresh" })).mode).toBe("refresh");
  });
});

describe("done", () => {
  it.each(["record", "replay", "live"] as const)(
    "may be called twice in mode %s, and does its work once",
    async (mode) => {
      const initial: Record<string, string> = mode === "replay" ? { [FILE]: good } : {};
      const { useCassette, live, files } = harness(initial, { CASSETTE_LEDGER: "ledger.jsonl" });
      const handle = await useCassette(FILE, live, { mode });
      await runWeather(handle.provider);
      await Promise.all([handle.done(), handle.done()]);
      const text = files.texts.get(FILE);
      await handle.done();
      expect(files.texts.get(FILE)).toBe(text);
      expect((files.texts.get("ledger.jsonl") ?? "").split("\n")).toHaveLength(2);
    },
  );

  it("fails again as it failed", async () => {
    const { useCassette, live } = harness({ [FILE]: good });
    const handle = await useCassette(FILE, live);
    const error = await refused(handle.done());
    expect(await refused(handle.done())).toBe(error);
  });
});

describe("what cannot be meant", () => {
  const promise = Promise.resolve(scriptedProvider([]));

  it.each<[string, unknown, string]>([
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["a key", "sk-1", 'the text "sk-1"'],
    ["an object that answers nothing", { name: "x" }, "an object with name"],
    ["a promise", promise, "a Promise that was not awaited"],
  ])("as live provider is refused in every mode: %s", async (_, live, described) => {
    for (const mode of ["replay", "record", "refresh", "auto", "live"] as const) {
      const { useCassette } = harness({ [FILE]: good });
      const error = await refused(useCassette(FILE, live as LlmProviderAdapter, { mode }));
      expect([error.code, error.summary]).toEqual([
        "invalid-options",
        `the live provider of useCassette must be a provider: it is ${described}`,
      ]);
      expect(error.hint).toContain("turn(request)");
    }
  });

  it.each<[string, () => unknown]>([
    ["nothing", () => undefined],
    ["nothing later", async () => undefined],
    ["a function", () => () => scriptedProvider([])],
  ])("as what a live function gives is refused before any turn: %s", async (_, live) => {
    for (const mode of ["record", "live"] as const) {
      const error = await refused(harness().useCassette(FILE, live as () => LlmProviderAdapter, { mode }));
      expect(error.code).toBe("invalid-options");
      expect(error.summary).toContain("the result of the live function of useCassette must be a provider: it is ");
    }
  });

  it("as an option is refused by name, so that a misspelled redact records nothing", async () => {
    const { useCassette, live, spent } = harness();
    const options = { mode: "record", redcat: (response: unknown) => response } as object;
    const error = await refused(useCassette(FILE, live, options));
    expect([error.code, error.summary, error.hint]).toEqual([
      "invalid-options",
      "useCassette has an unknown option: redcat",
      "The options are mode, agentId, hashFilter, redact, allowRedacted, requireIntegrity, maxBytes, lock, sign, replay, onToolDrift, tolerances, rerecord, streams, streaming, speed, maxGapMs.",
    ]);
    expect(spent.made).toBe(0);
    expect((await refused(useCassette(FILE, live, "record" as unknown as object))).summary).toBe(
      'the options of useCassette are the text "record"',
    );
  });

  it.each([undefined, "", 7])("as a file is refused: %j", async (file) => {
    const { useCassette, live } = harness();
    expect((await refused(useCassette(file as string, live))).code).toBe("invalid-options");
  });
});

describe("mode auto", () => {
  it("replays what is there and records what is not", async () => {
    const { useCassette, live, spent } = harness();
    for (const mode of ["record", "replay"] as const) {
      const handle = await useCassette(FILE, live, { mode: "auto" });
      expect(handle.mode).toBe(mode);
      await runWeather(handle.provider);
      await handle.done();
    }
    expect(spent).toEqual({ made: 1, asked: 2 });
  });

  it.each([
    ["empty", "", "not-json"],
    ["torn", good.slice(0, 900), "not-json"],
    ["edited", good.replace("Oslo", "Rome"), "response-hash"],
  ])("refuses a file that is %s, and does not record over it", async (_, text, code) => {
    const { useCassette, live, spent, files } = harness({ [FILE]: text });
    expect((await refused(useCassette(FILE, live, { mode: "auto" }))).code).toBe(code);
    expect(spent.made).toBe(0);
    expect(files.texts.get(FILE)).toBe(text);
  });

  it("refuses a file that cannot be read", async () => {
    const { useCassette, live, spent, files } = harness({ [FILE]: good });
    files.fail("read", { kind: "failed", message: "EACCES" });
    expect((await refused(useCassette(FILE, live, { mode: "auto" }))).code).toBe("file-unreadable");
    expect(spent.made).toBe(0);
  });
});

describe("mode live", () => {
  it("hands the live provider out as it is, and touches no file", async () => {
    const { useCassette, live, files } = harness({ [FILE]: "damaged" });
    const provider = live();
    const handle = await useCassette(FILE, provider, { mode: "live" });
    expect([handle.provider === provider, handle.mode]).toEqual([true, "live"]);
    await handle.done();
    expect([...files.texts]).toEqual([[FILE, "damaged"]]);
  });
});

describe("the environment", () => {
  it("decides where the option does not", async () => {
    const { useCassette, live } = harness({}, { CASSETTE_MODE: "auto" });
    expect((await useCassette(FILE, live)).mode).toBe("record");
    expect((await useCassette(FILE, live, { mode: "live" })).mode).toBe("live");
  });

  it("never records in CI, and makes no live provider there", async () => {
    for (const mode of ["record", "refresh"] as const) {
      const { useCassette, live, spent } = harness({}, { CI: "true", CASSETTE_MODE: mode });
      const error = (await rejection(useCassette(FILE, live))) as HarnessError;
      expect(error).toBeInstanceOf(HarnessError);
      expect(error.code).toBe("record-in-ci");
      expect(spent.made).toBe(0);
    }
  });

  it("makes auto a replay in CI, where a missing file is an error", async () => {
    const { useCassette, live, spent } = harness({}, { CI: "1" });
    expect((await refused(useCassette(FILE, live, { mode: "auto" }))).code).toBe("file-not-found");
    expect(spent.made).toBe(0);
  });

  it("may not name a mode nobody knows", async () => {
    const { useCassette, live } = harness({ [FILE]: good }, { CASSETTE_MODE: "rerecord" });
    expect(((await rejection(useCassette(FILE, live))) as HarnessError).code).toBe("mode-unknown");
  });
});

describe("the ledger", () => {
  it("gets one line for each cassette that was done with, with its path from the folder of the ledger", async () => {
    const other = "cassettes/other.cassette.json";
    const { useCassette, live, files } = harness({}, { CASSETTE_LEDGER: "usage/ledger.jsonl" });
    for (const [mode, file] of [
      ["live", FILE],
      ["record", FILE],
      ["refresh", other],
      ["replay", FILE],
    ] as const) {
      const handle = await useCassette(file, live, { mode });
      await runWeather(handle.provider);
      await handle.done();
    }
    const lines = (files.texts.get("usage/ledger.jsonl") ?? "").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { file: FILE, path: `../${FILE}`, mode: "live", turns: 0 },
      { file: FILE, path: `../${FILE}`, mode: "record", turns: 2 },
      { file: other, path: `../${other}`, mode: "refresh", turns: 2 },
      { file: FILE, path: `../${FILE}`, mode: "replay", turns: 2 },
    ]);
  });

  it("fails the test whose cassette it could not name, since prune would take that for unused", async () => {
    const { useCassette, live, files } = harness({ [FILE]: good }, { CASSETTE_LEDGER: "ledger.jsonl" });
    const handle = await useCassette(FILE, live);
    await runWeather(handle.provider);
    files.fail("append", { kind: "failed", message: "ENOSPC" });
    expect(await refused(handle.done())).toMatchObject({ code: "file-unreadable", file: "ledger.jsonl" });
  });

  it("notes the first miss of a replay without its secrets, whether the run threw it or caught it", async () => {
    for (const end of [undefined, { failed: true }]) {
      const environment = { CASSETTE_LEDGER: "ledger.jsonl", API_TOKEN: "sesame-9321-open" };
      const { useCassette, live, files } = harness({ [FILE]: good }, environment);
      const { provider, done } = await useCassette(FILE, live);
      const messages = [{ role: "user" as const, content: "Key sesame-9321-open" }];
      await refused(Promise.resolve(provider.turn({ messages })));
      await refused(done(end));
      const lines = (files.texts.get("ledger.jsonl") ?? "").trimEnd().split("\n");
      expect(lines.map((text) => JSON.parse(text) as unknown)).toEqual([
        {
          file: FILE,
          path: FILE,
          mode: "unfinished",
          turns: 0,
          miss: expect.objectContaining({ code: "prompt-changed", turn: 0 }),
        },
      ]);
      expect(lines[0]).not.toContain("sesame");
    }
  });

  it("notes the unused turns of a replay that did not miss", async () => {
    const { useCassette, live, files } = harness({ [FILE]: good }, { CASSETTE_LEDGER: "ledger.jsonl" });
    const handle = await useCassette(FILE, live);
    await refused(handle.done());
    await refused(handle.done({ failed: true }));
    const lines = (files.texts.get("ledger.jsonl") ?? "").trimEnd().split("\n");
    expect(lines.map((text) => JSON.parse(text) as unknown)).toEqual([
      {
        ...{ file: FILE, path: FILE, mode: "unfinished", turns: 0 },
        miss: {
          code: "unconsumed",
          what: expect.stringContaining("2 of 2 recorded turns were never requested") as string,
        },
      },
    ]);
  });

  it("says of a run that failed only that a test has the cassette", async () => {
    const line = { file: FILE, path: FILE, mode: "unfinished", turns: 0 };
    const linesOf = async (
      initial: Record<string, string>,
      use: (by: ReturnType<typeof harness>) => Promise<unknown>,
    ) => {
      const by = harness(initial, { CASSETTE_LEDGER: "ledger.jsonl" });
      await use(by);
      const lines = (by.files.texts.get("ledger.jsonl") ?? "").trimEnd().split("\n");
      return lines.map((text) => JSON.parse(text) as unknown);
    };
    const failed = await linesOf({ [FILE]: good }, async ({ useCassette, live }) =>
      (await useCassette(FILE, live)).done({ failed: true }),
    );
    expect(failed).toEqual([line]);
    const unloaded = await linesOf({ [FILE]: "{}" }, async ({ useCassette, live }) => refused(useCassette(FILE, live)));
    expect(unloaded).toEqual([line]);
    const recording = await linesOf({ [FILE]: good }, async ({ useCassette, live }) => {
      const handle = await useCassette(FILE, live, { mode: "refresh" });
      await runWeather(handle.provider);
      await handle.done({ failed: true });
    });
    expect(recording).toMatchObject([{ mode: "failed", turns: 2 }, line]);
  });

  it("is not written where none is named", async () => {
    const unnamed = harness({ [FILE]: good }, { CASSETTE_LEDGER: "" });
    const handle = await unnamed.useCassette(FILE, unnamed.live);
    await runWeather(handle.provider);
    await handle.done();
    expect([...unnamed.files.texts.keys()]).toEqual([FILE]);
  });
});

describe("maxBytes", () => {
  it("limits what is replayed and what is written, and may be raised", async () => {
    const small = harness({ [FILE]: good });
    expect((await refused(small.useCassette(FILE, small.live, { maxBytes: 99 }))).code).toBe("too-large");
    const { useCassette, live, files } = harness();
    const handle = await useCassette(FILE, live, { mode: "record", maxBytes: 99 });
    await runWeather(handle.provider);
    const error = await refused(handle.done());
    expect([error.code, error.file, files.texts.size]).toEqual(["too-large", FILE, 0]);
    const raised = await useCassette(FILE, live, { mode: "record", maxBytes: 100_000 });
    await runWeather(raised.provider);
    await raised.done();
    expect(files.texts.has(FILE)).toBe(true);
  });

  it.each([0, -1, 1.5, NaN, "9", null])("is refused as %j", async (maxBytes) => {
    const { useCassette, live } = harness({ [FILE]: good });
    const error = await refused(useCassette(FILE, live, { maxBytes: maxBytes as number }));
    expect([error.code, error.summary]).toEqual(["invalid-options", expect.stringContaining("maxBytes")]);
  });
});

describe("done", () => {
  it("keeps how the run ended in the recording, and nothing in a replay", async () => {
    const { useCassette, live, files } = harness();
    const recorded = await useCassette(FILE, live, { mode: "record" });
    await runWeather(recorded.provider);
    await recorded.done({ outcome: { success: false, grade: 0.4 } });
    const text = files.texts.get(FILE) ?? "";
    expect(parseCassette(text)).toMatchObject({ extensions: { outcome: { success: false, grade: 0.4 } } });
    const replayed = await useCassette(FILE, live, { mode: "replay" });
    await runWeather(replayed.provider);
    await replayed.done({ outcome: { success: true } });
    expect(files.texts.get(FILE)).toBe(text);
  });

  it("keeps the message of what a failed test threw, without colours and cut", async () => {
    const { useCassette, live, files } = harness();
    const outcomeOf = async (end: RunEnd) => {
      const handle = await useCassette(FILE, live, { mode: "refresh" });
      await runWeather(handle.provider);
      await handle.done(end);
      const kept = files.texts.get(FILE.replace(".cassette", ".failed.cassette")) ?? "";
      return (parseCassette(kept) as CassetteV2).extensions?.["outcome"];
    };
    const error = new Error("expected \u001b[32m5\u001b[39m, got \u001b[31m6\u001b[39m");
    expect(await outcomeOf({ failed: true, error })).toEqual({ error: "expected 5, got 6", success: false });
    expect(await outcomeOf({ failed: true, error: "half \udcff" })).toMatchObject({ error: "half \ufffd" });
    expect(await outcomeOf({ failed: true, error: "x".repeat(3_000), outcome: { grade: 1 } })).toMatchObject({
      error: expect.stringMatching(/^x{1,2000}…/),
      grade: 1,
    });
    const handle = await useCassette(FILE, live, { mode: "refresh" });
    const { summary } = await refused(handle.done({ error }));
    expect(summary).toBe("done has an error of a test that did not fail");
    await handle.done({ failed: true });
  });

  it("refuses a value that is not an outcome, and takes what a runner hands to a clean-up for nothing", async () => {
    const { useCassette, live, files } = harness();
    const handle = await useCassette(FILE, live, { mode: "record" });
    await runWeather(handle.provider);
    const wrong = await refused(handle.done({ outcome: true } as never));
    expect([wrong.code, wrong.summary]).toEqual(["invalid-options", "the outcome of done is the boolean true"]);
    expect((await refused(handle.done({ success: true } as never))).summary).toContain("unknown option: success");
    const cleanUp = handle.done as (context: unknown) => Promise<void>;
    await cleanUp(() => undefined);
    expect(parseCassette(files.texts.get(FILE) ?? "")).not.toHaveProperty("extensions.outcome");
  });

  it("keeps extensions, which a replay reads, but none that the recorder writes", async () => {
    const { useCassette, live } = harness();
    const recorded = await useCassette(FILE, live, { mode: "record" });
    expect(recorded.extensions).toBeUndefined();
    await runWeather(recorded.provider);
    for (const extensions of [{ prompts: false }, { mine: 1, redacted: [] }, [1]])
      expect((await refused(recorded.done({ extensions } as never))).code).toBe("invalid-options");
    await recorded.done({ extensions: { mine: { city: "Oslo" } } });
    const replayed = await useCassette(FILE, live, { mode: "replay" });
    expect(replayed.extensions).toMatchObject({ mine: { city: "Oslo" }, prompts: true });
  });
});
