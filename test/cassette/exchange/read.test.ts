import { describe, expect, it } from "vitest";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { readAnswer, readRequest, urlOf } from "../../../src/cassette/exchange/read.js";
import { readHashFilter } from "../../../src/cassette/prompt/hash-filters.js";
import { createRedactor } from "../../../src/cassette/redact/redactor.js";

const KEY = `sk-proj-${"a1B2c3D4".repeat(6)}`;
const plain = { scrub: <T>(value: T) => value, filter: undefined };
const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

describe("readRequest", () => {
  it("keeps method, path and query without origin, parameters sorted by name", () => {
    const url = "https://api.example.com/v1/models/a%2Fb?page=2&after=x%20y&page=1#top";
    expect(readRequest({ method: "get", url }, plain)).toEqual({
      method: "GET",
      path: "/v1/models/a%2Fb",
      query: "after=x+y&page=2&page=1",
    });
    expect(urlOf({ method: "GET", url: "//v1/models" }).pathname).toBe("//v1/models");
  });

  it("drops parameters that carry secrets, from a query and from a form", () => {
    const type = "application/x-www-form-urlencoded";
    const url = "/token?key=AIza&api-version=1&access_token=t&X-Amz-Signature=s&pageToken=p&subscription-key=k";
    const body = new TextEncoder().encode("grant_type=password&client_secret=hush&password=hush");
    expect(readRequest({ method: "POST", url, type, body }, plain)).toEqual({
      method: "POST",
      path: "/token",
      query: "api-version=1&pageToken=p",
      request: { text: "grant_type=password" },
    });
    expect(readRequest({ method: "GET", url: "/v1/models?key=AIza" }, plain)).not.toHaveProperty("query");
  });

  it.each(["x-api-key", "private_key", "passwd", "jwt", "auth", "credentials", "AWSAccessKeyId", "api%5Fkey"])(
    "drops the parameter %s",
    (name) => {
      expect(readRequest({ method: "GET", url: `/a?${name}=hush&n=1` }, plain).query).toBe("n=1");
    },
  );

  it("drops the secret fields of a multipart form, and takes secrets out of the names of others", () => {
    const redactor = createRedactor(undefined);
    const reading = { scrub: <T>(value: T) => redactor.json(value as never) as T, filter: undefined };
    const field = (name: string, more = "") =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\nv\r\n`;
    const body = new TextEncoder().encode(`${field("password")}${field(KEY)}${field("key", '; filename="a"')}--b--`);
    const type = "multipart/form-data; boundary=b";
    expect(readRequest({ method: "POST", url: "/", type, body }, reading).request).toMatchObject({
      parts: [
        { name: "<redacted:openai-key:1>", text: "v" },
        { name: "key", filename: "a" },
      ],
    });
  });

  it("takes secrets out of JSON that only the name of their field tells", () => {
    const redactor = createRedactor(undefined);
    const reading = { scrub: <T>(value: T) => redactor.json(value as never) as T, filter: undefined };
    const hush = `hush${"1234"}abcd`;
    const secret = {
      client_secret: hush,
      deep: [{ refresh_token: `${hush}"x` }],
      nextPageToken: `${hush}p`,
      max_tokens: 9,
    };
    const asked = { type: "application/json", body: json({ ...secret, note: `about ${hush}`, key: "short" }) };
    const first = { client_secret: "<redacted:assigned-secret:1>", nextPageToken: "<redacted:assigned-secret:1>p" };
    expect(readRequest({ method: "POST", url: "/token", ...asked }, reading).request).toEqual({
      json: {
        ...{ ...first, max_tokens: 9, key: "short", note: "about <redacted:assigned-secret:1>" },
        deep: [{ refresh_token: '<redacted:assigned-secret:1>"x' }],
      },
    });
    expect(
      readAnswer({ status: 200, headers: {}, body: json({ access_token: hush }) }, reading.scrub).response,
    ).toEqual({
      json: { access_token: "<redacted:assigned-secret:1>" },
    });
  });

  it("takes secrets out of paths, queries and bodies, but not out of hashes", () => {
    const redactor = createRedactor(undefined);
    const reading = { scrub: <T>(value: T) => redactor.json(value as never) as T, filter: undefined };
    const body = json({ input: `my key is ${KEY}` });
    expect(
      readRequest({ method: "POST", url: `/v1/keys/${KEY}?q=${KEY}`, type: "application/json", body }, reading),
    ).toEqual({
      method: "POST",
      path: "/v1/keys/<redacted:openai-key:1>",
      query: "q=<redacted:openai-key:1>",
      request: { json: { input: "my key is <redacted:openai-key:1>" } },
    });
    const bytes = Uint8Array.of(0xff);
    expect(readRequest({ method: "POST", url: "/a", body: bytes }, reading).request).toMatchObject({ bytes: 1 });
  });

  it("rewrites every text of a query and a body by the filter of prompts, and no path", () => {
    const { filter } = readHashFilter([
      "isoDate",
      "path",
      (messages) => messages.filter(({ content }) => content !== "odd"),
    ]);
    const reading = { ...plain, filter };
    const body = json({ input: ["on 2026-11-22", "odd", { deep: "/home/me/a.txt" }], n: 1 });
    const url = "/v1/embeddings?at=2026-11-22";
    expect(readRequest({ method: "POST", url, type: "application/json", body }, reading)).toEqual({
      method: "POST",
      path: "/v1/embeddings",
      query: "at=%3Cdate%3E",
      request: { json: { input: ["on <date>", "odd", { deep: "<path>" }], n: 1 } },
    });
    const text = new TextEncoder().encode("2026-11-22");
    expect(readRequest({ method: "POST", url: "/", type: "text/plain", body: text }, reading).request).toEqual({
      text: "<date>",
    });
    const form = '--b\r\nContent-Disposition: form-data; name="day"\r\n\r\n2026-11-22\r\n--b--';
    const type = "multipart/form-data; boundary=b";
    const parts = readRequest({ method: "POST", url: "/", type, body: new TextEncoder().encode(form) }, reading);
    expect(parts.request).toEqual({ parts: [{ name: "day", text: "<date>" }] });
  });

  it("rewrites a number of JSON with its field, and leaves lists of numbers", () => {
    const { filter } = readHashFilter(["unixTime", "number-in:elapsed_ms"]);
    const body = json({ at: 1_795_000_000, elapsed_ms: -1.5e-7, tokens: [1_795_000_000], n: 12, 'a"b': 3 });
    expect(
      readRequest({ method: "POST", url: "/", type: "application/json", body }, { ...plain, filter }).request,
    ).toEqual({ json: { at: "<time>", elapsed_ms: "<number>", tokens: [1_795_000_000], n: 12, 'a"b': 3 } });
    const shouting = (messages: readonly LlmMessage[]) =>
      messages.map((message) => ({ ...message, content: String(message.content).toUpperCase() }) as LlmMessage);
    expect(
      readRequest({ method: "POST", url: "/", body: json({ n: 1, e: 1e21 }) }, { ...plain, filter: shouting }).request,
    ).toEqual({ json: { N: 1, E: 1e21 } });
  });
});

