// What changes the behaviour of a model under LangChain and must not replay an old answer; what is handed in by mistake; calls at once.

import { AIMessage, AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { FakeEmbeddings } from "@langchain/core/utils/testing";
import { fakeModel } from "@langchain/core/testing";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { FakeChatModel } from "@langchain/core/utils/testing";
import { RunnableParallel } from "@langchain/core/runnables";
import { createAgent, tool } from "langchain";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import type { LlmProviderAdapter, LlmTurnRequest } from "../../src/core/model/provider.js";
import { openaiProvider } from "../../src/core/vendors/providers.js";
import { cassetteChatModel, fromLangChain } from "../../src/entry/langchain.js";
import { say } from "../support/script.js";
import { rejection } from "../support/refusal.js";

beforeAll(() => {
  process.env["LANGSMITH_TRACING"] = "false";
  process.env["LANGCHAIN_TRACING_V2"] = "false";
});

const weather = (more: object = {}) =>
  tool(({ city }: { city: string }) => `rain in ${city}`, {
    name: "weather",
    description: "The weather in a city.",
    schema: z.object({ city: z.string() }),
    ...more,
  });

function spy() {
  const seen: LlmTurnRequest[] = [];
  const provider: LlmProviderAdapter = { turn: async (request) => (seen.push(request), say("ok")) };
  return { seen, provider };
}

describe("structured output", () => {
  const schema = z.object({ city: z.string() });

  it("has the model call its tool, whole and with the raw message", async () => {
    const { seen, provider } = spy();
    const model = cassetteChatModel(provider);
    expect(String(await rejection(model.withStructuredOutput(schema, { name: "auto" }).invoke("Where?")))).toContain(
      "No tool call",
    );
    await model.withStructuredOutput(schema, { includeRaw: true }).invoke("Where?");
    expect(seen.map(({ settings }) => settings)).toEqual([
      { toolChoice: { name: "auto" } },
      { toolChoice: { name: "extract" } },
    ]);
  });

  it("goes to a model of LangChain as its own words, and is replayed", async () => {
    const bound: unknown[] = [];
    const live = fakeModel().respondWithTools([{ id: "c", name: "extract", args: { city: "Oslo" } }]);
    const bindTools = live.bindTools.bind(live);
    live.bindTools = (tools: never, options?: never) => (bound.push(options), bindTools(tools));
    const recorder = recordingProvider(fromLangChain(live));
    const ask = (provider: LlmProviderAdapter) =>
      cassetteChatModel(provider).withStructuredOutput(schema).invoke("Where?");
    expect(await ask(recorder)).toEqual({ city: "Oslo" });
    expect(bound).toEqual([{ tool_choice: "extract" }]);
    const tape = cassetteProvider(recorder.toCassette());
    expect(await ask(tape)).toEqual({ city: "Oslo" });
    tape.assertConsumed();
  });

  it("comes from an agent that has tools as well", async () => {
    const live = () =>
      fakeModel()
        .respondWithTools([{ id: "a", name: "weather", args: { city: "Oslo" } }])
        .respondWithTools([{ id: "b", name: "extract-1", args: { city: "Oslo" } }]);
    const run = async (provider: LlmProviderAdapter) => {
      const shaped = {
        title: "extract-1",
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      };
      const agent = createAgent({
        model: cassetteChatModel(provider),
        tools: [weather()],
        responseFormat: shaped as never,
      });
      const state: unknown = await agent.invoke({ messages: [{ role: "user", content: "Where?" }] });
      return (state as { structuredResponse?: unknown }).structuredResponse;
    };
    const recorder = recordingProvider(fromLangChain(live()));
    expect(await run(recorder)).toEqual({ city: "Oslo" });
    const tape = cassetteProvider(recorder.toCassette());
    expect(await run(tape)).toEqual({ city: "Oslo" });
    tape.assertConsumed();
  });
});

describe("a call that asks for another behaviour", () => {
  const said = (options: object, more: object = {}) => {
    const { seen, provider } = spy();
    const model = cassetteChatModel(provider).bindTools([weather(more)], options as never);
    return { seen, answer: model.invoke("Hi") };
  };

  it.each([
    [{ strict: true }, { strict: true }],
    [{ parallel_tool_calls: false }, { parallel_tool_calls: false }],
  ])("is another question: %j", async (options, kept) => {
    const { seen, answer } = said(options);
    await answer;
    expect(seen[0]?.settings).toEqual({ langchain: kept });
  });

  it("tells a strict tool and a loose format from others", async () => {
    const { seen, provider } = spy();
    const form = { type: "function", function: { name: "f", parameters: { type: "object" }, strict: true } };
    const format = { type: "json_schema", json_schema: { name: "w", schema: {}, strict: false } };
    await cassetteChatModel(provider).bindTools([form]).invoke("Hi", { response_format: format });
    expect(seen[0]).toMatchObject({
      tools: [{ name: "f", langchain: { strict: true } }],
      settings: { langchain: { looseFormat: true } },
    });
  });

  it("reaches the live model", async () => {
    const bound: unknown[] = [];
    const live = fakeModel().respond(new AIMessage("ok"));
    const bindTools = live.bindTools.bind(live);
    live.bindTools = (tools: never, options?: never) => (bound.push(tools, options), bindTools(tools));
    const form = { type: "function", function: { name: "f", parameters: { type: "object" }, strict: true } };
    await cassetteChatModel(fromLangChain(live))
      .bindTools([form], { parallel_tool_calls: false } as never)
      .invoke("Hi");
    expect(bound).toMatchObject([[{ function: { strict: true } }], { parallel_tool_calls: false }]);
  });

  it("is refused by a provider of ours that has no words for it, before anything is sent", async () => {
    const fetch = () => Promise.reject(new Error("sent"));
    const model = cassetteChatModel(openaiProvider({ apiKey: "none", model: "m", fetch: fetch as never }));
    const error = await rejection(model.bindTools([weather()], { parallel_tool_calls: false } as never).invoke("Hi"));
    expect(error).toMatchObject({ code: "invalid-options", message: expect.stringContaining("langchain") as string });
  });

  it.each([
    [{ tool_choice: { type: "auto", disable_parallel_tool_use: true } }, {}, "disable_parallel_tool_use"],
    [{}, { extras: { defer_loading: true } }, "extras"],
  ])("is refused by name: %j %j", async (options, more, name) => {
    const error = await rejection((async () => said(options, more).answer)());
    expect(error).toMatchObject({ code: "cannot-convert", message: expect.stringContaining(name) as string });
  });

  it("is refused by name: a format for one vendor, unless it comes with the one for all", async () => {
    const { seen, provider } = spy();
    const schema = { type: "object" };
    const options = { responseSchema: schema, outputConfig: {} };
    const model = cassetteChatModel(provider);
    const error = await rejection(model.invoke("Hi", options as never));
    expect(error).toMatchObject({
      code: "cannot-convert",
      message: expect.stringContaining("responseSchema") as string,
    });
    const format = { type: "json_schema", json_schema: { name: "w", schema } };
    await model.invoke("Hi", { ...options, response_format: format } as never);
    expect(seen[0]?.settings).toEqual({ responseFormat: { name: "w", schema } });
  });

  it("is refused by name: an image with metadata", async () => {
    const image = { type: "image", source_type: "url", url: "https://example.com/a.png", metadata: { detail: "high" } };
    const { provider } = spy();
    const error = await rejection(cassetteChatModel(provider).invoke([new HumanMessage({ content: [image] })]));
    expect(error).toMatchObject({ message: expect.stringContaining("metadata") as string });
  });

  it("goes without what ignore names", async () => {
    const { seen, provider } = spy();
    const model = cassetteChatModel(provider, { ignore: ["strict", "parallel_tool_calls", "extras"] });
    const extras = { extras: { defer_loading: true } };
    await model.bindTools([weather(extras)], { strict: true, parallel_tool_calls: true } as never).invoke("Hi");
    expect(seen[0]?.settings).toBeUndefined();
  });
});

describe("an answer", () => {
  it("keeps the tokens it counted", async () => {
    const usage_metadata = {
      input_tokens: 20,
      output_tokens: 3,
      total_tokens: 30,
      input_token_details: { audio: 4, cache_read: 2 },
      output_token_details: { audio: 1 },
    } as never;
    const recorder = recordingProvider(
      fromLangChain(fakeModel().respond(new AIMessage({ content: "ok", usage_metadata }))),
    );
    await cassetteChatModel(recorder).invoke("Hi");
    const replayed = await cassetteChatModel(cassetteProvider(recorder.toCassette())).invoke("Hi");
    expect(replayed.usage_metadata).toEqual(usage_metadata);
  });

  it("that was aborted does not count, whatever its model does", async () => {
    const controller = new AbortController();
    class Quiet extends FakeChatModel {
      override async *_streamResponseChunks() {
        yield new ChatGenerationChunk({ text: "It", message: new AIMessageChunk("It") });
        controller.abort(new Error("enough"));
      }
    }
    const recorder = recordingProvider(fromLangChain(new Quiet({})));
    const request = { messages: [{ role: "user" as const, content: "Hi" }], signal: controller.signal };
    const read = async () => {
      for await (const _ of recorder.stream?.(request) ?? []);
    };
    await rejection(read());
    expect(recorder.toCassette().entries).toEqual([]);
  });
});

it("whoever listens to a run that records hears what a replay says, and nothing twice", async () => {
  const live = fakeModel()
    .respondWithTools([{ id: "a", name: "weather", args: { city: "Oslo" } }])
    .respond(new AIMessage("Take one."));
  const listen = async (provider: LlmProviderAdapter) => {
    const agent = createAgent({ model: cassetteChatModel(provider), tools: [weather()] });
    const heard: string[] = [];
    const given = { messages: [{ role: "user", content: "Umbrella?" }] };
    for await (const [message] of await agent.stream(given, { streamMode: "messages" })) {
      if (message.type !== "human" && message.text !== "") heard.push(message.text);
    }
    return heard;
  };
  const recorder = recordingProvider(fromLangChain(live));
  const heard = await listen(recorder);
  expect(heard).toEqual(["Umbrella?", "rain in Oslo", "Take one."]);
  expect(await listen(cassetteProvider(recorder.toCassette()))).toEqual(heard);
});

it.each([
  ["a name", "gpt-5", '"gpt-5"'],
  ["embeddings", new FakeEmbeddings(), "an embedding model"],
  ["a provider of ours", { turn() {} }, "a Playhead provider"],
])("fromLangChain names a value that is not a chat model: %s", (_what, model, said) => {
  expect(() => fromLangChain(model as never)).toThrow(said);
});

it("cassetteChatModel names a value that is not a provider", () => {
  expect(() => cassetteChatModel({ provider: { turn() {} } } as never)).toThrow("the handle of useCassette");
});

it("keeps calls at once apart: batch, and branches side by side", async () => {
  const live: LlmProviderAdapter = {
    turn: async ({ messages }) => {
      const asked = String(messages.at(-1)?.content);
      await new Promise((resolve) => setTimeout(resolve, asked === "slow" ? 5 : 0));
      return say(`${asked}!`);
    },
  };
  const run = async (provider: LlmProviderAdapter, asked: string[]) => {
    const model = cassetteChatModel(provider);
    const texts = (await model.batch(asked)).map(({ text }) => text);
    const branches = RunnableParallel.from({ one: model, other: model });
    const { one, other } = await branches.invoke("both");
    return [...texts, one.text, other.text];
  };
  const recorder = recordingProvider(live);
  expect(await run(recorder, ["slow", "fast"])).toEqual(["slow!", "fast!", "both!", "both!"]);
  const tape = cassetteProvider(recorder.toCassette());
  expect(await run(tape, ["fast", "slow"])).toEqual(["fast!", "slow!", "both!", "both!"]);
  tape.assertConsumed();
});
