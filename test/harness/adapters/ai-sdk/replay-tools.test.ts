// A RAG agent on each version of the AI SDK: embeddings, and tools that read a store. The replay has neither the models nor the store.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { TapeMissError } from "../../../../src/cassette/tape/miss.js";
import { cassetteEmbeddingModel } from "../../../../src/harness/adapters/ai-sdk/embedding.js";
import { fromAiSdk } from "../../../../src/harness/adapters/ai-sdk/from-ai-sdk.js";
import { replayTools } from "../../../../src/harness/adapters/ai-sdk/replay-tools.js";
import { toAiSdk } from "../../../../src/harness/adapters/ai-sdk/to-ai-sdk.js";
import type { CassetteHandle } from "../../../../src/harness/cassette/use-cassette.js";
import { createUseCassette } from "../../../../src/harness/cassette/use-cassette.js";
import { scriptedModel, SDKS, type Part, type Step } from "../../../support/ai-sdk.js";
import { memoryFiles } from "../../../support/memory-files.js";
import { rejection } from "../../../support/refusal.js";

const FILE = "rag.cassette.json";
type Sdk = (typeof SDKS)[number][1];
type Version = (typeof SDKS)[number][2];

const call = (toolCallId: string, toolName: string, input: object): Part => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});
const CALLS: readonly Step[] = [
  {
    content: [
      call("c1", "find", { topic: "rain" }),
      call("c2", "find", { topic: "snow", limit: 1 }),
      call("c3", "read", { path: "a.md" }),
      call("c4", "draw", { of: "rain" }),
      call("c5", "drop", {}),
    ],
  },
  { content: [{ type: "text", text: "Take an umbrella." }] },
];

/** A store that can be stopped. */
function openStore() {
  const state = { isUp: true, reads: 0 };
  const read = <T>(value: T): T => {
    if (!state.isUp) throw new Error("connect ECONNREFUSED");
    state.reads++;
    return value;
  };
  return { state, read };
}

function toolsOf(sdk: Sdk, version: Version, { read }: ReturnType<typeof openStore>) {
  const image =
    version === "v2"
      ? { type: "media", data: "aGk=", mediaType: "image/png" }
      : { type: "file-data", data: "aGk=", mediaType: "image/png" };
  return {
    find: sdk.tool({
      description: "Finds notes.",
      // The schema changes what the tool gets: a default, and a conversion.
      inputSchema: z.object({
        topic: z.string().transform((text) => text.toUpperCase()),
        limit: z.number().default(5),
      }),
      execute: ({ topic, limit }) => read({ topic, limit, notes: ["n1", null] }),
    }),
    read: sdk.tool({
      description: "Reads a note.",
      inputSchema: z.object({ path: z.string() }),
      execute: ({ path }) => read(`text of ${path}`),
    }),
    draw: sdk.tool({
      description: "Draws.",
      inputSchema: z.object({ of: z.string() }),
      execute: () => read("raw bytes"),
      toModelOutput: () => ({ type: "content", value: [{ type: "text", text: "a picture" }, image] }) as never,
    }),
    drop: sdk.tool({
      description: "Fails.",
      inputSchema: z.object({}),
      execute: (): string => {
        read("");
        throw new Error("no permission");
      },
    }),
  };
}

function embedder(version: Version) {
  const asked: unknown[] = [];
  return {
    asked,
    model: {
      specificationVersion: version,
      provider: "acme.embedding",
      modelId: "embed-1",
      maxEmbeddingsPerCall: 2_048,
      supportsParallelCalls: true,
      doEmbed: async ({ values }: { values: string[] }) => {
        asked.push(values);
        const embeddings = values.map((text) => [text.length, 0.25, -1.5e-7]);
        return { embeddings, usage: { tokens: values.length }, warnings: [], response: { headers: {}, body: {} } };
      },
    },
  };
}

interface Parts {
  sdk: Sdk;
  version: Version;
  store: ReturnType<typeof openStore>;
  embedding: ReturnType<typeof embedder>["model"];
  question?: string;
}

