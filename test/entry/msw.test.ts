// Cassettes through MSW, asked by the vendors' own clients: recorded in front of a server on this machine, replayed without it.

import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { setupServer } from "msw/node";
import { http, HttpResponse } from "msw";
import OpenAI from "openai";
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { CassetteError } from "../../src/cassette/errors.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { rebuildPrompts } from "../../src/cassette/prompt/rebuild.js";
import { readStreams } from "../../src/cassette/stream/read.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import type { WireName } from "../../src/core/vendors/table.js";
import { VENDORS } from "../../src/core/vendors/vendors.js";
import { cassetteHandlers, recordingHandlers, useCassetteHandlers } from "../../src/entry/msw.js";
import { useCassette } from "../../src/entry/harness.js";
import { prompt, recordTurns, WEATHER_SCRIPT } from "../support/recording.js";
import { ask, say } from "../support/script.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { startStatefulVendor } from "../support/stateful-vendor.js";
import { startVendor, type Said, type Vendor } from "../support/vendor.js";
import { anthropic11, CLIENT_AGENTS, messageOf, mistral, openai7 } from "../support/vendor-clients.js";
import { listen } from "../support/wire.js";

const folder = temporaryFolder();
const server = setupServer();
const vendors: Vendor[] = [];

beforeEach(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(async () => {
  server.resetHandlers();
  server.close();
  await Promise.all(vendors.splice(0).map((vendor) => vendor.close()));
});
afterAll(() => folder.remove());

/** A vendor that plays the weather run over and over, and how handlers get it. */
async function weatherVendor(script: readonly Said[] = WEATHER_SCRIPT) {
  const vendor = await startVendor((_, index) => script[index % script.length] as Said);
  vendors.push(vendor);
  const { url } = vendor;
  return {
    vendor,
    url,
    baseUrls: { openai: `${url}/v1`, anthropic: url, gemini: url, bedrock: url, cohere: url, ollama: url },
  };
}

async function record(
  wire: WireName,
  isStream = false,
  ask = CLIENT_AGENTS[wire],
): Promise<{ cassette: CassetteV2; url: string; vendor: Vendor }> {
  const { vendor, url, baseUrls } = await weatherVendor();
  const recording = recordingHandlers({ baseUrls });
  server.use(...recording);
  await ask({ url, isStream });
  const cassette = await recording.toCassette({ agentId: "forecaster" });
  server.resetHandlers();
  return { cassette, url, vendor };
}

const JSON_TYPE = { "content-type": "application/json" };
/** A body above the limit of exchanges. */
const TOO_LARGE = JSON.stringify({ input: "x".repeat(8 * 1024 * 1024) });

const rejection = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("recording and replaying through MSW", () => {
  const names = Object.keys(VENDORS) as WireName[];
  const clients = [
    ...names.map((wire) => ({ wire, client: wire as string, ask: CLIENT_AGENTS[wire] })),
    { wire: "openai" as const, client: "openai 7", ask: openai7 },
    { wire: "anthropic" as const, client: "anthropic 1.11", ask: anthropic11 },
    { wire: "openai" as const, client: "mistral", ask: mistral },
  ];
  const cases = clients.flatMap((client) => [false, true].map((isStream) => ({ ...client, isStream })));
  for (const { wire, client, ask, isStream } of cases) {
    it(`records and replays ${client}, ${isStream ? "streamed" : "whole"}`, async () => {
      const { cassette, url, vendor } = await record(wire, isStream, ask);
      expect(vendor.asked).toHaveLength(2);
      expect(parseCassette(formatCassette(cassette))).toEqual(cassette);
      expect(cassette.recordedProvider.startsWith(`${wire}:`)).toBe(true);
      expect(cassette.entries.map(({ response }) => response.stopReason)).toEqual(["toolUse", "stop"]);
      expect(readStreams(cassette).state.kind).toBe(isStream ? "recorded" : "none");

      // Asked the other way than recorded, too.
      for (const streamed of [isStream, !isStream]) {
        const replay = cassetteHandlers(cassette, { baseUrls: { [wire]: wire === "openai" ? `${url}/v1` : url } });
        server.resetHandlers(...replay);
        expect(await ask({ url, isStream: streamed })).toBe("Take an umbrella.");
        await replay.done();
      }
      expect(vendor.asked).toHaveLength(2);
    });
  }

  it.each(clients)("shows $client a miss as the lines that they are", async ({ wire, ask }) => {
    const { cassette, url } = await record(wire, false, ask);
    const replay = cassetteHandlers(cassette, { baseUrls: { [wire]: wire === "openai" ? `${url}/v1` : url } });
    server.use(...replay);
    const message = messageOf(await rejection(ask({ url, goal: "Umbrella in Rome?" })));
    const [first, ...lines] = message.split("\n");
    expect(first).toMatch(/^(?:400 )?turn 0: the user message changed \(message 0\)$/);
    expect(lines.map((line) => line.trim().split(" ")[0])).toEqual(["at", "recorded", "now", "nearest", "file", "to"]);
  });

  it("stands in for the vendors' own addresses where none is named", async () => {
    const { cassette } = await record("anthropic");
    const replay = cassetteHandlers(cassette);
    server.use(...replay);
    expect(await CLIENT_AGENTS.anthropic({ url: "https://api.anthropic.com" })).toBe("Take an umbrella.");
    await replay.done();
  });

  it("replays what was recorded by a provider of ours", async () => {
    const messages = [{ role: "user" as const, content: "Hello" }];
    const cassette = await recordTurns([{ messages }], [say("Hello to you.")]);
    const replay = cassetteHandlers(cassette);
    server.use(...replay);
    const client = new OpenAI({ apiKey: "none", maxRetries: 0 });
    const answer = await client.chat.completions.create({ model: "gpt-4o", messages });
    expect(answer.choices[0]?.message.content).toBe("Hello to you.");
    await replay.done();
  });

  it("filters both sides by what the recording notes, and by what the handlers are given", async () => {
    const ask = async (day: string) => {
      const client = new OpenAI({ apiKey: "none", maxRetries: 0 });
      const messages = [{ role: "user" as const, content: `Today is ${day}. Rain?` }];
      return (await client.chat.completions.create({ model: "gpt-4o", messages })).choices[0]?.message.content;
    };
    const recorded = { messages: [{ role: "user" as const, content: "Today is 2026-11-22. Rain?" }] };
    const quiet = { ports: { warn: () => undefined } };
    const noted = await recordTurns([recorded], [say("No.")], { ...quiet, hashFilter: ["isoDate"] });
    const plain = await recordTurns([recorded], [say("No.")], quiet);
    for (const replay of [cassetteHandlers(noted), cassetteHandlers(plain, { hashFilter: ["isoDate"] })]) {
      server.resetHandlers(...replay);
      expect(await ask("2027-01-01")).toBe("No.");
      await replay.done();
    }
    const without = cassetteHandlers(plain);
    server.resetHandlers(...without);
    await rejection(ask("2027-01-01"));
    expect(((await rejection(without.done())) as Error).message).toContain('hashFilter: ["isoDate"]');
    const own = await recordTurns([recorded], [say("No.")], { ...quiet, hashFilter: (messages) => [...messages] });
    const wrong = cassetteHandlers(own, { hashFilter: (() => undefined) as never });
    server.resetHandlers(...wrong);
    await rejection(ask("2027-01-01"));
    expect(((await rejection(wrong.done())) as Error).message).toContain(
      "hashFilter did not return a list of messages",
    );
  });

  it("records and replays the conversation of a thread whole", async () => {
    const vendor = await startStatefulVendor(({ messages }) => say(`${messages.length}`));
    onTestFinished(() => vendor.close());
    const { url } = vendor;
    const baseUrls = { openai: `${url}/v1`, anthropic: url };
    const talk = async () => {
      const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 });
      const thread = client.beta.messages.thread({ model: "m", max_tokens: 9 });
      for (const content of ["Oslo", "And what else?"]) await thread.send({ role: "user", content });
    };
    const recording = recordingHandlers({ baseUrls });
    server.use(...recording);
    await talk();
    const cassette = await recording.toCassette();
    expect(vendor.asked).toHaveLength(2);
    expect(vendor.asked).toMatchObject([{ thread: { type: "create" } }, { thread: { type: "continue" } }]);
    expect(rebuildPrompts(cassette)?.map((prompt) => prompt.length)).toEqual([1, 3]);
    const replay = cassetteHandlers(cassette, { baseUrls });
    server.resetHandlers(...replay);
    await talk();
    await replay.done();
  });

  it("records a turn that only an exchange can hold, and an error to it on request alone", async () => {
    let status = 429;
    const { baseURL, close } = await listen((request, response) => {
      request.resume();
      response.writeHead(status, { "content-type": "application/json" }).end('{"choices":[]}');
    });
    onTestFinished(close);
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "?" }], n: 2 });
    const headers = { "content-type": "application/json" };
    const ask = async (answered: number) => {
      status = answered;
      return (await fetch(`${baseURL}/chat/completions`, { method: "POST", headers, body })).status;
    };
    for (const keepErrors of [false, true]) {
      const recording = recordingHandlers({ baseUrls: { openai: baseURL }, keepErrors });
      server.resetHandlers(...recording);
      expect([await ask(429), await ask(200)]).toEqual([429, 200]);
      const cassette = await recording.toCassette();
      const statuses = keepErrors ? [429, 200] : [200];
      expect(cassette.extensions?.exchanges?.map((exchange) => exchange.status)).toEqual(statuses);
      const replay = cassetteHandlers(cassette, { baseUrls: { openai: baseURL } });
      server.resetHandlers(...replay);
      for (const recorded of statuses) expect(await ask(500)).toBe(recorded);
      await replay.done();
      expect(await ask(500)).toBe(400);
      expect(await rejection(replay.done())).toMatchObject({ code: "exhausted" });
    }
  });

  it("compares request fields that no setting stands for, where the recording holds any", async () => {
    const { url, baseUrls } = await weatherVendor([say("Three.")]);
    const messages = [{ role: "user" as const, content: "How many?" }];
    const ask = (effort?: "low" | "high") => {
      const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
      const extra = effort === undefined ? {} : { reasoning_effort: effort };
      return client.chat.completions.create({ model: "m", messages, ...extra });
    };
    const recordAs = async (effort?: "low") => {
      const recording = recordingHandlers({ baseUrls });
      server.resetHandlers(...recording);
      await ask(effort);
      return recording.toCassette();
    };
    const held = await recordAs("low");
    const replay = cassetteHandlers(held, { baseUrls });
    server.resetHandlers(...replay);
    await expect(ask("high")).rejects.toThrow("the request field reasoning_effort changed");
    expect((await ask("low")).choices[0]?.message.content).toBe("Three.");

    const file = folder.path("no-fields.cassette.json");
    const complete = cassetteHandlers(await recordAs(), { baseUrls });
    server.resetHandlers(...complete);
    await expect(ask("high")).rejects.toThrow("the request field reasoning_effort was added");

    const plain = await recordTurns([{ messages }], [say("Three.")]);
    writeFileSync(file, formatCassette(plain));
    const handle = await useCassette(file, { turn: () => Promise.reject(new Error("live")) }, { mode: "replay" });
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    try {
      for (const lenient of [cassetteHandlers(handle, { baseUrls }), cassetteHandlers(plain, { baseUrls })]) {
        server.resetHandlers(...lenient);
        await ask("high");
        await lenient.done();
      }
      const text = "not compared: reasoning_effort";
      expect(warn.mock.calls).toEqual([[expect.stringContaining(text)], [expect.stringContaining(text)]]);
    } finally {
      warn.mockRestore();
    }
  });

  it("gives a refusal of OpenAI's back as one, whole and streamed", async () => {
    const content = "I cannot help with that.";
    const refusal = { ...say(content), stopReason: "contentFilter", isRefusal: true } as const;
    const { url, baseUrls } = await weatherVendor([refusal]);
    const messages = [{ role: "user" as const, content: "?" }];
    const ask = async () => {
      const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
      const whole = await client.chat.completions.create({ model: "m", messages });
      const streamed = await client.chat.completions.stream({ model: "m", messages }).finalChatCompletion();
      return [whole, streamed].map(({ choices: [choice] }) => [choice?.message.refusal, choice?.finish_reason]);
    };
    const asSaid = [
      [content, "stop"],
      [content, "stop"],
    ];
    const recording = recordingHandlers({ baseUrls });
    server.use(...recording);
    expect(await ask()).toEqual(asSaid);
    const replay = cassetteHandlers(parseCassette(formatCassette(await recording.toCassette())), { baseUrls });
    server.resetHandlers(...replay);
    expect(await ask()).toEqual(asSaid);
    await replay.done();
  });

  it("keeps no key and no secret of a prompt", async () => {
    const { url, baseUrls } = await weatherVendor([say("Noted.")]);
    const recording = recordingHandlers({ baseUrls });
    server.use(...recording);
    const secret = "sk-" + "proj-" + "a1B2".repeat(12);
    await CLIENT_AGENTS.openai({ url, key: secret, goal: `My key is ${secret}.` });
    const text = formatCassette(await recording.toCassette());
    expect(text).not.toContain(secret);
    expect(text).toContain("<redacted:");
    expect(text).not.toContain("uthorization");
    expect(vendors[0]?.asked[0]?.headers.authorization).toBe(`Bearer ${secret}`);

    const replay = cassetteHandlers(parseCassette(text), { baseUrls });
    server.resetHandlers(...replay);
    expect(await CLIENT_AGENTS.openai({ url, key: "another", goal: `My key is ${secret}.` })).toBe("Noted.");
    await replay.done();
  });

  it("records parallel calls and conversations side by side", async () => {
    const calls = ask([
      { id: "a", name: "weather", arguments: { city: "Oslo" } },
      { id: "b", name: "weather", arguments: { city: "Bergen" } },
    ]);
    const vendor = await startVendor((request) => (request.messages.length > 1 ? say("Rain in both.") : calls));
    vendors.push(vendor);
    const baseUrls = { openai: `${vendor.url}/v1` };
    const recording = recordingHandlers({ baseUrls });
    server.use(...recording);
    const run = (goal: string) => CLIENT_AGENTS.openai({ url: vendor.url, goal });
    await Promise.all([run("First?"), run("Second?")]);
    const cassette = await recording.toCassette();
    expect(cassette.entries).toHaveLength(4);
    const replay = cassetteHandlers(cassette, { baseUrls });
    server.resetHandlers(...replay);
    expect(await Promise.all([run("Second?"), run("First?")])).toEqual(["Rain in both.", "Rain in both."]);
    await replay.done();
  });
});

