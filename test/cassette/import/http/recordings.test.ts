import { gzipSync, deflateSync, brotliCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { exchangesOf } from "../../../../src/cassette/exchange/player.js";
import { importLog, type ImportedCassette } from "../../../../src/cassette/import/import.js";
import { MAX_EXCHANGES, MAX_RECORDED_BODY_BYTES } from "../../../../src/cassette/limits.js";
import { cassetteProvider } from "../../../../src/cassette/replay/replay.js";
import type { LlmTurnResponse } from "../../../../src/core/model/provider.js";
import { parseOpenAi } from "../../../../src/core/vendors/openai/parse.js";
import { VENDORS } from "../../../../src/core/vendors/vendors.js";
import { bodyBytes } from "../../../support/wire.js";
import { importOf, rebuildPrompts } from "../verify.js";

interface Exchange {
  url?: string;
  method?: string;
  status?: number;
  request: unknown;
  answer: unknown;
  encoding?: string;
}

const URL = "https://api.openai.com/v1/chat/completions";
const user = (content: string) => ({ role: "user", content });
const ask = (...messages: object[]) => ({ model: "m-1", messages });
const say = (content: string) => ({
  model: "m-1-2026",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
  usage: { prompt_tokens: 3, completion_tokens: 1 },
});
const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

/** The exchanges of all cassettes. */
const kept = (runs: ImportedCassette[]) => runs.flatMap(({ cassette }) => exchangesOf(cassette));

/** Imports a record, and hears of every part that is refused. */
function read(record: unknown): { runs: ImportedCassette[]; refused: string[] } {
  const refused: string[] = [];
  const runs = [
    ...importLog(JSON.stringify(record), {
      source: "rec.json",
      recordedAt: "2026-11-20T12:00:00.000Z",
      onError: (error) => refused.push(`${error.code}: ${error.summary}`),
    }),
  ];
  return { runs, refused };
}

const har = (exchanges: Exchange[], content?: object) => ({
  log: {
    version: "1.2",
    _recordingName: "a suite/a test",
    entries: exchanges.map(({ url = URL, method = "POST", status = 200, request, answer, encoding }) => ({
      request: { method, url, postData: { mimeType: "application/json", text: text(request) } },
      response: {
        status,
        headers: encoding === undefined ? [] : [{ name: "Content-Encoding", value: encoding }],
        content: content ?? { mimeType: "application/json", text: text(answer) },
      },
    })),
  },
});

const vcrPy = (exchanges: Exchange[]) => ({
  version: 1,
  interactions: exchanges.map(({ url = URL, method = "POST", status = 200, request, answer, encoding }) => ({
    request: { method, uri: url, body: text(request), headers: {} },
    response: {
      status: { code: status, message: "OK" },
      headers: encoding === undefined ? {} : { "Content-Encoding": [encoding] },
      body: { string: typeof answer === "object" && answer !== null && "!!binary" in answer ? answer : text(answer) },
    },
  })),
});

const goVcr = (exchanges: Exchange[]) => ({
  version: 2,
  interactions: exchanges.map(({ url = URL, method = "POST", status = 200, request, answer }, id) => ({
    id,
    request: { method, url, body: text(request), headers: { "Content-Type": ["application/json"] } },
    response: { status: `${status} OK`, code: status, body: text(answer), headers: {} },
  })),
});

const rubyVcr = (exchanges: Exchange[]) => ({
  http_interactions: exchanges.map(({ url = URL, method = "post", status = 200, request, answer }) => ({
    request: { method, uri: url, body: { encoding: "UTF-8", string: text(request) }, headers: {} },
    response: {
      status: { code: status, message: "OK" },
      headers: {},
      body: { encoding: "ASCII-8BIT", base64_string: base64(Buffer.from(text(answer))) },
    },
  })),
  recorded_with: "VCR 6.3.1",
});

const nock = (exchanges: Exchange[]) =>
  exchanges.map(({ url = URL, method = "POST", status = 200, request, answer, encoding }) => {
    const { origin, pathname, search } = new globalThis.URL(url);
    const rawHeaders = encoding === undefined ? {} : { rawHeaders: ["Content-Encoding", encoding] };
    return {
      scope: `${origin}:443`,
      method,
      path: pathname + search,
      body: request,
      status,
      response: answer,
      ...rawHeaders,
    };
  });

const TALK: Exchange[] = [
  { request: ask(user("a")), answer: say("b") },
  { request: ask(user("a"), { role: "assistant", content: "b" }, user("c")), answer: say("d") },
  { request: ask(user("another")), answer: say("one") },
];

describe.each([
  ["har", har],
  ["vcr", vcrPy],
  ["vcr", goVcr],
  ["vcr", rubyVcr],
  ["nock", nock],
] as [string, (exchanges: Exchange[]) => unknown][])("a recording of %s, %o", (format, make) => {
  it("is one cassette for each conversation, under the model that was asked", () => {
    const { runs, refused } = read(make(TALK));
    expect(refused).toEqual([]);
    expect(runs.map(({ model, trial, cassette }) => [model, trial, cassette.entries.length])).toEqual([
      ["m-1", "1", 2],
      ["m-1", "2", 1],
    ]);
    const [first] = runs as [ImportedCassette];
    expect(importOf(first.cassette)).toMatchObject({ format, repairs: {} });
    expect(rebuildPrompts(first.cassette)[1]).toEqual([user("a"), { role: "assistant", content: "b" }, user("c")]);
    expect(first.cassette.entries[1]?.response).toMatchObject({
      finalAnswer: "d",
      usage: { inputTokens: 3, outputTokens: 1 },
      model: "m-1-2026",
    });
  });

  it("keeps no error as an answer, and a request that asks no model as an exchange", () => {
    const { runs, refused } = read(
      make([
        { url: "https://api.openai.com/v1/embeddings", request: { input: "x" }, answer: { data: [] } },
        { request: ask(user("a")), answer: { error: { message: "slow down" } }, status: 429 },
        {
          url: "https://api.anthropic.com/v1/messages/count_tokens",
          request: ask(user("a")),
          answer: { input_tokens: 1 },
        },
        { url: "https://api.openai.com/v1/models", method: "GET", request: {}, answer: { data: [] } },
        { url: "https://chat.example/api/messages", request: { to: "x" }, answer: { sent: true } },
        { request: ask(user("a")), answer: "", status: 302 },
        { request: ask(user("a")), answer: say("b") },
      ]),
    );
    expect(refused).toEqual([]);
    expect(runs).toHaveLength(1);
    expect(importOf((runs[0] as ImportedCassette).cassette).repairs).toEqual({
      "call-unanswered": 1,
      "error-exchange-dropped": 1,
    });
    const { exchanges } = (runs[0] as ImportedCassette).cassette.extensions ?? {};
    expect(exchanges?.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /v1/embeddings",
      "POST /v1/messages/count_tokens",
      "GET /v1/models",
      "POST /api/messages",
    ]);
    expect(exchanges?.[0]).toMatchObject({
      request: { json: { input: "x" } },
      status: 200,
      response: { json: { data: [] } },
    });
  });

  it("is refused where nothing was answered, and says what there was", () => {
    const { runs, refused } = read(make([{ request: ask(user("a")), answer: { error: {} }, status: 500 }]));
    expect(runs).toEqual([]);
    expect(refused).toEqual([expect.stringContaining("no answered turn of a model (1 error-exchange-dropped)")]);
  });

  it("puts in the conversations that earlier exchanges left at the vendor", () => {
    const url = "https://api.openai.com/v1/responses";
    const item = (id: string, text: string) => ({
      ...{ id, object: "response", status: "completed", model: "m" },
      output: [{ id: `msg_${id}`, type: "message", role: "assistant", content: [{ type: "output_text", text }] }],
    });
    const event = { type: "response.completed", response: item("resp_2", "d") };
    const next = (input: string, fields: object) => ({ model: "m", input, ...fields });
    const { runs, refused } = read(
      make([
        { url, request: next("a", { instructions: "Be brief." }), answer: item("resp_1", "b") },
        { url, request: next("c", { previous_response_id: "resp_1" }), answer: `data: ${JSON.stringify(event)}\n\n` },
        { url, request: next("e", { previous_response_id: "resp_2" }), answer: item("resp_3", "f") },
        { url, request: next("e", { previous_response_id: "resp_0" }), answer: item("resp_4", "g") },
        {
          url: `${url.replace("responses", "conversations")}`,
          request: { items: [user("h")] },
          answer: { id: "conv_1" },
        },
        { url, request: next("i", { conversation: { id: "conv_1" } }), answer: item("resp_5", "j") },
      ]),
    );
    expect(refused).toEqual([]);
    const unknown = { json: expect.objectContaining({ previous_response_id: "resp_0" }) as object };
    expect(kept(runs)).toMatchObject([{ path: "/v1/responses", request: unknown, status: 200 }]);
    const prompts = runs
      .flatMap(({ cassette }) => rebuildPrompts(cassette))
      .map((prompt) => prompt.map(({ content }) => content));
    expect(prompts).toContainEqual(["a", "b", "c", "d", "e"]);
    expect(prompts).toContainEqual(["h", "i"]);
  });

  it("keeps a turn that continues a thread as an exchange, and the fields that no setting stands for", () => {
    const thread = { type: "continue", previous_message_id: "msg_1" };
    const { runs, refused } = read(
      make([
        { request: { ...ask(user("a")), thread }, answer: say("b") },
        { request: { ...ask(user("a")), reasoning_effort: "low" }, answer: say("b") },
      ]),
    );
    expect([refused, kept(runs).length]).toEqual([[], 1]);
    const [{ cassette }] = runs as [ImportedCassette];
    expect(cassette.extensions?.contexts?.[0]?.settings).toMatchObject({ openai: { reasoning_effort: "low" } });
  });

  it("refuses a turn whose answer cannot be read by its number, and keeps the others", () => {
    const { runs, refused } = read(
      make([
        { request: { ...ask(user("a")), n: 2 }, answer: say("b") },
        { request: ask(user("a")), answer: "<html>busy</html>" },
        { request: ask(user("a")), answer: say("b") },
      ]),
    );
    expect(runs.map(({ repairs }) => repairs)).toEqual([[{ kind: "turn-as-exchange", count: 1 }]]);
    expect(kept(runs)).toMatchObject([{ request: { json: { n: 2 } }, response: { json: say("b") } }]);
    expect(refused).toEqual([expect.stringContaining("exchange 1")]);
  });

  it("names a refused turn without the key in its address", () => {
    const request = { method: "POST", url: "https://ann:hush1@a.example/v1/chat/completions?key=hush2" };
    const posted = { postData: { mimeType: "application/json", text: JSON.stringify(ask(user("a"))) } };
    const response = { status: 200, content: { text: "<html>" } };
    const { refused } = read({ log: { entries: [{ request: { ...request, ...posted }, response }] } });
    expect(refused).toEqual([expect.stringContaining("exchange 0 (https://a.example/v1/chat/completions): ")]);
    expect(refused.join()).not.toContain("hush");
  });
});

