import { describe, expect, it } from "vitest";
import { checkExchanges } from "../../../src/cassette/file/exchanges.js";

const good = { method: "POST", path: "/v1/embeddings", status: 200 };

function check(exchanges: unknown): string[] {
  const found: string[] = [];
  const refuse = (code: string, _: string, pointer: string): never => {
    found.push(`${code} ${pointer.replace("/extensions/exchanges", "")}`);
    throw new Error("refused");
  };
  try {
    checkExchanges({ exchanges }, refuse);
  } catch {
    return found;
  }
  return ["ok"];
}

describe("checkExchanges", () => {
  it.each([
    {},
    { query: "a=1", request: { json: null }, response: { json: false }, headers: {} },
    { request: { text: "" }, response: { text: "" }, headers: { "content-type": "", "retry-after": "1\té" } },
    { request: { sha256: "0".repeat(64), bytes: 0 }, response: { base64: "" } },
    { request: { sha256: "0".repeat(64), bytes: 3, type: "a/b" }, response: { base64: "YWJj" }, isCut: true },
    { request: { parts: [] } },
    { request: { parts: [{ text: "x" }, { name: "n", filename: "f", type: "t", sha256: "a".repeat(64), bytes: 1 }] } },
  ])("accepts %j", (fields) => {
    expect(check([{ ...good, ...fields }])).toEqual(["ok"]);
  });

  it("accepts no list and an empty one", () => {
    expect([check(undefined), check([])]).toEqual([["ok"], ["ok"]]);
  });

  it.each([
    [{ note: 1 }, "unknown-field /0/note"],
    [{ "a/b": 1 }, "unknown-field /0/a~1b"],
    [{ method: "post" }, "wrong-type /0/method"],
    [{ path: "v1" }, "wrong-type /0/path"],
    [{ path: "/v1?a=1" }, "wrong-type /0/path"],
    [{ query: "" }, "wrong-type /0/query"],
    [{ status: 99 }, "wrong-type /0/status"],
    [{ status: "200" }, "wrong-type /0/status"],
    [{ isCut: false }, "wrong-type /0/isCut"],
    [{ headers: [] }, "wrong-type /0/headers"],
    [{ headers: { date: "x" } }, "unknown-field /0/headers/date"],
    [{ headers: { "retry-after": 1 } }, "wrong-type /0/headers/retry-after"],
    [{ headers: { "content-type": "a\r\nb" } }, "wrong-type /0/headers/content-type"],
    [{ headers: { "content-type": "a; name=日" } }, "wrong-type /0/headers/content-type"],
    [{ request: null }, "wrong-type /0/request"],
    [{ request: {} }, "wrong-type /0/request"],
    [{ request: { json: 1, text: "1" } }, "wrong-type /0/request"],
    [{ request: { text: "1", type: "a" } }, "wrong-type /0/request"],
    [{ request: { base64: "" } }, "unknown-field /0/request/base64"],
    [{ request: { sha256: "0".repeat(64) } }, "wrong-type /0/request"],
    [{ request: { sha256: "0".repeat(63), bytes: 1 } }, "wrong-type /0/request/sha256"],
    [{ request: { sha256: "0".repeat(64), bytes: -1 } }, "wrong-type /0/request/bytes"],
    [{ request: { parts: {} } }, "wrong-type /0/request/parts"],
    [{ request: { parts: [1] } }, "wrong-type /0/request/parts"],
    [{ request: { parts: [{}] } }, "wrong-type /0/request/parts/0"],
    [{ request: { parts: [{ text: "x", size: 1 }] } }, "unknown-field /0/request/parts/0/size"],
    [{ response: { base64: "?" } }, "wrong-type /0/response/base64"],
    [{ response: { sha256: "0".repeat(64) } }, "unknown-field /0/response/sha256"],
    [{ response: {} }, "wrong-type /0/response"],
  ])("refuses %j", (fields, expected) => {
    expect(check([{ ...good, ...fields }])).toEqual([expected]);
  });

  it("refuses what is not a list of objects, and a missing field", () => {
    expect(check({})).toEqual(["wrong-type "]);
    expect(check([good, 1])).toEqual(["wrong-type /1"]);
    expect(check([good, { method: "GET", path: "/" }])).toEqual(["missing-field /1/status"]);
  });
});
