import { mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasShared, sharedPath } from "../support/shared.js";
import { runOf } from "../cassette/diff/runs.js";
import { cli, documentOf, folder, place } from "./run.js";

const good = place("good.cassette.json", runOf([{ say: "hello" }], "scripted"));
const goodText = readFileSync(good, "utf8");

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

/** Everything below a folder, to show that a command left it alone. */
function bytesBelow(path: string): Record<string, string> {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [file, readFileSync(file).toString("base64")];
    }),
  );
}

const VECTORS = "vectors/cassettes/";
const vectors = hasShared ? readdirSync(sharedPath(VECTORS)) : [];

/** The code each refusal must have, by the name of the vector. */
const CODES: Record<string, string> = {
  "bad-agent-rebound.json": "envelope-hash",
  "bad-bom.json": "byte-order-mark",
  "bad-cassette-id-changed.json": "response-hash",
  "bad-date-forged.json": "envelope-hash",
  "bad-downgraded-label-only.json": "downgrade",
  "bad-downgraded-some-fields-left.json": "downgrade",
  "bad-duplicate-key.json": "duplicate-key",
  "bad-entries-swapped.json": "out-of-order",
  "bad-extension-added.json": "envelope-hash",
  "bad-index-renumbered.json": "out-of-order",
  "bad-missing-response-hash.json": "missing-field",
  "bad-prompt-edited.json": "prompt-hash",
  "bad-prompt-hash-edited.json": "prompt-hash",
  "bad-provider-swapped.json": "envelope-hash",
  "bad-response-edited.json": "response-hash",
  "bad-response-edited-and-rehashed.json": "envelope-hash",
  "bad-spliced-entry.json": "response-hash",
  "bad-tool-argument-edited.json": "response-hash",
  "bad-torn.json": "not-json",
  "bad-truncated-tail.json": "envelope-hash",
  "bad-unknown-entry-field.json": "unknown-field",
  "bad-unknown-field.json": "unknown-field",
  "bad-version-3.json": "version-newer",
};