async function agent(handle: CassetteHandle, { sdk, version, store, embedding, question = "Umbrella?" }: Parts) {
  const model = cassetteEmbeddingModel(handle, embedding) as never;
  const { embeddings } = await sdk.embedMany({ model, values: Array.from({ length: 150 }, (_, n) => `note ${n}`) });
  const { embedding: query, usage } = await sdk.embed({ model, value: question });
  const { text, steps } = await sdk.generateText({
    model: toAiSdk(handle.provider, { specificationVersion: version as never }) as never,
    tools: replayTools(handle, toolsOf(sdk, version, store)),
    stopWhen: sdk.stepCountIs(3),
    prompt: `Umbrella? ${query.length} ${embeddings.length}`,
    maxRetries: 0,
  });
  const outputs = steps.flatMap(({ toolResults }) =>
    toolResults.map(({ toolName, output }) => (toolName === "draw" ? "" : (output as unknown))),
  );
  return { text, outputs, usage, first: embeddings[0], query };
}

describe.each(SDKS)("replayTools and cassetteEmbeddingModel, %s", (_name, sdk, version) => {
  async function recorded() {
    const files = memoryFiles();
    const useCassette = createUseCassette({ files, environment: {} });
    const store = openStore();
    const live = scriptedModel(CALLS, version);
    const { model: embedding, asked } = embedder(version);
    const parts = { sdk, version, store, embedding };
    const handle = await useCassette(FILE, fromAiSdk(live), { mode: "record" });
    const first = await agent(handle, parts);
    await handle.done();
    store.state.isUp = false;
    return { files, useCassette, parts, first, asked, store };
  }

  it("replays a RAG agent without the store, the model and the embedding model", async () => {
    const { useCassette, parts, first, asked, store } = await recorded();
    const [requests, reads] = [asked.length, store.state.reads];
    expect([requests, reads]).toEqual([3, 5]);
    expect(first.outputs).toContainEqual({ topic: "RAIN", limit: 5, notes: ["n1", null] });
    const handle = await useCassette(FILE, () => Promise.reject(new Error("asked")), {
      mode: "replay",
      replay: "both",
    });
    expect(await agent(handle, parts)).toEqual(first);
    await handle.done();
    expect([asked.length, store.state.reads]).toEqual([requests, reads]);
    expect(handle.toolReport()).toMatchObject({ unused: [], drift: [] });
  });

  it("replays the tools for a live model that calls them in another order, and under other ids", async () => {
    const { useCassette, parts, first } = await recorded();
    const [step, end] = CALLS as [Step, Step];
    const content = step.content
      .toReversed()
      .map((part) => ({ ...part, toolCallId: `x-${String(part["toolCallId"])}` }));
    const live = scriptedModel([{ content }, end], version);
    const handle = await useCassette(FILE, fromAiSdk(live), { mode: "replay", replay: "tools" });
    const { outputs } = await agent(handle, parts);
    await handle.done();
    expect(outputs.toReversed()).toEqual(first.outputs);
  });

  it("ends the run at a call with another argument, and names it", async () => {
    const { useCassette, parts } = await recorded();
    const [step, end] = CALLS as [Step, Step];
    const content = [call("c1", "find", { topic: "hail" }), ...step.content.slice(1)];
    const live = scriptedModel([{ content }, end], version);
    const handle = await useCassette(FILE, fromAiSdk(live), { mode: "replay", replay: "tools" });
    const error = (await rejection(agent(handle, parts))) as TapeMissError;
    expect(error).toBeInstanceOf(TapeMissError);
    expect(error.message).toContain('find({"limit":5,"topic":"HAIL"}) is not on the tape');
    expect(live.calls).toHaveLength(1);
    expect(await rejection(handle.done({ failed: true }))).toBe(error);
  });

  it("refuses another text to embed, also where the agent catches the miss", async () => {
    const { useCassette, parts, asked } = await recorded();
    const before = asked.length;
    const handle = await useCassette(FILE, () => Promise.reject(new Error("asked")), {
      mode: "replay",
      replay: "both",
    });
    const error = await rejection(agent(handle, { ...parts, question: "Umbrella now?" }));
    expect(error).toMatchObject({ code: "exchange-changed", pointer: "/request/json/values/0" });
    expect(await rejection(handle.done())).toBe(error);
    expect(asked).toHaveLength(before);
  });

  it("leaves tools and embedding model as they are without a tape", async () => {
    const { useCassette, parts } = await recorded();
    const tools = toolsOf(sdk, version, parts.store);
    for (const mode of ["live", "replay"] as const) {
      const handle = await useCassette(FILE, scriptedProvider(), { mode });
      expect(replayTools(handle, tools)).toBe(tools);
    }
    const live = await useCassette(FILE, scriptedProvider(), { mode: "live" });
    const { embedding } = await sdk.embed({
      model: cassetteEmbeddingModel(live, parts.embedding) as never,
      value: "ab",
    });
    expect(embedding).toEqual([2, 0.25, -1.5e-7]);
  });
});

