import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatCassette, type CassetteV2 } from "../../../src/cassette/index.js";
import "../../../src/entry/vitest.js";
import { rejection } from "../../support/refusal.js";
import { lookupRun, replay } from "../vitest/runs.js";

let folder: string;
let cassette: CassetteV2;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "playhead-verified-"));
  cassette = (await lookupRun()).cassette;
});
afterAll(() => rm(folder, { recursive: true }));

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, `${name}.cassette.json`);
  await writeFile(path, text);
  return path;
}

function version1() {
  const { recordedAt, recordedProvider, entries } = cassette;
  const bare = entries.map(({ turnIndex, promptHash, response }) => ({ turnIndex, promptHash, response }));
  return { version: 1, recordedAt, recordedProvider, entries: bare };
}

describe("toBeVerifiedCassette", () => {
  it("passes for a file and for an object that load with every check", async () => {
    await expect(await write("good", formatCassette(cassette))).toBeVerifiedCassette();
    await expect(cassette).toBeVerifiedCassette();
  });

  it("fails with the code, the words and the place of the refusal", async () => {
    const path = await write("changed", formatCassette(cassette).replace("sunny", "windy"));
    expect(await rejection(expect(path).toBeVerifiedCassette())).toMatchObject({
      message: [
        `expected ${path} to be a verified cassette, but it was refused (response-hash): turn 1: the response, its place, its prompt or the cassetteId was changed after it was recorded`,
        "  at /entries/1",
        "Restore the file from version control, or record it again.",
      ].join("\n"),
    });
    await expect(path).not.toBeVerifiedCassette();
  });

  it("fails for a torn file, an object that lost a field, and an object that is not JSON", async () => {
    const torn = await write("torn", formatCassette(cassette).slice(0, 200));
    const { envelopeHash, ...stripped } = cassette;
    const { version, ...unversioned } = cassette;
    for (const damaged of [torn, stripped, unversioned, { ...cassette, agentId: 1n }]) {
      expect(await rejection(expect(damaged).toBeVerifiedCassette())).toMatchObject({
        message: expect.stringMatching(/was refused \(([a-z]|-)+\): /),
      });
      await expect(damaged).not.toBeVerifiedCassette();
    }
  });

  it("says under .not what verified", async () => {
    expect(await rejection(expect(cassette).not.toBeVerifiedCassette())).toMatchObject({
      message:
        "expected the cassette to be refused, but it verified: version 2, 2 turns, every hash matches.\n" +
        "Remove .not, or check that this is the changed cassette.",
    });
  });

  it("takes version 1 only when integrity is not required", async () => {
    const old = version1();
    expect(await rejection(expect(old).toBeVerifiedCassette())).toMatchObject({
      message: expect.stringContaining(
        "the cassette to be a verified cassette, but it was refused (integrity-required)",
      ),
    });
    await expect(old).toBeVerifiedCassette({ requireIntegrity: false });
    expect(await rejection(expect(old).not.toBeVerifiedCassette({ requireIntegrity: false }))).toMatchObject({
      message: expect.stringContaining("version 1, 2 turns, no hashes to check"),
    });
  });

  it("rejects for a file that cannot be read, also under .not, since that answers nothing", async () => {
    const missing = join(folder, "none.cassette.json");
    const unreadable = join(folder, "folder.cassette.json");
    await mkdir(unreadable);
    for (const [path, code] of [
      [missing, "file-not-found"],
      [unreadable, "file-unreadable"],
    ]) {
      for (const assertion of [expect(path), expect(path).not]) {
        expect(await rejection(assertion.toBeVerifiedCassette())).toMatchObject({ name: "CassetteError", code });
      }
    }
  });

  it("refuses text, a recorder, a replaying provider and other values, also under .not", async () => {
    const { recorder } = await lookupRun();
    const { provider } = await replay(cassette);
    const cases: [unknown, string][] = [
      [formatCassette(cassette), "it was given text instead of a path: the text"],
      ["", "it was given an empty path"],
      [recorder, "For a recorder pass recorder.toCassette()"],
      [provider, "for a replaying provider its .cassette"],
      [undefined, "was given undefined"],
      [true, "was given the boolean true"],
    ];
    for (const [wrong, words] of cases) {
      for (const assertion of [expect(wrong), expect(wrong).not]) {
        expect(await rejection(assertion.toBeVerifiedCassette())).toMatchObject({
          code: "matcher-misuse",
          message: expect.stringContaining(words),
        });
      }
    }
  });

  it("refuses an option it does not know", async () => {
    const options = { integrity: true } as object;
    expect(await rejection(expect(cassette).not.toBeVerifiedCassette(options))).toMatchObject({
      message:
        "toBeVerifiedCassette: it has no option integrity. The options are requireIntegrity, lock, trust, requireSignature.",
    });
  });
});
