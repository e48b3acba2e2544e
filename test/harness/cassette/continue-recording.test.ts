import { jsonSchema, tool as aiTool } from "ai";
import { resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { TapeMissError } from "../../../src/cassette/tape/miss.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import type { CustomTool } from "../../../src/core/tools/tool.js";
import { createUseCassette, type HarnessHost } from "../../../src/harness/cassette/use-cassette.js";
import { memoryFiles } from "../../support/memory-files.js";
import { keepForOracle, verifyKept } from "../../support/oracle.js";
import { runWeather, WEATHER_SCRIPT, weatherCassette } from "../../support/recording.js";
import { refusal, rejection } from "../../support/refusal.js";
import { ask, say, tool } from "../../support/script.js";

afterAll(verifyKept);

const FILE = "cassettes/weather.cassette.json";
const OUT = "cassettes/fork.cassette.json";
const source = keepForOracle(await weatherCassette());
const good = formatCassette(source);

function harness(environment: HarnessHost["environment"] = {}, initial: Record<string, string> = { [FILE]: good }) {
  const files = memoryFiles(initial);
  const useCassette = createUseCassette({ files, environment: { CASSETTE_LEDGER: "ledger", ...environment } });
  const ledger = () =>
    (files.texts.get("ledger") ?? "")
      .split("\n")
      .filter((text) => text !== "")
      .map((text) => JSON.parse(text) as unknown);
  return { files, useCassette, ledger };
}

const never = (): LlmProviderAdapter => {
  throw new Error("the live provider was made");
};

function run(provider: LlmProviderAdapter, customTools: readonly CustomTool[]) {
  return createRuntime({ agents: [{ id: "researcher", systemPrompt: "You are brief.", provider, customTools }] }).run({
    goal: "Umbrella?",
  });
}

describe("mode from-first-miss", () => {
  const mode = "from-first-miss";

  it("keeps what still replays, records the rest, and replaces the file in done", async () => {
    const { useCassette, files, ledger } = harness();
    const handle = await useCassette(FILE, () => scriptedProvider([say("Go out.")]), { mode });
    expect((await runWeather(handle.provider, { weather: "sun" })).finalAnswer).toBe("Go out.");
    expect(files.texts.get(FILE)).toBe(good);
    await handle.done();
    const written = parseCassette(files.texts.get(FILE) ?? "");
    expect(written.entries.map(({ response }) => response.finalAnswer)).toEqual([undefined, "Go out."]);
    expect(written.agentId).toBe("researcher");
    expect(ledger()).toEqual([{ file: FILE, path: FILE, mode, turns: 2, kept: 1 }]);
  });

  it("leaves a file as it is whose run is the recorded one, and asks nobody", async () => {
    const { useCassette, files, ledger } = harness();
    const handle = await useCassette(FILE, never, { mode });
    await runWeather(handle.provider);
    await handle.done();
    expect(files.texts.get(FILE)).toBe(good);
    expect(ledger()).toMatchObject([{ mode: "replay", turns: 2, kept: 2 }]);
  });

  it("counts as recorded if another test has replaced the file", async () => {
    const { useCassette, files, ledger } = harness();
    const same = await useCassette(FILE, never, { mode });
    await runWeather(same.provider);
    const other = await useCassette(FILE, () => scriptedProvider([say("Go out.")]), { mode });
    await runWeather(other.provider, { weather: "sun" });
    await other.done();
    const replaced = files.texts.get(FILE);
    await same.done();
    expect(files.texts.get(FILE)).toBe(replaced);
    expect(ledger()).toMatchObject([{ mode }, { mode, turns: 2, kept: 2 }]);
  });

  it("leaves the old file where the run fails, or the disk does", async () => {
    const { useCassette, files } = harness();
    const down = { turn: () => Promise.reject(new Error("down")) };
    const failed = await useCassette(FILE, down, { mode });
    await rejection(runWeather(failed.provider, { weather: "sun" }));
    expect(files.texts.get(FILE)).toBe(good);
    const handle = await useCassette(FILE, scriptedProvider([say("x")]), { mode });
    await runWeather(handle.provider, { weather: "sun" });
    files.fail("write", { kind: "failed", message: "ENOSPC" });
    expect(await rejection(handle.done())).toMatchObject({ code: "file-unreadable" });
    expect(files.texts.get(FILE)).toBe(good);
  });

  it("records what is missing, and takes a damaged file for no missing one", async () => {
    const { useCassette, files } = harness({}, { [OUT]: "damaged" });
    const handle = await useCassette(FILE, scriptedProvider(WEATHER_SCRIPT), { mode });
    expect(handle.mode).toBe("record");
    await runWeather(handle.provider);
    await handle.done();
    expect(files.texts.has(FILE)).toBe(true);
    expect(await rejection(useCassette(OUT, never, { mode }))).toMatchObject({ code: "not-json" });
  });

  it.each(["from-first-miss", "fork"] as const)("refuses %s in CI", async (mode) => {
    const { useCassette } = harness({ CI: "true" });
    expect(await rejection(useCassette(FILE, never, { mode }))).toMatchObject({ code: "record-in-ci" });
  });
});

describe("mode fork", () => {
  const fork = { CASSETTE_MODE: "fork", CASSETTE_FORK: resolve(FILE), CASSETTE_FORK_AT: "1", CASSETTE_FORK_OUT: OUT };

  it("replays to the turn, goes live, and writes another file", async () => {
    const { useCassette, files, ledger } = harness(fork);
    const handle = await useCassette(FILE, () => scriptedProvider([say("Stay in.")]));
    await runWeather(handle.provider);
    await handle.done();
    expect([handle.mode, handle.file, files.texts.get(FILE)]).toEqual(["fork", OUT, good]);
    const forked = parseCassette(files.texts.get(OUT) ?? "");
    expect(forked.entries.at(-1)?.response.finalAnswer).toBe("Stay in.");
    expect(ledger()).toEqual([{ file: OUT, path: OUT, mode: "fork", turns: 2, kept: 1 }]);
  });

  it("replays every other cassette", async () => {
    const { useCassette } = harness({ ...fork, CASSETTE_FORK: resolve("other.cassette.json") });
    expect((await useCassette(FILE, never)).mode).toBe("replay");
  });

  it("refuses a file that exists, and variables that say too little", async () => {
    const taken = harness(fork, { [FILE]: good, [OUT]: "" });
    expect(await rejection(taken.useCassette(FILE, never))).toMatchObject({ code: "file-exists" });
    const { useCassette } = harness({ ...fork, CASSETTE_FORK_AT: "one" });
    expect(await rejection(useCassette(FILE, never))).toMatchObject({ code: "fork-unclear" });
  });
});

describe("the option replay", () => {
  const dead = tool("weather", () => Promise.reject(new Error("asked")));

  it("both asks neither model nor tool", async () => {
    const { useCassette } = harness();
    const handle = await useCassette(FILE, never, { replay: "both" });
    expect((await run(handle.provider, handle.tools([dead]))).finalAnswer).toBe("Take an umbrella.");
    await handle.done();
    expect(handle.toolReport()).toEqual({ drift: [], unused: [], tolerances: [] });
  });

  it.each(["model", "tools", "both"] as const)(
    "%s refuses tools of the AI SDK, and says what to do",
    async (replay) => {
      const { useCassette } = harness();
      const handle = await useCassette(FILE, scriptedProvider([say("x")]), { replay });
      const weather = aiTool({ description: "w", inputSchema: jsonSchema({ type: "object" }), execute: () => "rain" });
      for (const [tools, what] of [
        [[weather], "tool 0 is not a Playhead tool, so it cannot be replayed"],
        [
          [tool("a", () => ""), { name: "b", inputSchema: {} }],
          "tool 1 is not a Playhead tool, so it cannot be replayed",
        ],
        [{ weather }, "the tools are not a list, so they cannot be replayed"],
      ] as const) {
        const error = refusal(() => handle.tools(tools as unknown as CustomTool[])) as CassetteError;
        expect([error.code, error.summary]).toEqual(["invalid-options", what]);
        expect(error.hint).toContain("use `replayTools(handle, tools)` of playhead/ai-sdk");
      }
    },
  );

  it("tools takes a live provider of any make", async () => {
    const { useCassette } = harness();
    class Private {
      readonly #answer = say("live");
      get name() {
        return this.#answer.finalAnswer ?? "";
      }
      async turn() {
        return this.#answer;
      }
    }
    for (const live of [new Private(), Object.freeze({ name: "frozen", turn: async () => say("live") })]) {
      const handle = await useCassette(FILE, live as never, { mode: "replay", replay: "tools" });
      expect(handle.provider.name).toBe(live.name);
      const { finalAnswer } = await handle.provider.turn({ messages: [{ role: "user", content: "other" }] });
      expect(finalAnswer).toBe("live");
      await handle.done();
    }
  });

  it("tools asks the live model, records nothing, and ends on a call that is not on the tape", async () => {
    const { useCassette, files } = harness();
    const other = scriptedProvider([say("No tool needed.")]);
    const handle = await useCassette(FILE, other, { replay: "tools" });
    await run(handle.provider, handle.tools([dead]));
    await handle.done();
    expect(handle.toolReport().unused).toMatchObject([{ key: 'weather({"city":"Oslo","days":2})' }]);
    expect(files.texts.get(FILE)).toBe(good);
    const rome = scriptedProvider([ask([{ name: "weather", arguments: { city: "Rome" } }]), say("x")]);
    const strict = await useCassette(FILE, rome, { replay: "tools" });
    expect(await rejection(run(strict.provider, strict.tools([dead])))).toBeInstanceOf(TapeMissError);
  });

  it("model says which live tools answer otherwise", async () => {
    const { useCassette } = harness();
    const handle = await useCassette(FILE, never);
    const error = await rejection(run(handle.provider, handle.tools([tool("weather", () => "sun")])));
    expect(error).toMatchObject({ code: "prompt-changed" });
    expect(handle.toolReport().drift).toMatchObject([{ turn: 0, recorded: '"rain"', actual: '"sun"' }]);
  });

  it("model with onToolDrift collect runs to the end, and done lists the differences", async () => {
    const { useCassette, ledger } = harness();
    const handle = await useCassette(FILE, never, { onToolDrift: "collect" });
    await run(handle.provider, handle.tools([tool("weather", () => "sun")]));
    const error = (await rejection(handle.done())) as CassetteError;
    expect(error).toBeInstanceOf(CassetteError);
    expect([error.code, error.summary]).toEqual([
      "tool-drift",
      '1 tool call is answered differently than recorded\nturn 0: weather({"city":"Oslo","days":2}) now answers differently\n  recorded "rain"\n  now      "sun"',
    ]);
    expect(ledger()).toMatchObject([{ file: FILE, mode: "unfinished" }]);
  });

  it("leaves tools as they are where nothing is replayed", async () => {
    const { useCassette } = harness();
    const handle = await useCassette(OUT, scriptedProvider(WEATHER_SCRIPT), { mode: "record" });
    expect(handle.tools([dead])[0]).toBe(dead);
  });

  it("refuses words that it does not know", async () => {
    const { useCassette } = harness();
    const error = await rejection(useCassette(FILE, never, { replay: "all" } as object));
    expect(error).toMatchObject({ code: "invalid-options", hint: "Use one of model, tools, both." });
  });
});
