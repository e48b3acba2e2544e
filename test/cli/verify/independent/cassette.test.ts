import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseCassette } from "../../../../src/cassette/trust/load-cassette.js";
import { formatCassette } from "../../../../src/cassette/trust/cassette-store.js";
import { hashEnvelope } from "../../../../src/cassette/file/hashes.js";
import { CassetteError } from "../../../../src/cassette/errors.js";
import type { CassetteV2 } from "../../../../src/cassette/file/format.js";
import { recomputeCassette } from "../../../../src/cli/verify/independent/cassette.js";
import { Tally } from "../../../../src/cli/verify/independent/tally.js";
import { changesOf } from "../../../../src/harness/arbitraries/changes.js";
import type { JsonValue } from "../../../../src/core/canon/value.js";
import { draft, weatherCassette } from "../../../support/recording.js";
import { hasShared, sharedPath } from "../../../support/shared.js";

const corpus = fileURLToPath(new URL("../../../corpus/", import.meta.url));
const shared = sharedPath("vectors/cassettes/");

function recompute(bytes: Uint8Array | string): Tally {
  const tally = new Tally();
  recomputeCassette(typeof bytes === "string" ? Buffer.from(bytes) : bytes, tally);
  return tally;
}

const holdsBySecond = (bytes: Uint8Array | string) => recompute(bytes).disagreements.length === 0;

function codeOfFirst(bytes: Uint8Array | string): string {
  try {
    parseCassette(bytes, { ports: { warn: () => undefined } });
    return "ok";
  } catch (error) {
    if (error instanceof CassetteError) return error.code;
    throw error;
  }
}

/** The shapes of messages and answers are the first implementation's alone: no hash depends on them. */
const isHeldBySecond = (code: string) => !["wrong-type", "missing-field"].includes(code);

const files = [
  ...readdirSync(corpus, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".cassette.json"))
    .map((name) => corpus + name),
  ...(hasShared ? readdirSync(shared).map((name) => shared + name) : []),
];

describe("recomputeCassette", () => {
  it("has the verdict of the first implementation on each file of the corpus and of the vectors", () => {
    const verdicts = files.map((path) => {
      const bytes = readFileSync(path);
      return { path, first: codeOfFirst(bytes) === "ok", second: holdsBySecond(bytes) };
    });
    expect(verdicts.filter(({ first, second }) => first !== second)).toEqual([]);
    expect(verdicts.filter(({ second }) => second).length).toBeGreaterThan(15);
    expect(verdicts.filter(({ second }) => !second).length).toBeGreaterThan(12);
  });

  it("counts the hashes that it computed: two for each turn, one envelope, two for each context", async () => {
    const cassette = await weatherCassette();
    const contexts = cassette.extensions?.contexts ?? [];
    const { hashes, signatures, notRecomputed } = recompute(formatCassette(cassette));
    expect(hashes).toBe(2 * cassette.entries.length + 1 + 2 * contexts.length);
    expect({ signatures, notRecomputed }).toEqual({ signatures: 0, notRecomputed: {} });
  });

  it("counts what it cannot compute: prompts that were not stored, version 1, the source of a migration", async () => {
    const bare = await weatherCassette({ prompts: false });
    expect(recompute(formatCassette(bare)).notRecomputed).toEqual({
      "prompt hashes of prompts that were not stored": bare.entries.length,
    });
    expect(recompute(readFileSync(`${corpus}v1-tool-call.cassette.json`)).notRecomputed).toEqual({
      "turns of version 1, which has no hashes of answers": 2,
    });
    const forked = draft(bare);
    forked.extensions = { ...forked.extensions, forkedFrom: { cassetteId: forked.cassetteId } };
    forked.envelopeHash = hashEnvelope(forked);
    expect(recompute(formatCassette(forked)).notRecomputed).toMatchObject({
      "hashes of other files, which this one was made from": 1,
    });
  });

  it("finds a hash of tools that is not theirs, which the first implementation leaves to the envelope", async () => {
    const cassette = draft(await weatherCassette());
    const [context] = cassette.extensions?.contexts ?? [];
    if (context === undefined) throw new Error("the recording has no context");
    context.toolsHash = "0".repeat(64);
    cassette.envelopeHash = hashEnvelope(cassette);
    expect(codeOfFirst(formatCassette(cassette))).toBe("ok");
    expect(recompute(formatCassette(cassette)).disagreements).toEqual([
      { pointer: "/extensions/contexts/0/toolsHash", what: expect.stringContaining("the stored hash is") as string },
    ]);
  });

  it.each([true, false])("agrees with the first on every change of one place (prompts: %s)", async (prompts) => {
    const whole = draft(await weatherCassette({ prompts })) as unknown as JsonValue;
    const changes = changesOf(whole).map(({ what, value }) => ({ what, text: JSON.stringify(value) }));
    const odd = changes.filter(({ text }) => {
      const code = codeOfFirst(text);
      return isHeldBySecond(code) && (code === "ok") !== holdsBySecond(text);
    });
    expect(odd.map(({ what }) => what)).toEqual([]);
    // No change of a place is held to be none.
    expect(changes.filter(({ text }) => holdsBySecond(text)).map(({ what }) => what)).toEqual([]);
  });

  it.each(["null", "[]", "{}", '{"version":2,"entries":[null]}', '{"version":2,"entries":[{"prompt":1}]}'])(
    "says what is wrong with %s and throws nothing",
    (text) => {
      expect(holdsBySecond(text)).toBe(false);
    },
  );

  it("does not count a turn that was changed and hashed again with another cassetteId", async () => {
    const cassette: CassetteV2 = draft(await weatherCassette());
    cassette.cassetteId = "f".repeat(32);
    cassette.envelopeHash = hashEnvelope(cassette);
    expect(recompute(formatCassette(cassette)).disagreements.map(({ pointer }) => pointer)).toEqual(
      cassette.entries.map((_entry, index) => `/entries/${index}/responseHash`),
    );
  });
});
