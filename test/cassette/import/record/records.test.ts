import { describe, expect, it } from "vitest";
import { readRecords } from "../../../../src/cassette/import/record/records.js";

const read = (text: string) =>
  [...readRecords(text)].map((record) => ["value" in record ? record.value : "refused", record.place.number]);

describe("the records of JSON Lines", () => {
  it("are counted by their lines, blank ones included, with or without a last newline", () => {
    const lines = ['{"a":1}', "", " \t\r", "[2]\r", "{torn", "3"];
    const expected = [
      [{ a: 1 }, 1],
      [[2], 4],
      ["refused", 5],
      [3, 6],
    ];
    expect(read(lines.join("\n"))).toEqual(expected);
    expect(read(`${lines.join("\n")}\n`)).toEqual(expected);
    expect(read(`\n\n${lines.join("\n")}\n\n`)).toEqual(expected.map(([value, line]) => [value, (line as number) + 2]));
  });

  it("are none in a text of newlines alone, even one with more lines than a list can hold", () => {
    expect(read("")).toEqual([]);
    expect(read("\n".repeat(135_000_000))).toEqual([]);
  }, 60_000);

  it("come one at a time", () => {
    const records = readRecords(`{"a":1}\n${"{}\n".repeat(3_000_000)}`);
    expect(records.next().value).toEqual({ place: { unit: "line", number: 1 }, value: { a: 1 } });
    expect(records.next().value).toEqual({ place: { unit: "line", number: 2 }, value: {} });
  });
});

describe("a damaged document over several lines", () => {
  const whole = JSON.stringify({ sessionId: "s", messages: [{ type: "user", content: "hi" }] }, null, 2);

  it.each([
    ["cut short", whole.slice(0, -12)],
    ["continued by another", `${whole}\n${whole}`],
    ["with zeros at its end", `${whole}\0\0`],
    ["that is a list", `[\n${whole},\n`],
  ])("%s is refused once, not line by line", (_, text) => {
    const records = [...readRecords(text)];
    expect(records).toHaveLength(1);
    const [record] = records;
    if (record === undefined || !("error" in record)) throw new Error("it was read");
    expect(record.place).toEqual({ unit: "line", number: 1 });
    expect(record.error).toMatchObject({
      code: "import-malformed",
      hint: expect.stringContaining("cut short") as string,
    });
    expect(record.error.message).toContain("it is not a whole JSON document");
  });

  it("does not hide lines that are JSON", () => {
    expect(read('{\n{"a":1}\n')).toEqual([
      ["refused", 1],
      [{ a: 1 }, 2],
    ]);
  });
});
