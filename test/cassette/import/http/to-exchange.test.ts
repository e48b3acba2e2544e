import { describe, expect, it } from "vitest";
import { createExchangePlayer, exchangesOf, toAnswer } from "../../../../src/cassette/exchange/player.js";
import type { RecordedExchange } from "../../../../src/cassette/file/format.js";
import { importLog, type ImportedCassette, type ImportOptions } from "../../../../src/cassette/import/import.js";
import { parseCassette } from "../../../../src/cassette/trust/load-cassette.js";
import { toBase64 } from "../../../../src/core/index.js";
import { bytesOf, jsonOf } from "../../../support/exchange-recording.js";
import { hasShared, readSharedLines } from "../../../support/shared.js";
import { importOf, toFile } from "../verify.js";

const CHAT = "https://api.openai.com/v1/chat/completions";
const EMBEDDINGS = "https://api.openai.com/v1/embeddings";
const JSON_TYPE = "application/json";

interface Step {
  url: string;
  method?: string;
  body?: unknown;
  type?: string;
  postData?: object;
  status?: number;
  headers?: Record<string, string>;
  answer?: unknown;
  content?: object;
  extra?: object;
}

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const list = (headers: Record<string, string>) => Object.entries(headers).map(([name, value]) => ({ name, value }));

function har(...steps: Step[]): object {
  const entries = steps.map(({ url, method, body, type = JSON_TYPE, status = 200, headers = {}, ...step }) => ({
    ...step.extra,
    request: {
      method: method ?? (body === undefined && step.postData === undefined ? "GET" : "POST"),
      url,
      headers: list({ "Content-Type": type }),
      ...(body === undefined ? {} : { postData: { mimeType: type, text: textOf(body) } }),
      ...(step.postData === undefined ? {} : { postData: step.postData }),
    },
    response: {
      status,
      headers: list(headers),
      content: step.content ?? { mimeType: JSON_TYPE, text: textOf(step.answer ?? {}) },
    },
  }));
  return { log: { version: "1.2", entries } };
}

const user = (content: string) => ({ role: "user", content });
const turn = (...messages: object[]): Step => ({
  url: CHAT,
  body: { model: "m", messages },
  answer: { choices: [{ message: { role: "assistant", content: "b" }, finish_reason: "stop" }] },
});
const refused = (...messages: object[]): Step => ({
  ...turn(...messages),
  ...{ status: 429, headers: { "Retry-After": "2", "X-Request-Id": "r" }, answer: { error: {} } },
});
const embed = (input: string): Step => ({ url: EMBEDDINGS, body: { model: "e", input }, answer: { data: [input] } });

function read(record: object, options: Partial<ImportOptions> = {}): ImportedCassette[] {
  return [
    ...importLog(JSON.stringify(record), { source: "r.json", recordedAt: "2026-11-20T12:00:00.000Z", ...options }),
  ];
}

const inputs = ({ cassette }: ImportedCassette): unknown[] =>
  exchangesOf(cassette).map(({ request }) => {
    const json = (request as { json: { input?: unknown } }).json;
    return json.input ?? "refused";
  });

const exchangeOf = (step: Step): RecordedExchange | undefined =>
  read(har(step)).flatMap(({ cassette }) => exchangesOf(cassette))[0];

