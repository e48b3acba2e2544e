import { afterAll, describe, expect, it } from "vitest";
import { explainExchangeMiss } from "../../../src/cassette/exchange/miss.js";
import { createExchangePlayer } from "../../../src/cassette/exchange/player.js";
import type { PlainRequest } from "../../../src/cassette/exchange/http.js";
import { answer, get, post, recordExchanges } from "../../support/exchange-recording.js";
import { verifyKept } from "../../support/oracle.js";

afterAll(verifyKept);

const EMBED = "/v1/embeddings";

function miss(recorded: readonly PlainRequest[], now: PlainRequest, used: readonly PlainRequest[] = []) {
  const cassette = recordExchanges(recorded.map((request) => [request, answer({})] as const));
  const exchanges = createExchangePlayer(cassette);
  for (const request of used) expect(exchanges.take(exchanges.read(request))).toBeDefined();
  return explainExchangeMiss([{ file: "a.cassette.json", cassette, exchanges }], now);
}

describe("explainExchangeMiss", () => {
  it("names the nearest exchange and the JSON pointer of the first difference", () => {
    const near = post(EMBED, { model: "small", input: ["one", "two"] });
    const error = miss(
      [post(EMBED, { model: "large", input: "other" }), near],
      post(EMBED, { model: "small", input: ["one", "too"] }),
    );
    expect(error).toMatchObject({
      code: "exchange-changed",
      file: "a.cassette.json",
      pointer: "/request/json/input/1",
    });
    expect(error.summary).toBe(
      [
        "POST /v1/embeddings was recorded with another body",
        "  at       /request/json/input/1",
        '  recorded "two"',
        '  now      "too"',
        "  nearest  recorded exchange 1",
      ].join("\n"),
    );
    expect(error.hint).toContain("record it again");
  });

  it("prefers an unused exchange, and says if the nearest was used", () => {
    const [a, b] = [post(EMBED, { input: "aaaa" }), post(EMBED, { input: "bbbb" })];
    expect(miss([a, b], post(EMBED, { input: "aaab" }), [a]).summary).toContain("nearest  recorded exchange 1");
    expect(miss([a], post(EMBED, { input: "aaab" }), [a]).summary).toContain(
      "nearest  recorded exchange 0, which was already used",
    );
  });

  it("names a query, a missing body and a part of a form", () => {
    expect(miss([get("/v1/models?page=1")], get("/v1/models?page=2"))).toMatchObject({
      pointer: "/query",
      summary: expect.stringContaining("recorded with another query") as string,
    });
    expect(miss([post("/a", { x: 1 })], { method: "POST", url: "/a" }).pointer).toBe("/request");
    const form = (text: string) =>
      post(
        "/f",
        `--b\r\nContent-Disposition: form-data; name="n"\r\n\r\n${text}\r\n--b--`,
        "multipart/form-data; boundary=b",
      );
    expect(miss([form("x")], form("y")).pointer).toBe("/request/parts/0/text");
  });

  it("says that an exchange was used already", () => {
    const request = post(EMBED, { input: "a" });
    const once = miss([request], request, [request]);
    expect(once).toMatchObject({ code: "exhausted", file: "a.cassette.json" });
    expect(once.summary).toBe("POST /v1/embeddings was recorded once with this body, and the run sends it again");
    expect(miss([request, request], request, [request, request]).summary).toContain("recorded 2 times with this body");
  });

  it("says that nothing of this method and path was recorded", () => {
    const paths = ["/a", "/a", "/b", "/c", "/d"].map((path) => get(path));
    expect(miss(paths, post("/a\u202e", {}))).toMatchObject({
      code: "exchange-missing",
      summary: "no recorded exchange answers POST /a%E2%80%AE; recorded: GET /a, GET /b, GET /c and 1 more",
    });
    expect(miss([], get("/a")).summary).toBe("no recorded exchange answers GET /a; no exchange was recorded");
    expect(explainExchangeMiss([], get("/a")).code).toBe("exchange-missing");
  });

  it("names the filter for text that changes by itself", () => {
    const error = miss([post(EMBED, { input: "on 2026-11-22" })], post(EMBED, { input: "on 2026-11-23" }));
    expect(error.summary).toContain("recorded with another body; the two differ only in a date");
    expect(error.hint).toContain('hashFilter: ["isoDate"]');
  });

  it("hides secrets of the live request", () => {
    const key = `sk-proj-${"a1B2c3D4".repeat(6)}`;
    expect(miss([post(EMBED, { input: "a" })], post(EMBED, { input: key })).message).not.toContain("a1B2c3D4");
  });
});
