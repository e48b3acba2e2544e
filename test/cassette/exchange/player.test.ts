import { afterAll, describe, expect, it } from "vitest";
import { createExchangePlayer, exchangesOf, toAnswer } from "../../../src/cassette/exchange/player.js";
import type { PlainRequest } from "../../../src/cassette/exchange/http.js";
import type { Cassette } from "../../../src/cassette/file/format.js";
import { answer, bytesOf, get, jsonOf, post, recordExchanges } from "../../support/exchange-recording.js";
import { verifyKept } from "../../support/oracle.js";
import { refusal } from "../../support/refusal.js";

afterAll(verifyKept);

const EMBED = "/v1/embeddings";

function playerOf(cassette: Cassette, options = {}) {
  const player = createExchangePlayer(cassette, options);
  const take = (request: PlainRequest) => player.take(player.read(request));
  return { player, take };
}

describe("createExchangePlayer", () => {
  it("answers each exchange once, in any order", () => {
    const cassette = recordExchanges([
      [post(EMBED, { input: "a" }), answer({ at: 0 })],
      [get("/v1/models"), answer({ at: 1 })],
      [post(EMBED, { input: "a" }), answer({ at: 2 })],
    ]);
    const { player, take } = playerOf(cassette);
    expect(take(get("https://other.example/v1/models"))).toBe(1);
    expect(take(post(EMBED, { input: "a" }))).toBe(0);
    expect(take(post(EMBED, { input: "a" }))).toBe(2);
    expect(take(post(EMBED, { input: "a" }))).toBeUndefined();
    expect([player.used, player.usedCount()]).toEqual([[true, true, true], 3]);
    expect(jsonOf(toAnswer(exchangesOf(cassette)[2] as never))).toEqual({ at: 2 });
  });

  it("compares JSON by value, and everything else as it is", () => {
    const cassette = recordExchanges([
      [{ ...get("/m?b=2&a=1"), type: "application/json", body: bytesOf('{"b":1.0,"a":[1,2]}') }, answer({})],
    ]);
    const { player } = playerOf(cassette);
    const knows = (request: PlainRequest) => player.knows(player.read(request));
    const same = { method: "get", url: "/m?a=1&b=2", type: "application/json;charset=utf-8" };
    expect(knows({ ...same, body: bytesOf('{ "a": [1, 2], "b": 1 }') })).toBe(true);
    expect(knows({ ...same, body: bytesOf('{"a":[2,1],"b":1}') })).toBe(false);
    expect(knows({ ...same, body: bytesOf('{"a":[1,2],"b":"1"}') })).toBe(false);
    expect(knows({ ...same, url: "/m?a=1" })).toBe(false);
    expect(knows({ ...same, method: "POST" })).toBe(false);
    expect(knows({ ...same, url: "/m/?a=1&b=2" })).toBe(false);
  });

  it("compares numbers that a double does not keep by their text", () => {
    const cassette = recordExchanges([[post(EMBED, '{"seed":9007199254740993}'), answer({})]]);
    const { take } = playerOf(cassette);
    expect(take(post(EMBED, '{"seed":9007199254740992}'))).toBeUndefined();
    expect(take(post(EMBED, '{"seed":9007199254740993}'))).toBe(0);
  });

  it("finds redacted requests, whatever the order of their secrets", () => {
    const [one, two] = ["1", "2"].map((digit) => `sk-proj-${`a${digit}B2c3D4`.repeat(6)}`);
    const cassette = recordExchanges([
      [post("/a", { key: one }), answer({ mine: one })],
      [post("/b", { keys: [two, one] }), answer({})],
    ]);
    expect(JSON.stringify(cassette)).not.toContain("a1B2c3D4");
    expect(cassette.extensions?.redacted).toEqual(["openai-key"]);
    const { take } = playerOf(cassette);
    expect(take(post("/b", { keys: [two, one] }))).toBe(1);
    // The client may send back the placeholder that it was given.
    expect(take(post("/a", { key: "<redacted:openai-key:1>" }))).toBe(0);
    expect(refusal(() => playerOf(cassette, { redact: false }))).toMatchObject({ code: "redaction-one-sided" });
  });

  it("finds filtered requests on another day", () => {
    const hashFilter = ["isoDate"] as const;
    const cassette = recordExchanges([[post(EMBED, { input: "on 2026-11-22" }), answer({})]], { hashFilter });
    const { take } = playerOf(cassette, { hashFilter });
    expect(take(post(EMBED, { input: "on 2027-01-01" }))).toBe(0);
    expect(cassette.extensions?.filters).toEqual(["isoDate"]);
  });

  it("holds no exchange of version 1", () => {
    const version1: Cassette = { version: 1, recordedAt: "", recordedProvider: "", entries: [] };
    expect(exchangesOf(version1)).toEqual([]);
  });
});