describe("a replay through MSW that does not fit", () => {
  it("answers a changed prompt with an error and throws the miss at the end", async () => {
    const { cassette, url, vendor } = await record("openai");
    const replay = cassetteHandlers(cassette, { baseUrls: { openai: `${url}/v1` }, file: "weather.cassette.json" });
    server.use(...replay);
    const error = await rejection(CLIENT_AGENTS.openai({ url, goal: "And in Bergen?" }));
    expect(error).toMatchObject({ status: 400, error: { miss: { code: "prompt-changed", pointer: "/0/content" } } });
    const miss = await rejection(replay.done());
    expect(miss).toBeInstanceOf(CassetteError);
    expect(miss).toMatchObject({ code: "prompt-changed", file: "weather.cassette.json" });
    expect(vendor.asked).toHaveLength(2);
  });

  it("says what was left over", async () => {
    const { cassette } = await record("openai");
    const replay = cassetteHandlers(cassette);
    expect(await rejection(replay.done())).toMatchObject({
      code: "unconsumed",
      summary: expect.stringMatching("2 of 2"),
    });
  });

  it("answers nothing twice", async () => {
    const { cassette, url } = await record("ollama");
    const replay = cassetteHandlers(cassette, { baseUrls: { ollama: url } });
    server.use(...replay);
    await CLIENT_AGENTS.ollama({ url });
    expect(await rejection(CLIENT_AGENTS.ollama({ url }))).toMatchObject({ status_code: 400 });
    expect(await rejection(replay.done())).toMatchObject({
      code: "exhausted",
      hint: "Each recorded turn answers once: make new handlers for a second run, or record a longer one.",
    });
  });

  it("refuses an edited cassette", async () => {
    const { cassette } = await record("openai");
    const edited = JSON.parse(JSON.stringify(cassette)) as CassetteV2;
    (edited.entries[1] as { response: { message: { content: string } } }).response.message.content = "Stay in.";
    expect(() => cassetteHandlers(edited)).toThrow(expect.objectContaining({ code: "response-hash" }));
  });

  it("lets nothing below a vendor's address out, whatever MSW would do with it", async () => {
    const { cassette, url, vendor } = await record("openai");
    server.close();
    server.listen({ onUnhandledRequest: "bypass" });
    const replay = cassetteHandlers(cassette, { baseUrls: { openai: `${url}/v1` } });
    server.use(...replay);
    const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
    const error = await rejection(client.embeddings.create({ model: "m", input: "Hello" }));
    expect(error).toMatchObject({ status: 404, code: "unknown-path" });
    expect(vendor.asked).toHaveLength(2);
    expect(await rejection(replay.done())).toMatchObject({ message: expect.stringMatching("/v1/embeddings") });
  });

  it("lets no request to another address out under onUnhandledRequest: error", async () => {
    const { url } = await weatherVendor();
    server.use(...cassetteHandlers((await record("openai")).cassette));
    expect(await rejection(fetch(`${url}/canary`))).toBeInstanceOf(Error);
    expect(vendors[0]?.asked).toEqual([]);
  });

  it("answers 400 to a request that is not a turn", async () => {
    const { cassette } = await record("openai");
    const replay = cassetteHandlers(cassette);
    server.use(...replay);
    const url = "https://api.openai.com/v1/chat/completions";
    const torn = await fetch(url, { method: "POST", body: "{torn" });
    const audio = { messages: [{ role: "user", content: [{ type: "input_audio" }] }] };
    const unheld = await fetch(url, { method: "POST", body: JSON.stringify(audio) });
    expect([torn.status, unheld.status]).toEqual([400, 400]);
    expect(await rejection(replay.done())).toMatchObject({ message: expect.stringMatching("not JSON") });
  });

  it("leaves a path to a handler that comes first", async () => {
    const { cassette } = await record("openai");
    const replay = cassetteHandlers(cassette);
    server.use(
      http.post("https://api.openai.com/v1/embeddings", () => HttpResponse.json({ data: [] })),
      ...replay,
    );
    const answer = await fetch("https://api.openai.com/v1/embeddings", { method: "POST", body: "{}" });
    expect(await answer.json()).toEqual({ data: [] });
  });
});

