// Files in memory answer as the files of a Linux machine: the same random sequence of operations on both.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { FilePort } from "../../src/core/ports.js";
import { memoryFiles } from "../../src/harness/doubles/files.js";
import { nodeFiles } from "../../src/host/files.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Few, so that names meet; the odd ones by turns with plain ones, so that something comes of most sequences. */
const NAMES = [
  ...["a", "b", "c", "a", "b", "c"],
  ...["A", ".hidden", "a b", "a\nb", "-", "~", "con", "a.json", "é", "e\u0301", "名前", "😀", "\ud800", "\ufffd"],
  ...[".", "..", ""],
  ...["x".repeat(255), "x".repeat(256), "é".repeat(127), "é".repeat(128)],
];

const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 })
  .map((names) => names.join("/"))
  .chain((whole) => fc.constantFrom(whole, whole, whole, `${whole}/`, `${whole}\0`));
/** Few enough that what one operation did is what the next one meets. */
const plain = fc.constantFrom("a", "b", "a/b", "a/b/c", "b/c", "seed.json", ".");
const odd = fc.constantFrom("", "/", "//", ".", "..", "a//b", "./a", "a/.", "a/..", `${"y".repeat(250)}/`.repeat(17));
const text = fc.constantFrom("", "x", "é", "😀", "\ud83d", "\ude00", "\ufeffx", "line\n");

type Operation = (files: FilePort, at: (path: string) => string) => Promise<unknown>;

/** An operation with the words a counterexample is told in. */
const operation: fc.Arbitrary<{ toString(): string; run: Operation }> = fc
  .record({
    name: fc.constantFrom("read", "write", "write", "create", "append", "remove", "list"),
    path: fc.oneof({ weight: 4, arbitrary: plain }, { weight: 3, arbitrary: path }, { weight: 1, arbitrary: odd }),
    text,
    maxBytes: fc.constantFrom(0, 1, 2, 1_000),
    suffix: fc.constantFrom("", ".json", "a"),
  })
  .map(({ name, path: given, text: data, maxBytes, suffix }) => ({
    toString: () => `${name} ${JSON.stringify(given)} ${JSON.stringify({ data, maxBytes, suffix })}`,
    run: (files, at) => {
      switch (name) {
        case "read":
          return files.read(at(given), maxBytes);
        case "write":
          return files.write(at(given), data, { overwrite: true });
        case "create":
          return files.write(at(given), data, { overwrite: false });
        case "append":
          return files.append(at(given), data);
        case "remove":
          return files.remove(at(given));
        case "list":
          return files.list(at(given), suffix);
      }
    },
  }));

/** What of an answer is the same everywhere: the words of a failure are the system's own. */
function outcome(answer: unknown): unknown {
  const { kind, bytes } = (answer ?? {}) as { kind?: string; bytes?: Uint8Array };
  if (kind === "failed") return "failed";
  return bytes === undefined ? answer : Buffer.from(bytes).toString("hex");
}

let count = 0;

/** Both with one file in a folder, deep enough that `..` stays in what is thrown away. */
function makeBoth() {
  const root = folder.path(`${count++}/1/2/3/4`);
  mkdirSync(root, { recursive: true });
  writeFileSync(`${root}/seed.json`, "seed");
  return { root, files: [nodeFiles(), memoryFiles({ [`${root}/seed.json`]: "seed" })] as const };
}

describe.skipIf(process.platform !== "linux")("files in memory", () => {
  it("answer what the files of this machine answer, whatever is done with them", async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 14 }), async (operations) => {
        const { root, files } = makeBoth();
        // Joined by hand: `join` would take away what this is about.
        const at = (given: string) => (given === "" ? "" : `${root}/${given}`);
        for (const { run } of operations) {
          const [real, double] = [await run(files[0], at), await run(files[1], at)].map(outcome);
          expect(double).toEqual(real);
          seen.add(
            typeof real === "object" ? String((real as { kind?: string }).kind ?? "list") : String(real).slice(0, 6),
          );
        }
        const everything = await Promise.all(files.map((one) => one.list(root, "")));
        expect(everything[1]).toEqual(everything[0]);
        rmSync(root, { recursive: true, force: true });
      }),
      { numRuns: 100 },
    );
    const often = ["failed", "written", "exists", "removed", "not-found", "too-large", "list", "undefi"];
    expect([...seen]).toEqual(expect.arrayContaining(often));
  });

  it.each<[string, (files: FilePort, root: string) => Promise<unknown>, unknown]>([
    ["a folder has the name", (files, root) => files.write(`${root}/f/g`, "", { overwrite: true }), "written"],
    ["a file is in the way", (files, root) => files.write(`${root}/seed.json/x`, "", { overwrite: true }), "failed"],
    ["a file is not a folder", (files, root) => files.read(`${root}/seed.json/x`, 9), "failed"],
    ["a folder is not a file", (files, root) => files.read(root, 9), "failed"],
    ["a folder is not written over", (files, root) => files.write(root, "", { overwrite: true }), "failed"],
    ["a folder is there", (files, root) => files.write(root, "", { overwrite: false }), "exists"],
    ["a folder is not taken away", (files, root) => files.remove(root), "failed"],
    ["what is not there", (files, root) => files.remove(`${root}/none`), "not-found"],
    ["what is not there, in no folder", (files, root) => files.remove(`${root}/none/none`), "not-found"],
    ["no path", (files) => files.write("", "", { overwrite: true }), "failed"],
    ["a name of 256 bytes", (files, root) => files.append(`${root}/${"x".repeat(256)}`, ""), "failed"],
  ])("and also where %s", async (_name, run, expected) => {
    const { root, files } = makeBoth();
    for (const one of files) expect(await run(one, root)).toMatchObject({ kind: expected });
  });

  it("keep a folder whose last file went", async () => {
    const { root, files } = makeBoth();
    for (const one of files) {
      await one.append(`${root}/f/g`, "");
      await one.remove(`${root}/f/g`);
      expect(await one.list(`${root}/f`, "")).toEqual([]);
      expect(await one.list(`${root}/g`, "")).toBeUndefined();
    }
  });
});