describe("an imported exchange", () => {
  it("belongs to the conversation whose turn came last before it, or else to the next", () => {
    const runs = read(har(embed("0"), turn(user("a")), embed("1"), turn(user("z")), embed("2"), embed("3")));
    expect(runs.map(inputs)).toEqual([
      ["0", "1"],
      ["2", "3"],
    ]);
    expect(runs.map(({ cassette }) => cassette.entries.length)).toEqual([1, 1]);
    for (const { cassette } of runs) expect(() => parseCassette(toFile(cassette))).not.toThrow();
  });

  it("is a cassette of its own where there is no turn, filed under the model that it asks", () => {
    const [run, ...others] = read(har(embed("x")));
    expect(others).toEqual([]);
    expect(run).toMatchObject({ path: "e/r-1.cassette.json", repairs: [], cassette: { entries: [] } });
    expect(read(har(embed("y")))[0]?.cassette.cassetteId).not.toBe(run?.cassette.cassetteId);
  });

  it("leaves the cassette of a recording without one as it was", () => {
    expect(read(har(turn(user("a"))))[0]?.cassette.extensions).not.toHaveProperty("exchanges");
  });

  it("answers the request that was recorded", () => {
    const [{ cassette }] = read(har(embed("x"))) as [ImportedCassette];
    const player = createExchangePlayer(cassette);
    const body = bytesOf({ input: "x", model: "e" });
    const found = player.take(player.read({ method: "POST", url: "/v1/embeddings", type: JSON_TYPE, body }));
    expect(jsonOf(toAnswer(player.exchanges[found ?? -1] as RecordedExchange))).toEqual({ data: ["x"] });
  });

  it("keeps an error, and only the headers that a client reacts to", () => {
    const headers = { "Content-Type": "application/json; charset=utf-8", "Retry-After": "7", "X-Request-Id": "r" };
    expect(exchangeOf({ ...embed("x"), status: 404, headers, answer: { error: 1 } })).toMatchObject({
      status: 404,
      headers: { "content-type": "application/json; charset=utf-8", "retry-after": "7" },
      response: { json: { error: 1 } },
    });
  });

  it("keeps a binary answer of an archive as base64", () => {
    const text = toBase64(new Uint8Array([0x1f, 0x8b, 0xff, 0]));
    const content = { mimeType: "audio/mpeg", encoding: "base64", text };
    const spoken = exchangeOf({ url: "https://api.openai.com/v1/audio/speech", body: { input: "hi" }, content });
    expect(spoken).toMatchObject({ headers: { "content-type": "audio/mpeg" }, response: { base64: text } });
  });

  it("keeps the parameters of a form, without its secrets", () => {
    const type = "application/x-www-form-urlencoded";
    const params = list({ code: "a b", client_secret: "s" });
    const step = { url: "https://a.test/token", type, postData: { mimeType: type, params } };
    expect(exchangeOf(step)?.request).toEqual({ text: "code=a+b" });
  });

  it("loses its secrets like a turn", () => {
    const secret = "gh" + "p_" + "a1B2c3D4e5".repeat(4);
    const step = { ...embed(secret), url: `${EMBEDDINGS}?api_key=1&q=${secret}`, answer: { echo: secret } };
    const [{ cassette }] = read(har(step)) as [ImportedCassette];
    expect(toFile(cassette)).not.toContain(secret);
    expect(cassette.extensions?.redacted).toHaveLength(1);
    const player = createExchangePlayer(cassette);
    const body = bytesOf({ model: "e", input: secret });
    expect(player.take(player.read({ method: "POST", url: step.url, type: JSON_TYPE, body }))).toBe(0);
    expect(toFile(read(har(step), { redact: false })[0]?.cassette as ImportedCassette["cassette"])).toContain(secret);
  });

  it.each<[string, Step, string]>([
    ["a page's own file", { url: "https://a.test/logo", extra: { _resourceType: "image" } }, "exchange-not-model-call"],
    ["a preflight", { url: EMBEDDINGS, method: "OPTIONS" }, "exchange-not-model-call"],
    ["a URL that is not HTTP", { url: "data:text/plain,x" }, "exchange-not-model-call"],
    ["a redirect", { url: "https://a.test/old", status: 302 }, "call-unanswered"],
    ["a request without an answer", { url: EMBEDDINGS, status: 0 }, "call-unanswered"],
    ["an answer by its size alone", { ...embed("x"), content: { size: 9 } }, "exchange-unreadable"],
    [
      "an answer that is not base64",
      { ...embed("x"), content: { text: "%", encoding: "base64" } },
      "exchange-unreadable",
    ],
    [
      "a packed answer",
      {
        ...embed("x"),
        headers: { "Content-Encoding": "br" },
        content: { text: toBase64(new Uint8Array([0xff, 1])), encoding: "base64", mimeType: "image/png" },
      },
      "exchange-unreadable",
    ],
    ["a body beyond the limit", { ...embed("x"), answer: " ".repeat(8 * 1024 * 1024 + 1) }, "exchange-unreadable"],
    [
      "a form without its boundary",
      { url: EMBEDDINGS, type: "multipart/form-data", postData: { mimeType: "multipart/form-data", params: [{}] } },
      "exchange-unreadable",
    ],
  ])("is counted and left out if it is %s", (_, step, kind) => {
    const [{ cassette }] = read(har(turn(user("a")), step)) as [ImportedCassette];
    expect(exchangesOf(cassette)).toEqual([]);
    expect(importOf(cassette).repairs).toEqual({ [kind]: 1 });
  });
});

