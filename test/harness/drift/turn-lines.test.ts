import { describe, expect, it } from "vitest";
import { turnLines } from "../../../src/harness/drift/turn-lines.js";

describe("turnLines", () => {
  it("gives the line of each turn, whatever its texts and its own lists are", () => {
    const entries = [{ text: 'a "quoted" { [\n' }, { entries: [{ turn: 1 }] }, { "}": "]" }];
    const text = JSON.stringify({ extensions: { entries: [{}] }, name: "entries", entries, after: [{}] }, null, 2);
    const lines = text.split("\n");
    const begins = turnLines(text).map((line) => [lines[line - 1], lines[line]?.trim().slice(0, 8)]);
    expect(begins).toEqual([
      ["    {", '"text": '],
      ["    {", '"entries'],
      ["    {", '"}": "]"'],
    ]);
  });

  it.each(["", "{", '{"entries":{"a":{}}}', '["entries",[{}]]', '{"entries":"[{"}', '{"entries'])(
    "finds none in %s",
    (text) => {
      expect(turnLines(text)).toEqual([]);
    },
  );

  it("counts turns on one line", () => {
    expect(turnLines('\n{"entries":[{},{}]}')).toEqual([2, 2]);
  });
});
