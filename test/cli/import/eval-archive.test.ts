import { zipSync, type Zippable } from "fflate";
import { describe, expect, it } from "vitest";
import { CliError } from "../../../src/cli/errors.js";
import { isZip, readEvalArchive, type ArchiveLimits } from "../../../src/cli/import/eval-archive.js";

const limits = { maxMembers: 10, maxBytes: 100_000, freeBytes: 1_000, maxRatio: 20 };
const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value, undefined, 2));
const header = json({ version: 2, status: "success", eval: { task: "t" }, results: {} });
const read = (members: Zippable, more: Partial<ArchiveLimits> = {}) =>
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
    [{ "other.json": header }, "without the header.json"],
    [{ "header.json": json([1]).subarray(0, 1) }, "not a JSON object"],
    [{ "header.json": json(7) }, "not a JSON object"],
    [{ "header.json": new Uint8Array([0xff]) }, "not UTF-8"],
    [{ "../header.json": header }, "a path outside of it"],
    [{ "samples/..\\x.json": header }, "a path outside of it"],
    [{ "/header.json": header }, "a path outside of it"],
  ])("is refused if it is not a log (%#)", (members, why) => {
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

  it("is refused where its samples make a longer text than one can be, each with the head", () => {
    const sample = json({ id: 1 });
    const members = { "header.json": header, "samples/1_epoch_1.json": sample, "samples/2_epoch_1.json": sample };
    const { length } = read(members);
    expect(read(members, { maxCharacters: length })).toHaveLength(length);
    expect(() => read(members, { maxCharacters: length - 1 })).toThrow("more samples than fit into one string");
  });

  it("is refused where its head is larger than any", () => {
    const large = { "header.json": new Uint8Array(16 * 1024 * 1024 + 1).fill(32) };
    expect(() => read(large, { maxBytes: 1e9, freeBytes: 1e9 })).toThrow("a head of more than 16777216 bytes");
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

  it("never loads with other contents, whichever bit is flipped", () => {
    const members = {
      "header.json": header,
      "samples/1_epoch_1.json": json({ id: 1, text: "the answer is 42, and no other" }),
      "samples/2_epoch_1.json": [json({ id: 2, text: "stored as it is" }), { level: 0 }] as const,
    };
    const bytes = zipSync(members as unknown as Zippable);
    const text = readEvalArchive(bytes, "log.eval", limits);
    const refusals = new Set<string>();
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      if (!isZip(flipped)) continue;
      try {
        expect(readEvalArchive(flipped, "log.eval", limits), `bit ${bit}`).toBe(text);
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        refusals.add(error.message);
      }
    }
    expect([...refusals]).toContain('log.eval contains a damaged "samples/2_epoch_1.json": its CRC-32 does not match');
  });

  it("is refused where it holds a member twice, since nobody knows which one counts", () => {
    const bytes = zipSync({ "header.json": header, "headre.json": json({ version: 9 }) });
    const text = Buffer.from(bytes).toString("latin1").replaceAll("headre.json", "header.json");
    const raw = new Uint8Array(Buffer.from(text, "latin1"));
    expect(() => readEvalArchive(raw, "log.eval", limits)).toThrow('contains "header.json" twice');
  });

  it("is refused where it is torn", () => {
    const bytes = zipSync({ "header.json": header });
    expect(isZip(bytes)).toBe(true);
    expect(() => readEvalArchive(bytes.subarray(0, bytes.length - 30), "log.eval", limits)).toThrow(
      "cannot be unzipped",
    );
  });
});