describe("a refused turn", () => {
  const steps = [embed("0"), turn(user("a")), refused(user("z")), turn(user("q")), turn(user("z"))];

  it("is counted without keepErrors", () => {
    const runs = read(har(...steps));
    expect(runs.map(inputs)).toEqual([["0"], [], []]);
    expect(importOf((runs[0] as ImportedCassette).cassette).repairs).toEqual({ "error-exchange-dropped": 1 });
  });

  it("is an exchange of the conversation in which its prompt was sent again", () => {
    const runs = read(har(...steps), { keepErrors: true });
    expect(runs.map(inputs)).toEqual([["0"], ["refused"], []]);
    expect(runs.map(({ cassette }) => cassette.entries.length)).toEqual([1, 1, 1]);
    const [, { cassette }] = runs as [ImportedCassette, ImportedCassette];
    expect(exchangesOf(cassette)[0]).toMatchObject({ status: 429, headers: { "retry-after": "2" } });
    expect(runs.flatMap(({ repairs }) => repairs)).toEqual([]);
  });

  it("is one whose answer is an error of the status 200", () => {
    const error = { ...turn(user("z")), answer: { error: { message: "busy" } } };
    expect(() => read(har(error))).toThrow("answered with an error");
    const runs = read(har(error, turn(user("z"))), { keepErrors: true });
    expect(runs.map(({ cassette }) => [cassette.entries.length, exchangesOf(cassette).length])).toEqual([[1, 1]]);
  });

  it("holds the whole conversation that it continues", () => {
    const url = CHAT.replace("chat/completions", "responses");
    const output = [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "b" }] }];
    const answer = { id: "resp_1", object: "response", status: "completed", model: "m", output };
    const next = { url, body: { model: "m", input: "c", previous_response_id: "resp_1" }, status: 429, answer: {} };
    const [run] = read(har({ url, body: { model: "m", input: "a" }, answer }, next), { keepErrors: true });
    const json = { model: "m", input: [user("a"), ...output, user("c")] };
    expect(exchangesOf((run as ImportedCassette).cassette)).toMatchObject([{ status: 429, request: { json } }]);
  });

  it("that cannot be read belongs to the last conversation", () => {
    const runs = read(har(turn(user("a")), { ...refused(), body: "not JSON" }), { keepErrors: true });
    expect(runs.map(({ cassette }) => exchangesOf(cassette).map(({ request }) => request))).toEqual([
      [{ text: "not JSON" }],
    ]);
  });
});

interface Recorded {
  source: string;
  index: number;
  request: { method: string; url: string; headers: Record<string, string>; body: string };
  response: { status: number; headers: Record<string, string>; body: string };
}

describe.skipIf(!hasShared)("real embeddings", () => {
  const all = hasShared ? readSharedLines<Recorded>("data/http/embeddings.jsonl.gz") : [];

  it.each([...new Set(all.map(({ source }) => source))])("of %s are exchanges that answer their requests", (source) => {
    const recorded = all.filter((each) => each.source === source).sort((a, b) => a.index - b.index);
    const interactions = recorded.map(({ request, response }) => ({
      request: { ...request, uri: request.url },
      response: { ...response, body: { string: response.body } },
    }));
    const [run, ...others] = read({ version: 1, interactions });
    expect([others, run?.repairs]).toEqual([[], []]);
    const cassette = parseCassette(toFile((run as ImportedCassette).cassette));
    const player = createExchangePlayer(cassette);
    for (const { request, response } of recorded) {
      const type = request.headers["content-type"];
      const found = player.take(player.read({ ...request, type, body: bytesOf(request.body) }));
      const given = toAnswer(player.exchanges[found ?? -1] as RecordedExchange);
      expect(given.status).toBe(response.status);
      if (response.body.startsWith("{")) expect(jsonOf(given)).toEqual(JSON.parse(response.body));
    }
    expect(player.usedCount()).toBe(recorded.length);
  });
});
