import { describe, expect, it } from "vitest";
import { callKey, callsOf } from "../../../../src/cassette/diff/calls/calls.js";
import { call, runOf } from "../runs.js";

describe("callsOf", () => {
  it("lists every call with its turn, in recorded order", () => {
    const run = runOf([{ calls: [call("b", { q: 1 }), call("a")] }, { say: "wait" }, { calls: [call("b")] }], "id");
    expect(callsOf(run)).toEqual([
      { turn: 0, id: "id-0", name: "b", arguments: { q: 1 }, key: 'b({"q":1})' },
      { turn: 0, id: "id-1", name: "a", arguments: {}, key: "a({})" },
      { turn: 2, id: "id-2", name: "b", arguments: {}, key: "b({})" },
    ]);
  });
});

describe("callKey", () => {
  it("PLK-127 is the name and the canonical arguments", () => {
    expect(callKey(call("search", { z: 1, a: [-0, "é"] }))).toBe('search({"a":[0,"é"],"z":1})');
  });

  it("tells malformed arguments from the empty ones, and from each other", () => {
    const broken = (text: string) => callKey({ ...call("search"), malformedArguments: text });
    const keys = [callKey(call("search")), broken("{"), broken("{}"), broken("")];
    expect(new Set(keys).size).toBe(4);
  });
});