describe("several cassettes", () => {
  it("answer side by side from one list, each turn once", async () => {
    const one = await record("openai");
    const other = await record("anthropic");
    const replay = cassetteHandlers([one.cassette, other.cassette], {
      baseUrls: { openai: `${one.url}/v1`, anthropic: other.url },
      file: "runs",
    });
    server.use(...replay);
    const answers = [CLIENT_AGENTS.openai(one), CLIENT_AGENTS.anthropic(other)];
    expect(await Promise.all(answers)).toEqual(["Take an umbrella.", "Take an umbrella."]);
    await replay.done();
    expect(await rejection(CLIENT_AGENTS.openai(one))).toMatchObject({ status: 400 });
    expect(() => cassetteHandlers([])).toThrow("an empty list");
  });
});

describe("a miss among several cassettes", () => {
  it("is compared with the nearest turn, and names its cassette by its place and its first words", async () => {
    const texts = ["Tell me a joke", "What is the capital of France?", "Write a poem / a song"];
    const cassettes = await Promise.all(texts.map((text) => recordTurns([prompt(text)], [say("ok")])));
    const url = "https://api.openai.com/v1/chat/completions";
    const ask = (content: string) =>
      fetch(url, { method: "POST", body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }) });
    const replay = cassetteHandlers(cassettes);
    server.use(...replay);
    const named = async (text: string) => (await ask(text)).headers.get("x-playhead-cassette");
    expect(await named(texts[2] ?? "")).toBe(encodeURI("cassette 3 of 3"));
    await ask(texts[0] ?? "");
    expect((await ask("What is the capital of Spain?")).status).toBe(400);
    const error = (await rejection(replay.done())) as CassetteError;
    expect(error).toMatchObject({
      code: "prompt-changed",
      file: 'cassette 2 of 3 ("What is the capital of France?")',
    });
  });
});

