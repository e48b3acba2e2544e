import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pack, unpack } from "../../../src/cli/runs/packed.js";
import { sha256Hex } from "../../../src/core/index.js";
import { nodeFiles } from "../../../src/host/files.js";
import { folder } from "../run.js";

const PATH = "a.1.cassette.json";
const unitOf = (text: string) => ({ run: 1, exitCode: 0, files: [{ path: PATH, sha256: sha256Hex(text) }] });
const packText = (text: string) => {
  writeFileSync(join(folder, PATH), text);
  return pack(unitOf(text), folder, nodeFiles());
};

describe("a run in a store", () => {
  it("comes back with the texts of its recordings", async () => {
    const text = '\uFEFF{ "a": "ü\\u0000" }\n';
    const packed = await packText(text);
    if (!("text" in packed)) throw new Error(packed.why);
    expect(await unpack(1, packed.text)).toEqual({ unit: unitOf(text), texts: [text] });
  });

  it("has a limit, and keeps no recording that changed or is not text", async () => {
    expect(await packText(randomBytes(6_500_000).toString("base64"))).toEqual({
      why: expect.stringMatching(/^its recordings have \d{7} characters when compressed, and the limit is 8000000$/),
    });
    const changed = { why: "the recording a.1.cassette.json changed, or is not UTF-8" };
    expect(await pack(unitOf("other"), folder, nodeFiles())).toEqual(changed);
  });

  it.each(["", "H4s", Buffer.from("{}").toString("base64")])("is refused if it is %j", async (text) => {
    await expect(unpack(1, text)).rejects.toMatchObject({
      code: "report-unusable",
      message: "the result of run 1 in the store is damaged",
    });
  });
});
