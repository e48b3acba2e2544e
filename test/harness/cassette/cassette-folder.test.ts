import { describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import type { JsonObject } from "../../../src/core/canon/value.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { createUseCassetteFolder, type CassetteFolder } from "../../../src/harness/cassette/cassette-folder.js";
import { memoryFiles } from "../../support/memory-files.js";
import { runWeather, WEATHER_SCRIPT } from "../../support/recording.js";
import { rejection } from "../../support/refusal.js";

const live = (): LlmProviderAdapter => scriptedProvider(WEATHER_SCRIPT);
const neverLive = (): LlmProviderAdapter => {
  throw new Error("a replay made the live provider");
};

function harness(initial: Record<string, string> = {}) {
  const files = memoryFiles(initial);
  return { files, open: createUseCassetteFolder({ files, environment: {} }) };
}

/** The files of a recording with these parts, in which the tool answers `weather`. */
async function record(names: readonly string[], weather = "rain"): Promise<Record<string, string>> {
  const { files, open } = harness();
  const folder = await open("tapes", { mode: "record" });
  for (const name of names) await runWeather(await folder.provider(name, live), { weather });
  await folder.done();
  return Object.fromEntries(files.texts);
}

async function refused(promise: Promise<unknown>): Promise<CassetteError> {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(CassetteError);
  return error as CassetteError;
}

const signal = new AbortController().signal;
const ARGS = { city: "Oslo", days: 2 };

describe("useCassetteFolder", () => {
  it("records one file for each part, and a numbered one for a part that runs again", async () => {
    const texts = await record(["Draft", "review", "Draft"]);
    expect(Object.keys(texts).sort()).toEqual([
      "tapes/draft.2.cassette.json",
      "tapes/draft.cassette.json",
      "tapes/review.cassette.json",
    ]);
    expect(JSON.parse(texts["tapes/draft.2.cassette.json"] as string)).toMatchObject({ agentId: "Draft" });
  });

  it("replays each part without the live provider", async () => {
    const { open } = harness(await record(["Draft", "review", "Draft"]));
    const folder = await open("tapes");
    for (const name of ["Draft", "Draft", "review"]) {
      const result = await runWeather(await folder.provider(name, neverLive));
      expect(result.finalAnswer).toBe("Take an umbrella.");
    }
    await folder.done();
  });

  it("throws unconsumed for a cassette that no part opened, and names its file", async () => {
    const { open } = harness(await record(["draft", "review"]));
    const folder = await open("tapes");
    await runWeather(await folder.provider("draft", neverLive));
    const error = await refused(folder.done());
    expect([error.code, error.file]).toEqual(["unconsumed", "tapes/review.cassette.json"]);
  });

  it("throws a miss that the run swallowed, and the missing cassette of a part", async () => {
    const texts = await record(["draft"]);
    const folder = await harness(texts).open("tapes");
    const provider = await folder.provider("draft", neverLive);
    await expect(runWeather(provider, { goal: "Sun?" })).rejects.toThrow();
    expect((await refused(folder.done())).code).toBe("prompt-changed");

    const other = await harness(texts).open("tapes");
    await rejection(other.provider("review", neverLive));
    expect((await refused(other.done())).code).toBe("file-not-found");
  });

  it("ends every part, although an earlier one failed", async () => {
    const { files, open } = harness();
    const folder = await open("tapes", { mode: "record" });
    await folder.provider("idle", live);
    await runWeather(await folder.provider("busy", live));
    expect((await refused(folder.done())).code).toBe("nothing-recorded");
    expect([...files.texts.keys()]).toEqual(["tapes/busy.cassette.json"]);
  });

  it("keeps recordings of a failed test apart", async () => {
    const { files, open } = harness();
    const folder = await open("tapes", { mode: "record" });
    await runWeather(await folder.provider("draft", live));
    await folder.done({ failed: true });
    expect([...files.texts.keys()]).toEqual(["tapes/draft.failed.cassette.json"]);
  });

  it("writes and checks nothing for a part that was dropped", async () => {
    const { files, open } = harness();
    const folder = await open("tapes", { mode: "record" });
    await runWeather(await folder.provider("failed", live));
    await runWeather(await folder.provider("draft", live));
    folder.drop("failed");
    await folder.done();
    expect([...files.texts.keys()]).toEqual(["tapes/draft.cassette.json"]);

    const replay = await harness(Object.fromEntries(files.texts)).open("tapes");
    await rejection(replay.provider("failed", neverLive));
    replay.drop("failed");
    await runWeather(await replay.provider("draft", neverLive));
    await replay.done();
  });

  it("refuses two names with one file, a wrong name and wrong options", async () => {
    const { open } = harness();
    const folder = await open("tapes", { mode: "live" });
    await folder.provider("a b", live);
    expect((await refused(folder.provider("a-b", live))).summary).toContain('"a b" and "a-b"');
    expect((await refused(folder.provider("", live))).code).toBe("invalid-options");
    expect((await refused(open(""))).code).toBe("invalid-options");
    expect((await refused(open("tapes", { agentId: "x" } as object))).summary).toContain("agentId");
  });
});

/** A registry and a hook with one tool, which count their calls. */
function hostTools(result: string) {
  const calls: unknown[] = [];
  const registry = {
    dispatch(toolId: string, args: JsonObject, context: { nodeId: string; signal: AbortSignal }) {
      calls.push([toolId, args, context.nodeId]);
      return result;
    },
  };
  const hook = {
    schema: () => [{ name: "weather" }],
    dispatch: (name: string, call: { conversationId: string; args: JsonObject; signal: AbortSignal }) =>
      name === "weather"
        ? Promise.resolve(registry.dispatch(name, call.args, { ...call, nodeId: call.conversationId }))
        : undefined,
    onStep: (notice: string) => void calls.push(notice),
  };
  return { calls, registry, hook };
}

type Call = (folder: CassetteFolder, host: ReturnType<typeof hostTools>) => unknown;

describe.each<[string, Call]>([
  [
    "registry",
    (folder, { registry }) => folder.registry(registry).dispatch("weather", ARGS, { nodeId: "draft", signal }),
  ],
  [
    "hook",
    (folder, { hook }) => folder.hook(hook).dispatch("weather", { conversationId: "draft", args: ARGS, signal }),
  ],
])("the tools of a %s", (_kind, call) => {
  async function replayed(options: object) {
    const folder = await harness(await record(["draft"])).open("tapes", options);
    const provider = await folder.provider("draft", live);
    return { folder, run: (weather: string) => runWeather(provider, { weather }) };
  }

  it("answer from the tape with replay: both", async () => {
    const { folder, run } = await replayed({ replay: "both" });
    const host = hostTools("sun");
    expect(await call(folder, host)).toBe("rain");
    expect(host.calls).toEqual([]);
    await run("rain");
    await folder.done();
  });

  it("are live and compared with replay: model", async () => {
    const { folder, run } = await replayed({});
    const host = hostTools("sun");
    expect(await call(folder, host)).toBe("sun");
    expect(host.calls).toEqual([["weather", ARGS, "draft"]]);
    await run("rain");
    expect((await refused(folder.done())).code).toBe("tool-drift");
  });

  it("are live while recording, and before the part is opened", async () => {
    const folder = await harness().open("tapes", { mode: "record" });
    expect(await call(folder, hostTools("sun"))).toBe("sun");
    await folder.provider("draft", live);
    expect(await call(folder, hostTools("fog"))).toBe("fog");
  });
});

describe("a hook in a folder", () => {
  it("keeps its schema, its notices and the names that it does not claim", async () => {
    const folder = await harness(await record(["draft"])).open("tapes", { replay: "both" });
    await folder.provider("draft", neverLive);
    const { calls, hook } = hostTools("sun");
    const wrapped = folder.hook(hook);
    expect(wrapped.schema()).toEqual([{ name: "weather" }]);
    expect(wrapped.dispatch("other", { conversationId: "draft", args: {}, signal })).toBeUndefined();
    wrapped.onStep("start");
    expect(calls).toEqual(["start"]);
  });

  it("masks a call of a tool that it offers and does not serve", async () => {
    const folder = await harness(await record(["draft"])).open("tapes");
    await folder.provider("draft", neverLive);
    const wrapped = folder.hook({ schema: () => [{ name: "weather" }], dispatch: () => undefined });
    const call = { conversationId: "draft", args: ARGS, signal };
    await expect(
      (wrapped.dispatch as unknown as (name: string, call: unknown) => unknown)("weather", call),
    ).rejects.toThrow("does not serve it");
  });
});