describe("an API that was not recorded", () => {
  const embed = (url: string) =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey: "none" }).embeddings.create({ model: "m", input: "?" });

  it("is named to the client of a replay, which does not ask again", async () => {
    const { cassette, url, baseUrls } = { ...(await record("openai")), ...(await weatherVendor()) };
    const replay = cassetteHandlers(cassette, { baseUrls });
    server.use(...replay);
    expect(await rejection(embed(url))).toMatchObject({
      status: 404,
      message: expect.stringContaining("is not a conversation turn, and no exchange was recorded"),
    });
  });

  it("is recorded as an exchange", async () => {
    const { url, baseUrls } = await weatherVendor();
    const recording = recordingHandlers({ baseUrls });
    server.use(...recording);
    await embed(url).catch(() => undefined);
    expect((await recording.toCassette()).extensions?.exchanges).toMatchObject([{ path: "/v1/embeddings" }]);
  });
});

describe("a recording through MSW", () => {
  for (const wire of ["openai", "anthropic"] as const) {
    it(`lets the client of ${wire} try again, and keeps the answer alone`, async () => {
      const { vendor, url, baseUrls } = await weatherVendor([
        { status: 500, body: `{"error":{"message":"overloaded"}}` },
        say("Rain."),
      ]);
      const recording = recordingHandlers({ baseUrls });
      server.use(...recording);
      // Before it asks again the client cancels the body of the refusal. Node 26 and MSW 2 double that body in a way of their own.
      if (Number.parseInt(process.versions.node) >= 26) {
        server.events.on("response:mocked", ({ response }) => void response.body?.cancel());
      }
      const messages = [{ role: "user" as const, content: "?" }];
      if (wire === "openai") {
        const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 1 });
        const answer = await client.chat.completions.create({ model: "m", messages });
        expect(answer.choices[0]?.message.content).toBe("Rain.");
      } else {
        const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 1 });
        const answer = await client.messages.create({ model: "m", max_tokens: 9, messages });
        expect(answer.content).toMatchObject([{ text: "Rain." }]);
      }
      expect(vendor.asked).toHaveLength(2);
      expect((await recording.toCassette()).entries).toHaveLength(1);
      server.events.removeAllListeners();
    });
  }

  it("passes the vendor's errors on and keeps none", async () => {
    const { url, baseUrls } = await weatherVendor([
      { status: 500, body: `{"error":{"message":"overloaded"}}` },
      say("Rain."),
    ]);
    const recording = recordingHandlers({ baseUrls });
    server.use(...recording);
    expect(await rejection(CLIENT_AGENTS.openai({ url }))).toMatchObject({ status: 500 });
    expect(await CLIENT_AGENTS.openai({ url })).toBe("Rain.");
    const cassette = await recording.toCassette();
    expect(cassette.entries.map(({ response }) => response.message.content)).toEqual(["Rain."]);
  });

  it("says that a stream which broke off was not recorded", async () => {
    const { url, baseUrls } = await weatherVendor([{ broken: `data: {"choices":[{"delta":{"content":"Ra"}}]}\n\n` }]);
    const recording = recordingHandlers({ baseUrls });
    server.use(...recording);
    expect(await rejection(CLIENT_AGENTS.openai({ url, isStream: true }))).toBeInstanceOf(Error);
    const lost = { code: "not-recordable", message: expect.stringContaining("the vendor's answer broke off") };
    expect(await rejection(recording.done())).toMatchObject(lost);
    expect(await rejection(recording.toCassette())).toMatchObject(lost);
  });

  it("warns once of each kind of content that a cassette cannot hold, and records the rest", async () => {
    const content = [{ type: "text", text: "Rain." }, { type: "container_upload" }, { type: "compaction" }];
    const body = JSON.stringify({ type: "message", role: "assistant", content, stop_reason: "end_turn", usage: {} });
    const { url, baseUrls } = await weatherVendor([{ status: 200, body }]);
    const texts: string[] = [];
    const recording = recordingHandlers({ baseUrls, ports: { warn: (text) => void texts.push(text) } });
    server.use(...recording);
    for (const _ of [1, 2]) expect(await CLIENT_AGENTS.anthropic({ url })).toBe("Rain.");
    expect((await recording.toCassette()).entries.map(({ response }) => response.message.content)).toEqual([
      "Rain.",
      "Rain.",
    ]);
    expect(texts).toEqual(
      ['a block of type "container_upload"', 'a block of type "compaction"'].map(
        (what) => `playhead: an answer has ${what}, which a cassette cannot hold. It was recorded without it.`,
      ),
    );
  });

  it("gives the client the failure of a vendor that cannot be reached", async () => {
    const { vendor, url, baseUrls } = await weatherVendor();
    await vendor.close();
    const recording = recordingHandlers({ baseUrls });
    server.use(...recording);
    expect(await rejection(CLIENT_AGENTS.openai({ url }))).toMatchObject({
      message: expect.stringMatching("Connection"),
    });
    expect((await recording.toCassette()).entries).toEqual([]);
  });

  it("records other paths as exchanges, except those that pass names", async () => {
    const { vendor, url, baseUrls } = await weatherVendor();
    const recording = recordingHandlers({ baseUrls, pass: ["GET /v1/models"] });
    server.use(...recording);
    for (const _ of [1, 2]) {
      const answer = await fetch(`${url}/v1/messages/count_tokens?key=hidden`, { method: "POST", body: "{}" });
      expect(await answer.json()).toEqual({ path: "/v1/messages/count_tokens?key=hidden" });
    }
    await fetch(`${url}/v1/models`);
    const cassette = await recording.toCassette();
    expect(recording.requests()).toEqual([
      { method: "POST", path: `${url}/v1/messages/count_tokens`, outcome: "exchange", count: 2 },
      { method: "GET", path: `${url}/v1/models`, outcome: "passed", count: 1 },
    ]);
    expect(cassette.extensions?.exchanges?.map(({ query }) => query)).toEqual([undefined, undefined]);
    expect(vendor.asked).toHaveLength(3);
  });
});