describe("readAnswer", () => {
  it("takes secrets out of headers", () => {
    const redactor = createRedactor(undefined);
    const answer = { status: 429, headers: { "retry-after": KEY }, body: new Uint8Array() };
    expect(readAnswer(answer, (value) => redactor.json(value)).headers).toEqual({
      "retry-after": "<redacted:openai-key:1>",
    });
  });

  it("keeps the headers that a client reacts to, and what was cut", () => {
    const headers = { "content-type": "application/json", "retry-after": "2", date: "now", "set-cookie": "a=b" };
    expect(readAnswer({ status: 429, headers, body: json({ error: { message: KEY } }) }, plain.scrub)).toEqual({
      status: 429,
      headers: { "content-type": "application/json", "retry-after": "2" },
      response: { json: { error: { message: KEY } } },
    });
    expect(readAnswer({ status: 204, headers: {}, body: new Uint8Array(), isCut: true }, plain.scrub)).toEqual({
      status: 204,
      isCut: true,
    });
  });

  it("takes secrets out of answers", () => {
    const redactor = createRedactor(undefined);
    const body = json({ key: KEY });
    expect(readAnswer({ status: 200, headers: {}, body }, (value) => redactor.json(value)).response).toEqual({
      json: { key: "<redacted:openai-key:1>" },
    });
  });
});
