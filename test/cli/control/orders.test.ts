import { describe, expect, it } from "vitest";
import { readOrder } from "../../../src/cli/control/orders.js";
import { refusal } from "../../support/refusal.js";

describe("an order", () => {
  it("opens a cassette with its options", () => {
    const options = { mode: "auto", filter: ["date"], filterFile: "f.json", pass: ["/a"], rerecord: "again" };
    const flags = { allowUnused: true, allowRedacted: false, keepErrors: true };
    expect(readOrder(JSON.stringify({ open: "a.cassette.json", ...options, ...flags }))).toEqual({
      kind: "open",
      file: "a.cassette.json",
      options: { ...options, ...flags },
    });
  });

  it("closes a cassette", () => {
    expect(readOrder('{"close":"cassette-1"}')).toEqual({ kind: "close", id: "cassette-1", end: { failed: false } });
    expect(readOrder('{"close":"cassette-1","failed":true}')).toMatchObject({ end: { failed: true } });
  });

  it.each([
    ["open", "is not a JSON object"],
    ["[]", "is not a JSON object"],
    ["{}", "neither opens nor closes"],
    ['{"open":""}', "neither opens nor closes"],
    ['{"open":1}', "neither opens nor closes"],
    ['{"open":"a","close":"b"}', "neither opens nor closes"],
    ['{"open":"a","modus":"auto"}', "unknown option: modus"],
    ['{"open":"a","mode":1}', "mode of a cassette is 1"],
    ['{"open":"a","filter":"date"}', 'filter of a cassette is "date"'],
    ['{"open":"a","pass":[1]}', "pass of a cassette is a list"],
    ['{"open":"a","allowUnused":"yes"}', 'allowUnused of a cassette is "yes"'],
    ['{"close":"a","ok":true}', "unknown field: ok"],
    ['{"close":"a","failed":1}', "failed is 1"],
  ])("%s is refused", (line, message) => {
    const error = refusal(() => readOrder(line));
    expect(error).toMatchObject({ code: "invalid-options" });
    expect(String(error)).toContain(message);
  });
});