describe("useCassetteHandlers", () => {
  it("records once and replays from then on", async () => {
    const { vendor, url, baseUrls } = await weatherVendor();
    const file = folder.path("used.cassette.json");
    for (const mode of ["record", "replay", "auto"] as const) {
      const cassette = await useCassetteHandlers(file, { mode, baseUrls, agentId: "forecaster" });
      server.resetHandlers(...cassette);
      expect(await CLIENT_AGENTS.anthropic({ url, isStream: true })).toBe("Take an umbrella.");
      await cassette.done();
      expect(cassette.mode).toBe(mode === "auto" ? "replay" : mode);
    }
    expect(vendor.asked).toHaveLength(2);
    expect(parseCassette(readFileSync(file, "utf8")).agentId).toBe("forecaster");
  });

  it("records again from the first turn that is another", async () => {
    const { vendor, url, baseUrls } = await weatherVendor([...WEATHER_SCRIPT, say("Take a hat.")]);
    const file = folder.path("resumed.cassette.json");
    const recording = recordingHandlers({ baseUrls });
    server.resetHandlers(...recording);
    await CLIENT_AGENTS.openai({ url });
    writeFileSync(file, formatCassette(await recording.toCassette()));

    const again = await useCassetteHandlers(file, { mode: "from-first-miss", baseUrls });
    server.resetHandlers(...again);
    expect(await CLIENT_AGENTS.openai({ url, isStream: true })).toBe("Take an umbrella.");
    expect(vendor.asked).toHaveLength(2);
    expect(await CLIENT_AGENTS.openai({ url, goal: "And in the sun?" })).toBe("Take a hat.");
    await again.done();
    expect(vendor.asked).toHaveLength(3);
    expect(parseCassette(readFileSync(file, "utf8")).entries).toHaveLength(3);
  });

  it.each(["an answer", "a conversation"])("gives the vendor all of %s that was replayed", async (what) => {
    const vendor = await startStatefulVendor(({ messages }) => say(`${messages.length}`));
    onTestFinished(() => vendor.close());
    const baseUrls = { openai: `${vendor.url}/v1` };
    const talk = async (...inputs: string[]) => {
      const client = new OpenAI({ apiKey: "none", baseURL: baseUrls.openai, maxRetries: 0 });
      const begun = what === "an answer" ? undefined : await client.conversations.create();
      const said: string[] = [];
      let previous: string | undefined;
      for (const input of inputs) {
        const continued = begun === undefined ? { previous_response_id: previous ?? null } : { conversation: begun.id };
        const answer = await client.responses.create({ model: "m", input, ...continued });
        previous = answer.id;
        said.push(answer.output_text);
      }
      return said;
    };
    const file = folder.path(`all-of-${what.replace(" ", "-")}.cassette.json`);
    const recording = recordingHandlers({ baseUrls });
    server.resetHandlers(...recording);
    expect(await talk("Oslo", "Rome")).toEqual(["1", "3"]);
    writeFileSync(file, formatCassette(await recording.toCassette()));
    const again = await useCassetteHandlers(file, { mode: "from-first-miss", baseUrls });
    server.resetHandlers(...again);
    expect(await talk("Oslo", "Paris", "Nice")).toEqual(["1", "3", "5"]);
    await again.done();
    const prompts = rebuildPrompts(parseCassette(readFileSync(file, "utf8")) as CassetteV2);
    expect(prompts?.map((prompt) => prompt.map(({ content }) => content))).toEqual([
      ["Oslo"],
      ["Oslo", "1", "Paris"],
      ["Oslo", "1", "Paris", "3", "Nice"],
    ]);
  });

  it("keeps the recording of a failed test in another file, also after a request that is not a turn", async () => {
    const { url, baseUrls } = await weatherVendor();
    const file = folder.path("wrong.cassette.json");
    const failed = folder.path("wrong.failed.cassette.json");
    const recording = await useCassetteHandlers(file, { mode: "record", baseUrls });
    server.resetHandlers(...recording);
    await CLIENT_AGENTS.openai({ url });
    await fetch(`${url}/v1/models`);
    await recording.done({ failed: true });
    expect(existsSync(file)).toBe(false);
    const kept = parseCassette(readFileSync(failed, "utf8")) as CassetteV2;
    expect([kept.entries.length, kept.extensions?.exchanges?.length]).toEqual([2, 1]);

    const missing = await rejection(useCassetteHandlers(file, { mode: "replay", baseUrls }));
    expect((missing as CassetteError).hint).toContain("adopt it: npx playhead record --adopt ");
    renameSync(failed, file);
    const replay = await useCassetteHandlers(file, { mode: "replay", baseUrls });
    server.resetHandlers(...replay);
    await CLIENT_AGENTS.openai({ url });
    await fetch(`${url}/v1/models`);
    await replay.done();
    await expect(replay.done({ other: 1 } as object)).rejects.toThrow("done has an unknown option: other");
  });

  it("writes what it recorded, and then names what it could not", async () => {
    const { url, baseUrls } = await weatherVendor();
    const file = folder.path("part.cassette.json");
    const recording = await useCassetteHandlers(file, { mode: "record", baseUrls });
    server.resetHandlers(...recording);
    await CLIENT_AGENTS.openai({ url });
    const huge = () => fetch(`${url}/v1/embeddings`, { method: "POST", headers: JSON_TYPE, body: TOO_LARGE });
    await (await huge()).text();
    expect(await rejection(recording.done())).toMatchObject({
      code: "not-recordable",
      message: expect.stringContaining(`POST ${url}/v1/embeddings passed on, not recorded: 1 time`),
    });
    expect(parseCassette(readFileSync(file, "utf8")).entries).toHaveLength(2);

    const replay = await useCassetteHandlers(file, { mode: "replay", baseUrls });
    server.resetHandlers(...replay);
    await CLIENT_AGENTS.openai({ url });
    expect((await huge()).status).toBe(404);
    expect(await rejection(replay.done())).toMatchObject({
      message: expect.stringContaining(`POST ${url}/v1/embeddings refused: 1 time`),
    });
  });

  it("records exchanges without a turn, and fails for one that is missed or unused", async () => {
    const { url, baseUrls, vendor } = await weatherVendor();
    const file = folder.path("embedded.cassette.json");
    const embed = (input: string) =>
      fetch(`${url}/v1/embeddings`, { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ input }) });
    const recording = await useCassetteHandlers(file, { mode: "record", baseUrls });
    server.resetHandlers(...recording);
    await embed("one");
    await embed("two");
    await recording.done();
    expect(recording.requests()).toEqual([
      { method: "POST", path: `${url}/v1/embeddings`, outcome: "exchange", count: 2 },
    ]);
    const replay = await useCassetteHandlers(file, { mode: "replay", baseUrls });
    server.resetHandlers(...replay);
    expect((await embed("two")).status).toBe(200);
    expect(await rejection(replay.done())).toMatchObject({
      code: "unconsumed",
      summary: "1 of 2 recorded exchanges was never requested: exchange 0 (POST /v1/embeddings)",
      file,
    });
    const missed = await useCassetteHandlers(file, { mode: "replay", baseUrls });
    server.resetHandlers(...missed);
    for (const body of [{ input: "three" }, TOO_LARGE]) {
      const given = typeof body === "string" ? body : JSON.stringify(body);
      const response = await fetch(`${url}/v1/embeddings`, { method: "POST", headers: JSON_TYPE, body: given });
      expect([response.status, response.headers.get("x-should-retry")]).toEqual([
        typeof body === "string" ? 404 : 400,
        "false",
      ]);
    }
    expect(await rejection(missed.done())).toMatchObject({ code: "exchange-changed", pointer: "/request/json/input" });
    expect(vendor.asked).toHaveLength(2);
  });

  it("records again only exchanges that are new, and keeps the file of a run that repeats", async () => {
    const { url, baseUrls, vendor } = await weatherVendor();
    let file = "";
    const embed = (input: string) =>
      fetch(`${url}/v1/embeddings`, { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ input }) });
    const runs = [
      { mode: "record", inputs: ["one", "two"], asked: 4 },
      { mode: "from-first-miss", inputs: ["two", "one"], asked: 4 },
      { mode: "from-first-miss", inputs: ["two", "three"], asked: 5 },
      { mode: "from-first-miss", inputs: ["three"], asked: 5 },
      { mode: "replay", inputs: ["three"], asked: 5 },
    ] as const;
    const ids: string[] = [];
    for (const [index, { mode, inputs, asked }] of runs.entries()) {
      // A process records a file once.
      const last = file;
      file = folder.path(`again-${index}.cassette.json`);
      if (last !== "") copyFileSync(last, file);
      const handlers = await useCassetteHandlers(file, { mode, baseUrls });
      server.resetHandlers(...handlers);
      expect(await CLIENT_AGENTS.openai({ url })).toBe("Take an umbrella.");
      for (const input of inputs) expect((await embed(input)).status).toBe(200);
      await handlers.done();
      const { cassetteId, extensions } = parseCassette(readFileSync(file, "utf8")) as CassetteV2;
      ids.push(cassetteId);
      const kept = mode === "from-first-miss" && inputs[0] === "two" && inputs.length === 2 ? inputs : undefined;
      if (kept?.[1] === "three") {
        expect(extensions?.exchanges?.map(({ request }) => request)).toEqual(
          kept.map((input) => ({ json: { input } })),
        );
      }
      expect(vendor.asked).toHaveLength(asked);
    }
    expect(ids.map((id) => ids.indexOf(id))).toEqual([0, 0, 2, 3, 3]);
  });

  it("says why nothing was recorded, in words for handlers", async () => {
    const { url, baseUrls } = await weatherVendor();
    const options = { mode: "record", baseUrls } as const;
    const asked = await useCassetteHandlers(folder.path("too-large.cassette.json"), options);
    server.resetHandlers(...asked);
    await (await fetch(`${url}/v1/embeddings`, { method: "POST", headers: JSON_TYPE, body: TOO_LARGE })).text();
    const idle = await useCassetteHandlers(folder.path("idle.cassette.json"), options);
    expect(await rejection(asked.done())).toMatchObject({
      code: "nothing-recorded",
      summary: expect.stringContaining(`POST ${url}/v1/embeddings passed on, not recorded: 1 time`),
      hint: expect.stringContaining("Put a handler of your own"),
    });
    const nothing = await rejection(idle.done());
    expect(nothing).toMatchObject({ code: "nothing-recorded", hint: expect.stringContaining("baseUrls") });
    expect((nothing as Error).message).not.toContain("the provider of useCassette");
  });

  it("fails no live run because of what is not recorded", async () => {
    const { url, baseUrls } = await weatherVendor();
    const live = await useCassetteHandlers(folder.path("live.cassette.json"), { mode: "live", baseUrls });
    server.resetHandlers(...live);
    expect((await fetch(`${url}/v1/models`)).status).toBe(200);
    await live.done();
  });

  it("throws the miss of a replay at the end", async () => {
    const { url, baseUrls } = await weatherVendor();
    const file = folder.path("missed.cassette.json");
    const recording = await useCassetteHandlers(file, { mode: "record", baseUrls });
    server.resetHandlers(...recording);
    await CLIENT_AGENTS.openai({ url });
    await recording.done();
    const replay = await useCassetteHandlers(file, { mode: "replay", baseUrls });
    server.resetHandlers(...replay);
    expect(await rejection(CLIENT_AGENTS.openai({ url, goal: "Other" }))).toMatchObject({ status: 400 });
    await fetch(`${url}/v1/models`);
    const miss = await rejection(replay.done());
    expect(miss).toMatchObject({ code: "prompt-changed", miss: { code: "prompt-changed" } });
    expect((miss as Error).message).toContain(`  also     GET ${url}/v1/models refused: 1 time`);
  });

  it("takes the handle of a replay, and no other", async () => {
    const { url, baseUrls } = await weatherVendor();
    const file = folder.path("handle.cassette.json");
    const recording = await useCassetteHandlers(file, { mode: "record", baseUrls });
    server.resetHandlers(...recording);
    await CLIENT_AGENTS.openai({ url });
    expect(() => cassetteHandlers({ ...recording, mode: "record" } as never)).toThrow("mode record");
    await recording.done();

    const live = () => {
      throw new Error("a replay asks nobody");
    };
    const handle = await useCassette(file, live, { mode: "replay" });
    const replay = cassetteHandlers(handle, { baseUrls });
    server.resetHandlers(...replay);
    expect(await CLIENT_AGENTS.openai({ url })).toBe("Take an umbrella.");
    await replay.done();
    expect(() => cassetteHandlers(handle, { streaming: "whole" })).toThrow("streaming");
  });

  it("refuses options that nobody reads", async () => {
    const { cassette } = await record("openai");
    expect(() => cassetteHandlers(cassette, { baseURL: "x" } as never)).toThrow("baseURL");
    expect(() => cassetteHandlers(cassette, { baseUrls: { mistral: "https://x.test" } as never })).toThrow("mistral");
    expect(() => cassetteHandlers(cassette, { baseUrls: { openai: "api.openai.com" } })).toThrow("absolute URL");
    expect(() => recordingHandlers({ file: "x" } as never)).toThrow("file");
    expect(() => cassetteHandlers(undefined as never)).toThrow(CassetteError);
    await expect(useCassetteHandlers("a.cassette.json", { streaming: "timed" })).rejects.toThrow("recorded time");
  });
});
