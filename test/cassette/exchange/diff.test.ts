import { afterAll, describe, expect, it } from "vitest";
import { diffExchanges } from "../../../src/cassette/exchange/diff.js";
import type { PlainAnswer, PlainRequest } from "../../../src/cassette/exchange/http.js";
import { answer, get, post, recordExchanges } from "../../support/exchange-recording.js";
import { verifyKept } from "../../support/oracle.js";

afterAll(verifyKept);

const ok = answer({});
const record = (...pairs: (readonly [PlainRequest, PlainAnswer])[]) => recordExchanges(pairs);

describe("diffExchanges", () => {
  it("is empty for the same requests in another order, whatever their answers hold", () => {
    const [a, b] = [post("/a", { x: 1 }), get("/b")];
    expect(diffExchanges(record([a, ok], [b, ok]), record([b, answer({ other: 1 })], [a, ok]))).toEqual([]);
  });

  it("names what was added, removed and changed, with the JSON pointer", () => {
    const old = record([get("/gone"), ok], [post("/a", { x: 1, y: 2 }), ok], [get("/b"), ok]);
    const now = record([get("/b"), answer({}, 429)], [post("/a", { x: 1, y: 3 }), ok], [get("/new"), ok]);
    expect(diffExchanges(old, now)).toEqual([
      {
        kind: "changed",
        method: "GET",
        path: "/b",
        old: 2,
        new: 0,
        changes: [{ pointer: "/status", old: 200, new: 429 }],
        sentence: "GET /b changed at /status.",
      },
      {
        kind: "changed",
        method: "POST",
        path: "/a",
        old: 1,
        new: 1,
        changes: [{ pointer: "/request/json/y", old: 2, new: 3 }],
        sentence: "POST /a changed at /request/json/y.",
      },
      { kind: "removed", method: "GET", path: "/gone", old: 0, sentence: "GET /gone was removed." },
      { kind: "added", method: "GET", path: "/new", new: 2, sentence: "GET /new was added." },
    ]);
  });

  it("does not compare the numbers of placeholders", () => {
    const [one, two] = ["1", "2"].map((digit) => `sk-proj-${`a${digit}B2c3D4`.repeat(6)}`);
    const [a, b] = [post("/a", { key: one }), post("/b", { key: two })];
    expect(diffExchanges(record([a, ok], [b, ok]), record([b, ok], [a, ok]))).toEqual([]);
  });
});