describe.each(SDKS)("tools with uncommon schemas and results, %s", (_name, sdk, version) => {
  const one = (input: object, id = "c1"): Part => call(id, "t", input);
  const end: Step = { content: [{ type: "text", text: "Done." }] };

  /** Records calls of one tool, and replays them for the same model or for `live`. Gives what the model read. */
  async function replayed(tool: object, calls: readonly Part[], live?: readonly Part[]) {
    const useCassette = createUseCassette({ files: memoryFiles(), environment: {} });
    const run = async (handle: CassetteHandle) => {
      await sdk.generateText({
        model: toAiSdk(handle.provider, { specificationVersion: version as never }) as never,
        tools: replayTools(handle, { t: tool as never }),
        stopWhen: sdk.stepCountIs(3),
        prompt: "Go.",
        maxRetries: 0,
      });
      await handle.done();
    };
    const results = (model: ReturnType<typeof scriptedModel>) =>
      ((model.calls[1] as { prompt: { role: string; content: Part[] }[] }).prompt.at(-1)?.content ?? []).map(
        ({ output }) => JSON.parse(JSON.stringify(output)) as unknown,
      );
    const first = scriptedModel([{ content: [...calls] }, end], version);
    await run(await useCassette(FILE, fromAiSdk(first), { mode: "record" }));
    await run(await useCassette(FILE, () => Promise.reject(new Error("asked")), { mode: "replay", replay: "both" }));
    const second = scriptedModel([{ content: [...(live ?? calls)] }, end], version);
    await run(await useCassette(FILE, fromAiSdk(second), { mode: "replay", replay: "tools" }));
    return { recorded: results(first), replayed: results(second) };
  }

  it.each([
    ["a set", z.object({ x: z.array(z.number()).transform((list) => new Set(list)) }), { x: [1, 2] }],
    ["a date", z.object({ x: z.string().transform((text) => new Date(text)) }), { x: "2026-01-01" }],
    ["no limit", z.object({ x: z.number().default(Infinity) }), {}],
  ])("match by the model's arguments where the schema makes %s", async (_what, inputSchema, input) => {
    const { recorded, replayed: again } = await replayed({ inputSchema, execute: () => "found" }, [one(input)]);
    expect([recorded, again]).toEqual([[{ type: "text", value: "found" }], recorded]);
  });

  it.each([
    ["a date", () => new Date(0)],
    ["nothing", () => undefined],
    ["a number", () => 0],
  ])("give %s as recorded", async (_what, execute) => {
    const tool = { inputSchema: z.object({}), execute };
    const { recorded, replayed: again } = await replayed(tool, [one({})]);
    expect(again).toEqual(recorded);
  });

  it("give an error that toModelOutput describes as data", async () => {
    const toModelOutput = () => ({ type: "error-json", value: { code: 7 } });
    const { recorded, replayed: again } = await replayed(
      { inputSchema: z.object({}), execute: () => "raw", toModelOutput },
      [one({})],
    );
    expect([recorded, again]).toEqual([[{ type: "error-json", value: { code: 7 } }], recorded]);
  });

  it("keep calls apart that parse alike, made at once under other ids", async () => {
    let n = 0;
    const tool = { inputSchema: z.object({ x: z.number(), limit: z.number().default(3) }), execute: () => `r${n++}` };
    const calls = [one({ x: 1 }, "a"), one({ x: 1, limit: 3 }, "b"), one({ x: 1 }, "c")];
    const live = [one({ x: 1 }, "k"), one({ x: 1, limit: 3 }, "l"), one({ x: 1 }, "m")];
    const { recorded, replayed: again } = await replayed(tool, calls, live);
    const texts = (list: unknown[]) => list.map((output) => (output as { value: string }).value).sort();
    expect([texts(recorded), texts(again)]).toEqual([["r0", "r1", "r2"], texts(recorded)]);
  });

  it("still apply their own toModelOutput to a result from elsewhere", () => {
    const toModelOutput = () => ({ type: "text", value: "own" });
    const tape = { results: [], unused: () => [] };
    const { t } = replayTools({ tape: () => tape as never }, { t: { execute: () => 1, toModelOutput } });
    const given = version === "v2" ? { raw: 1 } : { toolCallId: "x", output: { raw: 1 } };
    expect((t.toModelOutput as (given: unknown) => unknown)(given)).toEqual({ type: "text", value: "own" });
  });
});

