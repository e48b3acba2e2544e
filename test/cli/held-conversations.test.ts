// Conversations that continue on the vendor's server, by the vendors' own clients: recorded through the proxy in front of a vendor
// that holds them, and served.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createShelf } from "../../src/cassette/serve/shelf.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { proxyHandler } from "../../src/cli/proxy/handler.js";
import { createProxyRecorder, type ProxyRecorder } from "../../src/cli/proxy/recorder.js";
import { serveHandler } from "../../src/cli/serve/handler.js";
import { cassetteHandlers, recordingHandlers, useCassetteHandlers } from "../../src/entry/msw.js";
import { serveHttp, type HttpHandler } from "../../src/host/index.js";
import type { WireRequest } from "../../src/core/wire/turn.js";
import { ask, say } from "../support/script.js";
import { startStatefulVendor } from "../support/stateful-vendor.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder();

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listen(handler: HttpHandler): Promise<string> {
  const { url, close } = await serveHttp(handler);
  closing.push(close);
  return url;
}

/** Calls the tool once for the city of the first message, and then says how long the conversation is. */
function answer({ messages, tools }: WireRequest) {
  const users = messages.filter(({ role }) => role === "user");
  const [first] = users;
  const city = String(first?.content);
  const isCalled = messages.some(({ role }) => role === "tool");
  if (tools !== undefined && !isCalled) return ask([{ id: `call_${city}`, name: "weather", arguments: { city } }]);
  return say(`${city} ${messages.length} ${String(users.at(-1)?.content)}`);
}

/** The outcomes of all requests but the recorded turns. */
const unrecorded = (recorder: ProxyRecorder): string[] =>
  recorder.rows().flatMap(({ outcome }) => (outcome === "turn" ? [] : [outcome]));

async function recording() {
  const live = await startStatefulVendor(answer);
  closing.push(live.close);
  const recorder = createProxyRecorder({
    lost() {},
    without() {},
    passedOn() {},
    exchanged() {},
    closed() {},
    kept() {},
  });
  const notes: string[] = [];
  const note = (why: string): void => void notes.push(why);
  const isPassed = () => false;
  const options = {
    target: new URL(live.url),
    isPassed,
    findSecrets: () => [],
    claim: () => Promise.resolve(undefined),
  };
  const url = await listen(proxyHandler({ ...options, recorder, note, sentBack: note, forgot: note }));
  const cassettes = (): CassetteV2[] => {
    const all = [0, 1, 2, 3].map((index) => recorder.toCassette(index));
    return all.filter((cassette) => cassette !== undefined);
  };
  return { url, live, recorder, notes, cassettes };
}

async function serving(cassettes: readonly CassetteV2[]) {
  const shelf = createShelf(cassettes.map((cassette, index) => ({ file: `${index}`, cassette, names: [] })));
  const seen = { answered: 0, missed: [] as string[], refused: [] as string[], noted: [] as string[] };
  const watcher = {
    answered: () => void seen.answered++,
    missed: ({ message }: { message: string }) => void seen.missed.push(message),
    passed: () => undefined,
    noted: (why: string) => void seen.noted.push(why),
    forgot: (why: string) => void seen.noted.push(why),
    refused: ({ code }: { code: string }) => void seen.refused.push(code),
  };
  const url = await listen(
    serveHandler(shelf, watcher, { nameOf: (file) => file, streaming: { streaming: "chunked", speed: 1 } }),
  );
  const unused = () => shelf.counts().reduce((sum, { turns, used }) => sum + turns - used, 0);
  return { url, seen, unused };
}

const openai = (url: string) => new OpenAI({ apiKey: "sk-test", baseURL: `${url}/v1`, maxRetries: 0 });
const anthropic = (url: string) => new Anthropic({ apiKey: "sk-test", baseURL: url, maxRetries: 0 });

const parameters = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };
const TOOLS = [{ type: "function" as const, name: "weather", parameters, strict: false }];

interface Asked {
  input: string | ResponseInputItem[];
  previous_response_id?: string;
  conversation?: string;
  store?: boolean;
}

