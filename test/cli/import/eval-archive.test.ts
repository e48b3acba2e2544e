import { zipSync, type Zippable } from "fflate";
import { describe, expect, it } from "vitest";
import { isZip, readEvalArchive } from "../../../src/cli/import/eval-archive.js";

const limits = { maxMembers: 10, maxBytes: 100_000, freeBytes: 1_000, maxRatio: 20 };
const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value, undefined, 2));
const header = json({ version: 2, status: "success", eval: { task: "t" }, results: {} });
const read = (members: Zippable, more: Partial<typeof limits> = {}) =>
  readEvalArchive(zipSync(members), "log.eval", { ...limits, ...more });

describe("an .eval archive", () => {
  it("becomes one line for each sample, by epoch and then by sample, whatever their order in it", () => {
    const text = read({
      "samples/10_epoch_1.json": json({ id: 10, text: "a\nb" }),
      "samples/2_epoch_2.json": json({ id: 2 }),
      "samples/2_epoch_1.json": json({ id: 2 }),
      "header.json": header,
      "summaries.json": json([]),
    });
    const lines = text.trimEnd().split("\n");
    const records = lines.map((line) => JSON.parse(line) as { samples: { id: number; text?: string }[] });
    expect(records.map(({ samples }) => samples[0]?.id)).toEqual([2, 10, 2]);
    expect(records[1]).toEqual({
      version: 2,
      status: "success",
      eval: { task: "t" },
      samples: [{ id: 10, text: "a\nb" }],
    });
  });

  it("has the head it began with where it broke off, and may hold no sample", () => {
    expect(JSON.parse(read({ "_journal/start.json": header }))).toMatchObject({ eval: { task: "t" }, samples: [] });
  });

  it.each<[Zippable, string]>([
    [{ "other.json": header }, "holds no header.json"],
    [{ "header.json": json([1]).subarray(0, 1) }, "no JSON object"],
    [{ "header.json": json(7) }, "no JSON object"],
    [{ "header.json": new Uint8Array([0xff]) }, "not UTF-8"],
    [{ "../header.json": header }, "leads out of it"],
    [{ "samples/..\\x.json": header }, "leads out of it"],
    [{ "/header.json": header }, "leads out of it"],
  ])("is refused where it is no log (%#)", (members, why) => {
    expect(() => read(members)).toThrow(why);
  });

  it("is refused beyond a limit of members, of bytes, and of growth", () => {
    const large = new Uint8Array(50_000).fill(32);
    const members = { "header.json": header, "samples/1_epoch_1.json": large };
    expect(() => read(members, { maxMembers: 1 })).toThrow("more than 1 members");
    expect(() => read(members, { maxBytes: 10_000, freeBytes: 100_000 })).toThrow("limit of 10000 bytes");
    expect(() => read(members)).toThrow("20 times its size");
    expect(read(members, { freeBytes: 100_000 })).toContain('"samples"');
  });

  it("is refused by name of its method, Zstandard in so many words", () => {
    const of = (method: number) => {
      const bytes = zipSync({ "header.json": header });
      const at = bytes.findIndex((_, i) => bytes[i] === 0x50 && bytes[i + 1] === 0x4b && bytes[i + 2] === 1);
      bytes[at + 10] = method;
      return () => readEvalArchive(bytes, "log.eval", limits);
    };
    expect(of(93)).toThrow("Zstandard (method 93)");
    expect(of(14)).toThrow("method 14");
  });

  it("is refused where it is torn", () => {
    const bytes = zipSync({ "header.json": header });
    expect(isZip(bytes)).toBe(true);
    expect(() => readEvalArchive(bytes.subarray(0, bytes.length - 30), "log.eval", limits)).toThrow(
      "cannot be unzipped",
    );
  });
});