const scriptedProvider = () => fromAiSdk(scriptedModel([]));

describe("wrong arguments", () => {
  it.each([
    [() => replayTools({} as never, {}), "replayTools needs the handle of useCassette"],
    [() => replayTools({ tape: () => undefined }, [] as never), "replayTools cannot replay"],
    [
      () => cassetteEmbeddingModel({ provider: scriptedProvider() }, "text-embedding" as never),
      'cassetteEmbeddingModel needs an embedding model, not "text-embedding"',
    ],
    [
      () => cassetteEmbeddingModel({} as never, embedder("v3").model as never),
      "cassetteEmbeddingModel needs the handle of useCassette",
    ],
    [
      () => cassetteEmbeddingModel(scriptedProvider() as never, embedder("v3").model as never),
      "cassetteEmbeddingModel needs the handle of useCassette, not its provider",
    ],
  ])("are refused by name", (use, what) => {
    expect(use).toThrow(what);
  });

  it("typed arrays are recorded as numbers, and an aborted call asks for nothing", async () => {
    const files = memoryFiles();
    const useCassette = createUseCassette({ files, environment: {} });
    const handle = await useCassette(FILE, fromAiSdk(scriptedModel([{ content: [{ type: "text", text: "Hi." }] }])), {
      mode: "record",
    });
    const doEmbed = async () => ({ embeddings: [Float32Array.of(0.5, 0.25)], warnings: [] });
    const [, sdk] = SDKS[0] as (typeof SDKS)[number];
    const model = cassetteEmbeddingModel(handle, { ...embedder("v3").model, doEmbed } as never) as never;
    await sdk.embed({ model, value: "a" });
    const abortSignal = AbortSignal.abort(new Error("over"));
    expect(await rejection(sdk.embed({ model, value: "b", abortSignal, maxRetries: 0 }))).toMatchObject({
      message: "over",
    });
    await sdk.generateText({ model: toAiSdk(handle.provider), prompt: "Hi" });
    await handle.done();
    expect(files.texts.get(FILE)?.replace(/\s+/g, "")).toContain('"embeddings":[[0.5,0.25]]');
  });

  it("of an embedding model that fails reach the caller, and are not recorded", async () => {
    const files = memoryFiles();
    const useCassette = createUseCassette({ files, environment: {} });
    const handle = await useCassette(FILE, fromAiSdk(scriptedModel([{ content: [{ type: "text", text: "Hi." }] }])), {
      mode: "record",
    });
    const model = { ...embedder("v3").model, doEmbed: () => Promise.reject(new Error("quota")) };
    const [, sdk] = SDKS[0] as (typeof SDKS)[number];
    const embed = () => sdk.embed({ model: cassetteEmbeddingModel(handle, model) as never, value: "a", maxRetries: 0 });
    expect(await rejection(embed())).toMatchObject({ message: "quota" });
    await sdk.generateText({ model: toAiSdk(handle.provider), prompt: "Hi" });
    await handle.done();
    expect(files.texts.get(FILE)).not.toContain("exchanges");
  });
});