async function respond(url: string, asked: Asked, isStream: boolean) {
  const body = { model: "m-1", tools: TOOLS, ...asked };
  return isStream
    ? openai(url).responses.stream(body).finalResponse()
    : ((await openai(url).responses.create(body)) as OpenAI.Responses.Response);
}

/** One conversation, turn by turn: a call, its result, and as many more questions as needed. */
function responsesChain(url: string, city: string, isStream: boolean, begin: Partial<Asked> = {}) {
  let last: OpenAI.Responses.Response | undefined;
  const next = async (input: Asked["input"]): Promise<string> => {
    const continued = begin.conversation === undefined ? { previous_response_id: last?.id } : {};
    last = await respond(url, { ...begin, input, ...(last === undefined ? {} : (continued as object)) }, isStream);
    return last.output_text;
  };
  return {
    id: () => last?.id ?? "",
    output: () => last?.output ?? [],
    begin: () => next(city),
    result() {
      const call = last?.output.find((item) => item.type === "function_call");
      return next([{ type: "function_call_output", call_id: call?.call_id ?? "", output: "rain" }]);
    },
    more: (question: string) => next(question),
  };
}

describe.each([["whole", false] as const, ["streamed", true] as const])("previous_response_id, %s", (_, isStream) => {
  const talk = async (url: string, city: string): Promise<string[]> => {
    const chain = responsesChain(url, city, isStream);
    return [await chain.begin(), await chain.result(), await chain.more("why")];
  };
  const expected = ["", "Oslo 3 Oslo", "Oslo 5 why"];

  it("is recorded as one cassette of whole conversations, and served", async () => {
    const { url, live, recorder, notes, cassettes } = await recording();
    expect(await talk(url, "Oslo")).toEqual(expected);
    expect([recorder.recorded, recorder.lost, unrecorded(recorder), notes]).toEqual([3, [], [], []]);
    // The vendor got what the client sent.
    expect(live.asked.map((body) => "previous_response_id" in body)).toEqual([false, true, true]);
    expect(cassettes().map(({ entries }) => entries.length)).toEqual([3]);

    for (const streamed of [isStream, !isStream]) {
      const server = await serving(cassettes());
      const chain = responsesChain(server.url, "Oslo", streamed);
      expect([await chain.begin(), await chain.result(), await chain.more("why")]).toEqual(expected);
      expect([server.seen, server.unused()]).toMatchObject([{ answered: 3, missed: [], refused: [] }, 0]);
    }
  });

  it("is a recording that a client which sends everything can use", async () => {
    const { url, cassettes } = await recording();
    await talk(url, "Oslo");
    const server = await serving(cassettes());
    const input: ResponseInputItem[] = [{ role: "user", content: "Oslo" }];
    for (const text of expected) {
      const { output, output_text: said } = await respond(server.url, { input: [...input], store: false }, isStream);
      expect(said).toBe(text);
      input.push(...(output as ResponseInputItem[]));
      const isCall = output.some(({ type }) => type === "function_call");
      if (isCall) input.push({ type: "function_call_output", call_id: "call_Oslo", output: "rain" });
      else input.push({ role: "user", content: "why" });
    }
    expect(server.seen.missed).toEqual([]);
  });

  it("gives each of two chains its own answers, whatever the order in which they continue", async () => {
    const { url, cassettes, recorder } = await recording();
    const recorded = ["Oslo", "Rome"].map((city) => responsesChain(url, city, isStream));
    for (const chain of recorded) await chain.begin();
    for (const chain of recorded) await chain.result();
    for (const chain of recorded) await chain.more("why");
    expect([recorder.recorded, cassettes().map(({ entries }) => entries.length)]).toEqual([6, [3, 3]]);

    const server = await serving(cassettes());
    const [oslo, rome] = ["Oslo", "Rome"].map((city) => responsesChain(server.url, city, isStream));
    await oslo?.begin();
    await rome?.begin();
    expect(await rome?.result()).toBe("Rome 3 Rome");
    expect(await rome?.more("why")).toBe("Rome 5 why");
    expect(await oslo?.result()).toBe("Oslo 3 Oslo");
    await expect(oslo?.more("what")).rejects.toMatchObject({ status: 400 });
    expect(await oslo?.more("why")).toBe("Oslo 5 why");
    expect(server.unused()).toBe(0);
  });

  it("can continue one answer twice", async () => {
    const { url, cassettes, recorder } = await recording();
    const fork = async (base: string): Promise<string[]> => {
      const chain = responsesChain(base, "Oslo", isStream);
      await chain.begin();
      await chain.result();
      const previous_response_id = chain.id();
      const said: string[] = [];
      for (const input of ["left", "right"]) {
        said.push((await respond(base, { input, previous_response_id }, isStream)).output_text);
      }
      return said;
    };
    expect(await fork(url)).toEqual(["Oslo 5 left", "Oslo 5 right"]);
    expect(recorder.lost).toEqual([]);
    const server = await serving(cassettes());
    expect(await fork(server.url)).toEqual(["Oslo 5 left", "Oslo 5 right"]);
    expect(server.unused()).toBe(0);
  });

  it("is followed in a request that is not a turn", async () => {
    const { url, recorder, cassettes } = await recording();
    const countTokens = async (base: string): Promise<number> => {
      const chain = responsesChain(base, "Oslo", isStream);
      await chain.begin();
      const body = JSON.stringify({ model: "m-1", previous_response_id: chain.id() });
      const headers = { "content-type": "application/json" };
      return (await fetch(`${base}/v1/responses/input_tokens`, { method: "POST", headers, body })).status;
    };
    expect(await countTokens(url)).toBe(404);
    expect(unrecorded(recorder)).toEqual(["exchange"]);
    const server = await serving(cassettes());
    expect(await countTokens(server.url)).toBe(404);
    expect([server.seen.missed, server.seen.refused, server.unused()]).toEqual([[], [], 0]);
  });

  it("is an exchange for an answer from before the recording", async () => {
    const { url, live, recorder, cassettes } = await recording();
    const before = responsesChain(live.url, "Oslo", isStream);
    await before.begin();
    const input = [{ type: "function_call_output" as const, call_id: "call_Oslo", output: "rain" }];
    const asked = { input, previous_response_id: before.id() };
    expect((await respond(url, asked, isStream)).output_text).toBe("Oslo 3 Oslo");
    const reason = expect.stringContaining("on the vendor's server (previous_response_id)") as string;
    expect(recorder.rows()).toMatchObject([{ outcome: "exchange", count: 1, reason }]);
    await expect(respond(url, { ...asked, previous_response_id: "resp_none" }, isStream)).rejects.toThrow();
    expect(recorder.lost).toEqual([]);
    recorder.end();
    const server = await serving(cassettes());
    expect((await respond(server.url, asked, isStream)).output_text).toBe("Oslo 3 Oslo");
    expect(server.unused()).toBe(0);
  });

  it("is refused as OpenAI does for an id that the server never gave, and for an answer that was not stored", async () => {
    const { url, cassettes } = await recording();
    await talk(url, "Oslo");
    const server = await serving(cassettes());
    const { id } = await respond(server.url, { input: "Oslo", store: false }, isStream);
    for (const previous_response_id of ["resp_none", id]) {
      const input = [{ type: "function_call_output" as const, call_id: "call_Oslo", output: "rain" }];
      await expect(respond(server.url, { input, previous_response_id }, isStream)).rejects.toMatchObject({
        ...{ status: 400, code: "previous_response_not_found", param: "previous_response_id" },
      });
    }
    expect(server.seen.refused).toEqual(["previous_response_not_found", "previous_response_not_found"]);
  });

  it("is not needed for items that an input names by their ids", async () => {
    const { url, cassettes, recorder } = await recording();
    const named = async (base: string): Promise<string> => {
      const { output } = await respond(base, { input: "Oslo" }, isStream);
      const references = output.map(({ id }) => ({ type: "item_reference" as const, id: id ?? "" }));
      const result = { type: "function_call_output" as const, call_id: "call_Oslo", output: "rain" };
      return (await respond(base, { input: [{ role: "user", content: "Oslo" }, ...references, result] }, isStream))
        .output_text;
    };
    expect(await named(url)).toBe("Oslo 3 Oslo");
    expect([recorder.lost, cassettes().map(({ entries }) => entries.length)]).toEqual([[], [2]]);
    const server = await serving(cassettes());
    expect(await named(server.url)).toBe("Oslo 3 Oslo");
    await expect(
      respond(server.url, { input: [{ type: "item_reference", id: "msg_none" }] }, isStream),
    ).rejects.toMatchObject({ status: 404 });
  });

  it("has an equal in conversations that a client creates", async () => {
    const { url, cassettes, recorder } = await recording();
    const converse = async (base: string): Promise<string[]> => {
      const items = [{ type: "message" as const, role: "system" as const, content: "Be brief." }];
      const conversations = await Promise.all([1, 2].map(() => openai(base).conversations.create({ items })));
      const chains = conversations.map(({ id: conversation }, index) =>
        responsesChain(base, ["Oslo", "Rome"][index] ?? "", isStream, { conversation }),
      );
      for (const chain of chains) await chain.begin();
      const said: string[] = [];
      for (const chain of base === url ? chains : chains.toReversed()) {
        said.push(await chain.result(), await chain.more("why"));
      }
      return said.sort();
    };
    const expected = ["Oslo 4 Oslo", "Oslo 6 why", "Rome 4 Rome", "Rome 6 why"];
    expect(await converse(url)).toEqual(expected);
    expect([recorder.recorded, recorder.lost, unrecorded(recorder)]).toEqual([6, [], ["begun"]]);
    const server = await serving(cassettes());
    expect(await converse(server.url)).toEqual(expected);
    expect([server.seen.refused, server.unused()]).toEqual([[], 0]);
    await expect(respond(server.url, { input: "q", conversation: "conv_none" }, isStream)).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe.each([["whole", false] as const, ["streamed", true] as const])("threads of Anthropic, %s", (_, isStream) => {
  const tools = [{ name: "weather", description: "w", input_schema: parameters }];
  const threadAt = (url: string, city: string) => {
    const thread = anthropic(url).beta.messages.thread({ model: "m-1", max_tokens: 100, system: "Be brief.", tools });
    const send = async (content: string | Anthropic.Beta.BetaContentBlockParam[]): Promise<string> => {
      const message = { role: "user" as const, content };
      const reply = isStream ? await thread.stream(message).finalMessage() : await thread.send(message);
      return reply.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    };
    return {
      begin: () => send(city),
      result: () => send([{ type: "tool_result", tool_use_id: `call_${city}`, content: "rain" }]),
      more: (question: string) => send(question),
    };
  };
  const talk = async (url: string, city: string): Promise<string[]> => {
    const thread = threadAt(url, city);
    return [await thread.begin(), await thread.result(), await thread.more("why")];
  };
  const expected = ["", "Oslo 4 Oslo", "Oslo 6 why"];

  it("are recorded whole, and served in any order", async () => {
    const { url, live, recorder, notes, cassettes } = await recording();
    expect(await talk(url, "Oslo")).toEqual(expected);
    await talk(url, "Rome");
    expect([recorder.recorded, recorder.lost, notes]).toEqual([6, [], []]);
    const types = ["create", "continue", "continue"];
    expect(live.asked.map(({ thread }) => (thread as { type: string }).type)).toEqual([...types, ...types]);
    expect(cassettes().map(({ entries }) => entries.length)).toEqual([3, 3]);

    const server = await serving(cassettes());
    const [oslo, rome] = ["Oslo", "Rome"].map((city) => threadAt(server.url, city));
    await oslo?.begin();
    await rome?.begin();
    expect([await rome?.result(), await oslo?.result()]).toEqual(["Rome 4 Rome", "Oslo 4 Oslo"]);
    expect([await oslo?.more("why"), await rome?.more("why")]).toEqual(["Oslo 6 why", "Rome 6 why"]);
    expect([server.seen.noted, server.seen.missed, server.unused()]).toEqual([[], [], 0]);
  });

  it("that began elsewhere are sent again whole by their client", async () => {
    const { url, cassettes, recorder } = await recording();
    await talk(url, "Oslo");
    const [first, second] = [await serving(cassettes()), await serving(cassettes())];
    const client = anthropic(first.url);
    const thread = client.beta.messages.thread({ model: "m-1", max_tokens: 100, system: "Be brief.", tools });
    await thread.send({ role: "user", content: "Oslo" });
    client.baseURL = second.url;
    const result = { type: "tool_result" as const, tool_use_id: "call_Oslo", content: "rain" };
    const reply = await thread.send({ role: "user", content: [result] });
    expect(reply.content).toMatchObject([{ text: "Oslo 4 Oslo" }]);
    expect(second.seen.noted).toEqual([expect.stringContaining("now send the whole conversation by themselves")]);
    expect([second.seen.refused, recorder.lost]).toEqual([[], []]);
  });
});

describe("the handlers of MSW", () => {
  const msw = setupServer();
  beforeAll(() => msw.listen({ onUnhandledRequest: "bypass" }));
  afterAll(() => msw.close());

  it.each([false, true])("record and replay what continues on the server: streamed %s", async (isStream) => {
    const live = await startStatefulVendor(answer);
    closing.push(live.close);
    const baseUrls = { openai: live.url, responses: live.url };
    const talk = async (): Promise<string[]> => {
      const { id: conversation } = await openai(live.url).conversations.create({});
      const chains = [
        responsesChain(live.url, "Oslo", isStream),
        responsesChain(live.url, "Rome", isStream, { conversation }),
      ];
      const said: string[] = [];
      for (const chain of chains) said.push(await chain.begin(), await chain.result(), await chain.more("why"));
      return said;
    };
    const expected = ["", "Oslo 3 Oslo", "Oslo 5 why", "", "Rome 3 Rome", "Rome 5 why"];
    const recorder = recordingHandlers({ baseUrls });
    msw.resetHandlers(...recorder);
    expect(await talk()).toEqual(expected);
    const cassette = await recorder.toCassette();
    const { length } = live.asked;
    const replay = cassetteHandlers(cassette, { baseUrls });
    msw.resetHandlers(...replay);
    expect(await talk()).toEqual(expected);
    await replay.done();
    expect(live.asked).toHaveLength(length);
  });

  it("replay what a file holds", async () => {
    const live = await startStatefulVendor(answer);
    closing.push(live.close);
    const options = { baseUrls: { openai: live.url, responses: live.url } };
    const talk = async (cities: readonly string[]): Promise<string[]> => {
      const chains = cities.map((city) => responsesChain(live.url, city, false));
      for (const chain of chains) await chain.begin();
      const said: string[] = [];
      for (const chain of chains) said.push(await chain.result(), await chain.more("why"));
      return said.sort();
    };
    const expected = ["Oslo 3 Oslo", "Oslo 5 why", "Rome 3 Rome", "Rome 5 why"];
    for (const mode of ["record", "replay"] as const) {
      const handlers = await useCassetteHandlers(folder.path("talk.cassette.json"), { ...options, mode });
      msw.resetHandlers(...handlers);
      expect(await talk(mode === "record" ? ["Oslo", "Rome"] : ["Rome", "Oslo"])).toEqual(expected);
      await handlers.done();
    }
    expect(live.asked).toHaveLength(6);
  });

  it("record a conversation that began before as exchanges", async () => {
    const live = await startStatefulVendor(answer);
    closing.push(live.close);
    const baseUrls = { openai: live.url, responses: live.url };
    const chain = responsesChain(live.url, "Oslo", false);
    await chain.begin();
    const recorder = recordingHandlers({ baseUrls });
    msw.resetHandlers(...recorder);
    expect(await chain.result()).toBe("Oslo 3 Oslo");
    const { extensions } = await recorder.toCassette();
    expect(extensions?.exchanges).toMatchObject([{ path: "/v1/responses", status: 200 }]);
    expect(recorder.requests()).toMatchObject([
      { outcome: "exchange", reason: expect.stringContaining("on the vendor's server (previous_response_id)") },
    ]);
  });
});