describe("a recorded conversation", () => {
  it("is replayed to a client that asks the same over the same wire, tools and settings included", async () => {
    const tools = [{ type: "function", function: { name: "t", description: "", parameters: { type: "object" } } }];
    const request = { ...ask(user("a")), tools, temperature: 0.5 };
    const { runs } = read(har([{ request, answer: say("b") }]));
    const provider = cassetteProvider((runs[0] as ImportedCassette).cassette);
    await expect(provider.turn(parseOpenAi(request).request)).resolves.toMatchObject({ finalAnswer: "b" });
  });

  it("is read from a stream as from a whole answer", () => {
    const delta = (fields: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ model: "m", choices: [{ index: 0, delta: fields, finish_reason: finish }] })}\n\n`;
    const stream = `${delta({ role: "assistant", content: "he" })}${delta({ content: "llo" })}${delta({}, "stop")}data: [DONE]\n\n`;
    const { runs } = read(vcrPy([{ request: { ...ask(user("a")), stream: true }, answer: stream }]));
    expect(runs[0]?.cassette.entries[0]?.response.finalAnswer).toBe("hello");
  });

  it("is read from Ollama's lines and from Anthropic's blocks", () => {
    const lines = ["he", "llo"].map((content) =>
      JSON.stringify({ model: "o", message: { role: "assistant", content } }),
    );
    const last = JSON.stringify({
      model: "o",
      message: { role: "assistant", content: "" },
      done: true,
      done_reason: "stop",
    });
    const { runs, refused } = read(
      goVcr([
        { url: "http://127.0.0.1:11434/api/chat", request: ask(user("a")), answer: [...lines, last].join("\n") },
        {
          url: "https://api.anthropic.com/v1/messages?beta=true",
          request: { ...ask(user("z")), max_tokens: 9 },
          answer: { content: [{ type: "text", text: "yes" }], stop_reason: "end_turn" },
        },
      ]),
    );
    expect(refused).toEqual([]);
    expect(runs.map(({ cassette }) => cassette.entries[0]?.response.finalAnswer)).toEqual(["hello", "yes"]);
  });

  it("counts a turn of another model", () => {
    const other = { ...ask(user("a"), { role: "assistant", content: "b" }, user("c")), model: "m-2" };
    const { runs } = read(har([TALK[0] as Exchange, { request: other, answer: say("d") }]));
    expect(importOf((runs[0] as ImportedCassette).cassette).repairs).toEqual({ "model-differs": 1 });
  });
});

describe("a packed body", () => {
  const bytes = Buffer.from(JSON.stringify(say("packed")));
  const answerOf = ({ runs }: ReturnType<typeof read>) => runs[0]?.cassette.entries[0]?.response.finalAnswer;

  it("is unpacked from the pieces that Polly.JS keeps", () => {
    const packed = gzipSync(bytes);
    const pieces = [packed.subarray(0, 10), packed.subarray(10, 31), packed.subarray(31)].map(base64);
    const content = { encoding: "base64", text: JSON.stringify(pieces) };
    expect(answerOf(read(har([TALK[0] as Exchange], content)))).toBe("packed");
  });

  it("is unpacked from one base64 text, from YAML's bytes, from hex pieces, and from deflate", () => {
    const exchange = { request: ask(user("a")), encoding: "gzip" };
    const content = { encoding: "base64", text: base64(gzipSync(bytes)) };
    expect(answerOf(read(har([TALK[0] as Exchange], content)))).toBe("packed");
    const binary = { "!!binary": `${base64(gzipSync(bytes)).slice(0, 40)}\n${base64(gzipSync(bytes)).slice(40)}` };
    expect(answerOf(read(vcrPy([{ ...exchange, answer: binary }])))).toBe("packed");
    const hex = [gzipSync(bytes).subarray(0, 20), gzipSync(bytes).subarray(20)].map((part) => part.toString("hex"));
    expect(answerOf(read(nock([{ ...exchange, answer: hex }])))).toBe("packed");
    const deflated = { "!!binary": base64(deflateSync(bytes)) };
    expect(answerOf(read(vcrPy([{ ...exchange, encoding: "deflate", answer: deflated }])))).toBe("packed");
  });

  it("is plain where the recorder unpacked it and left the header", () => {
    const plain = { "!!binary": base64(bytes) };
    expect(answerOf(read(vcrPy([{ request: ask(user("a")), encoding: "br", answer: plain }])))).toBe("packed");
  });

  it.each([
    ["packed as brotli", base64(brotliCompressSync(bytes)), 'is packed as "br"'],
    ["cut short", base64(gzipSync(bytes).subarray(0, 30)), "cannot be unpacked"],
    ["no base64", "%%%", "it is not base64"],
    ["a bomb", base64(gzipSync(Buffer.alloc(4 * MAX_RECORDED_BODY_BYTES))), "grows beyond"],
    ["bytes that are not text", base64(gzipSync(Buffer.from([0xff, 0xfe]))), "is not UTF-8"],
  ])("that is %s is refused in words", (_, packed, why) => {
    const { runs, refused } = read(
      vcrPy([{ request: ask(user("a")), encoding: "br", answer: { "!!binary": packed } }, TALK[2] as Exchange]),
    );
    expect(runs).toHaveLength(1);
    expect(refused).toEqual([expect.stringContaining(why)]);
  });

  it("of more than the limit is refused though it was never packed", () => {
    const { refused } = read(har([{ request: ask(user("a")), answer: " ".repeat(MAX_RECORDED_BODY_BYTES + 1) }]));
    expect(refused).toEqual([expect.stringContaining(`more than ${MAX_RECORDED_BODY_BYTES} bytes`)]);
  });

  it.each([
    [{ encoding: "base64", text: "[1]" }, "a piece of it is not text"],
    [{ encoding: "base64", text: "[torn" }, "neither base64 nor a list"],
    [{}, "was not recorded"],
  ])("%j of an archive is refused", (content, why) => {
    expect(read(har([TALK[0] as Exchange], content)).refused).toEqual([expect.stringContaining(why)]);
  });
});

describe("a recording of a wire whose path names the model", () => {
  const answered: LlmTurnResponse = {
    message: { role: "assistant", content: "b" },
    finalAnswer: "b",
    stopReason: "stop",
    usage: { inputTokens: 3, outputTokens: 1 },
  };
  const stamp = { id: "1", createdAt: 0, model: "m" };

  it.each(["amazon.nova-lite-v1:0", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"])("reads frames of %s", (model) => {
    const url = `https://bedrock-runtime.us-east-1.amazonaws.com/model/${encodeURIComponent(model)}/converse-stream`;
    const frames = bodyBytes(VENDORS.bedrock.stream(answered, stamp));
    const content = { mimeType: VENDORS.bedrock.streamType, encoding: "base64", text: base64(frames) };
    const request = { messages: [{ role: "user", content: [{ text: "a" }] }] };
    const { runs, refused } = read(har([{ url, request, answer: "" }], content));
    expect(refused).toEqual([]);
    expect(runs).toMatchObject([{ model, cassette: { entries: [{ response: answered }] } }]);
    const torn = { ...content, text: base64(frames.subarray(0, -20)) };
    expect(read(har([{ url, request, answer: "" }], torn)).refused).toEqual([
      expect.stringContaining("ended before its answer was whole"),
    ]);
  });

  it.each(["generateContent", "streamGenerateContent?alt=sse", "streamGenerateContent"])("reads %s", (verb) => {
    const url = `https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:${verb}`;
    const isList = verb === "streamGenerateContent";
    const whole = JSON.stringify(VENDORS.gemini.write(answered, stamp));
    const events = VENDORS.gemini.stream(answered, { ...stamp, isList }).join("");
    const request = { contents: [{ role: "user", parts: [{ text: "a" }] }] };
    const { runs, refused } = read(vcrPy([{ url, request, answer: verb === "generateContent" ? whole : events }]));
    expect(refused).toEqual([]);
    expect(runs).toMatchObject([{ model: "gemini-2.5-flash", cassette: { entries: [{ response: answered }] } }]);
  });
});

describe("a hostile recording", () => {
  it("makes nothing of prototypes", () => {
    const request = `{"model":"m","messages":[{"role":"user","content":"a"}],"__proto__":{"stream":true}}`;
    const { runs, refused } = read(vcrPy([{ request, answer: say("b") }]));
    expect(refused).toEqual([]);
    expect(runs[0]?.cassette.entries).toHaveLength(1);
    expect(({} as { stream?: boolean }).stream).toBeUndefined();
  });

  it.each([
    ["entries of no shape", { log: { entries: [null, 7, "x", [], {}] } }],
    ["interactions of no shape", { interactions: [{ request: {}, response: 7 }] }],
    ["more exchanges than the limit", har(Array.from({ length: MAX_EXCHANGES + 1 }, () => TALK[0] as Exchange))],
    ["no exchange", { log: { entries: [] } }],
  ])("of %s is refused", (_, record) => {
    const { runs, refused } = read(record);
    expect(runs).toEqual([]);
    expect(refused).toEqual([expect.stringContaining("import-malformed")]);
  });
});