describe.skipIf(!hasShared)("cassette verify of the vectors", () => {
  it("knows a code for every bad one", () => {
    expect(vectors.filter((name) => name.startsWith("bad-")).sort()).toEqual(Object.keys(CODES).sort());
  });

  it.each(vectors.filter((name) => name.startsWith("good-")))("passes %s", async (name) => {
    expect(await cli(["verify", sharedPath(VECTORS + name)])).toMatchObject({ code: 0, err: "" });
  });

  it.each(Object.entries(CODES))("refuses %s with %s", async (name, code) => {
    const path = sharedPath(VECTORS + name);
    const ran = await cli(["verify", path]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain(`refused    ${path}  ${code}: `);
    const { files } = documentOf(await cli(["verify", "--json", path])) as unknown as { files: unknown[] };
    expect(files).toEqual([{ file: path, status: "refused", error: expect.objectContaining({ code }) as object }]);
  });

  it("passes the version 2 stripped to version 1 with a warning, and refuses it with --require-integrity", async () => {
    const path = sharedPath(`${VECTORS}stripped-to-v1.json`);
    const passed = await cli(["verify", path]);
    expect(passed.code).toBe(0);
    expect(passed.out).toContain("v1  2 turns  openai:gpt-4o  nothing proves its contents");
    expect(passed.out).toContain("nothing proves their contents; --require-integrity refuses them");
    const refused = await cli(["verify", "--require-integrity", path]);
    expect(refused.code).toBe(3);
    expect(refused.out).toContain("integrity-required");
  });

  it("checks all of them in one call, in spite of the failures", async () => {
    const paths = vectors.map((name) => sharedPath(VECTORS + name));
    const document = documentOf(await cli(["verify", "--json", ...paths]));
    expect(document.exitCode).toBe(3);
    expect(document["summary"]).toEqual({ files: 30, ok: 7, refused: 23, unreadable: 0, version1: 2 });
  });
});

describe("cassette verify", () => {
  it("prints version, turns, provider and the first 8 digits of the id", async () => {
    expect(await cli(["verify", "good.cassette.json"])).toEqual({
      code: 0,
      out: "ok         good.cassette.json  v2  1 turn  scripted  00000000  hashes hold; no lock checked; unsigned\n1 path checked: 1 ok, 0 refused, 0 unreadable\n",
      err: "",
    });
  });

  it.each([
    ["torn.json", goodText.slice(0, -40), "not-json"],
    ["bom.json", `\uFEFF${goodText}`, "byte-order-mark"],
    ["empty.json", "", "not-json"],
    ["binary.json", Uint8Array.of(0, 255, 254, 128, 13, 10), "not-utf8"],
    ["list.json", "[]", "wrong-type"],
    ["edited.json", goodText.replace("hello", "hullo"), "response-hash"],
  ])("exits 3 for %s and leaves it as it was", async (name, content, code) => {
    const path = write(name, content);
    const before = readFileSync(path);
    const ran = await cli(["verify", path]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain(`  ${code}: `);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("exits 3 for a file of 65 MiB without reading it", async () => {
    const path = write("large.json", "");
    truncateSync(path, 65 * 1024 * 1024);
    const ran = await cli(["verify", path]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain(`too-large: ${path} has 68157440 bytes, more than the limit of 67108864`);
  });

  it("exits 2 for a missing file", async () => {
    const ran = await cli(["verify", "missing.json"]);
    expect(ran.code).toBe(2);
    expect(ran.out).toContain("unreadable missing.json  file-not-found: there is no cassette at missing.json");
  });

  it("exits 2 for an empty folder", async () => {
    mkdirSync(join(folder, "nothing"));
    const ran = await cli(["verify", "nothing"]);
    expect(ran.code).toBe(2);
    expect(ran.out).toContain("nothing-found: the folder contains no *.cassette.json or *.bundle.json file");
  });

  it("exits 2 for a folder inside a folder that has the name of a cassette but contains no cassette", async () => {
    mkdirSync(join(folder, "outer", "inner.cassette.json"), { recursive: true });
    expect((await cli(["verify", "outer"])).code).toBe(2);
  });

  it("checks every file of a folder after a failure, and lets 3 win over 2", async () => {
    mkdirSync(join(folder, "set", "deep"), { recursive: true });
    place("set/a.cassette.json", runOf([{ say: "a" }]));
    write("set/b.cassette.json", goodText.replace("hello", "hullo"));
    place("set/deep/c.cassette.json", runOf([{ say: "c" }]));
    write("set/other.json", "not a cassette");
    const before = bytesBelow(join(folder, "set"));
    const document = documentOf(await cli(["verify", "--json", "missing.json", "set"]));
    expect(document.exitCode).toBe(3);
    const files = document["files"] as { file: string; status: string }[];
    expect(files.map(({ file, status }) => [file, status])).toEqual([
      ["missing.json", "unreadable"],
      [join("set", "a.cassette.json"), "ok"],
      [join("set", "b.cassette.json"), "refused"],
      [join("set", "deep", "c.cassette.json"), "ok"],
    ]);
    expect(bytesBelow(join(folder, "set"))).toEqual(before);
  });

  it("checks what lies behind a link to a folder, and ends where links go in a circle", async () => {
    mkdirSync(join(folder, "behind"));
    mkdirSync(join(folder, "front"));
    write("behind/edited.cassette.json", readFileSync(good, "utf8").replace("assistant", "assistent"));
    symlinkSync(join(folder, "behind"), join(folder, "front", "link"));
    symlinkSync(join(folder, "front"), join(folder, "front", "loop"));
    const ran = await cli(["verify", "front"]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("1 path checked: 0 ok, 1 refused, 0 unreadable");
    expect(ran.out).toContain(join("front", "link", "edited.cassette.json"));
  });

  it("checks a file once that is named twice", async () => {
    expect((await cli(["verify", good, "good.cassette.json", folder])).out.match(/good\.cassette\.json/g)).toHaveLength(
      1,
    );
  });

  it("escapes a name and a provider that would act on a terminal", async () => {
    const path = place("e\u001b[2Jvil.json", runOf([{ say: "a" }], "\u001b]0;title\u0007"));
    const ran = await cli(["verify", path], { isTTY: true, env: { NO_COLOR: "1" } });
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("e\\u001b[2Jvil.json");
    expect(ran.out).toContain("\\u001b]0;title\\u0007");
    expect(ran.out).not.toContain("\u001b");
  });

  it("colours only for a terminal", async () => {
    expect((await cli(["verify", good], { isTTY: true })).out).toContain("\u001b[32mok");
    expect((await cli(["verify", good], { isTTY: true, env: { NO_COLOR: "1" } })).out).not.toContain("\u001b");
    expect((await cli(["verify", good])).out).not.toContain("\u001b");
  });
});
