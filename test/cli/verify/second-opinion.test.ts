import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { hashEnvelope } from "../../../src/cassette/file/hashes.js";
import { createBundleStore } from "../../../src/cassette/bundle/store.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { nodeFiles, pathBeside } from "../../../src/host/files.js";
import { trioBundle } from "../../support/bundles.js";
import { draft, weatherCassette } from "../../support/recording.js";
import { cli, documentOf, folder, place } from "../run.js";

const corpus = fileURLToPath(new URL("../../corpus/", import.meta.url));
const weather = await weatherCassette();
const good = place("good.cassette.json", weather);
const contexts = weather.extensions?.contexts?.length ?? 0;
const hashes = 2 * weather.entries.length + 1 + 2 * contexts;
const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
  dependencies: Record<string, string>;
};
const by = Object.fromEntries(
  ["json-canonicalize", "@noble/hashes", "@noble/ed25519"].map((name) => [name, manifest.dependencies[name]]),
);

interface Independent {
  hashes: number;
  signatures: number;
  notRecomputed: Record<string, number>;
}

describe("cassette verify --independent", () => {
  it("says how many hashes and signatures were recomputed, and by what", async () => {
    const ran = await cli(["verify", good, "--independent"]);
    const packages = Object.entries(by).map(([name, version]) => `${name} ${version}`);
    expect(ran.code).toBe(0);
    expect(ran.out.trimEnd().split("\n").at(-1)).toBe(
      `independently recomputed: ${hashes} hashes, 0 signatures by ${packages.join(", ")}`,
    );
  });

  it("says it in the JSON document, for each file and in sum", async () => {
    const document = documentOf(await cli(["verify", good, "--independent", "--json"]));
    const independent: Independent = { hashes, signatures: 0, notRecomputed: {} };
    expect(document["files"]).toMatchObject([{ status: "ok", independent }]);
    expect(document["independent"]).toEqual({ ...independent, by });
    expect(documentOf(await cli(["verify", good, "--json"]))).not.toHaveProperty("independent");
  });

  it("refuses what the second implementation computes differently, with a code of its own", async () => {
    const cassette = draft(weather);
    const [context] = cassette.extensions?.contexts ?? [];
    if (context === undefined) throw new Error("the recording has no context");
    context.toolsHash = "0".repeat(64);
    cassette.envelopeHash = hashEnvelope(cassette);
    const path = place("differs.cassette.json", cassette);
    expect((await cli(["verify", path])).code).toBe(0);
    const ran = await cli(["verify", path, "--independent"]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain(
      `refused    ${path}  independent-mismatch: the independent implementation disagrees at /extensions/contexts/0/toolsHash: the stored hash is "0000`,
    );
  });

  it("does not recompute what is refused already", async () => {
    const path = join(folder, "edited.cassette.json");
    writeFileSync(path, formatCassette(weather).replace('"days": 2', '"days": 3'));
    const ran = await cli(["verify", path, "--independent"]);
    expect(ran.code).toBe(3);
    expect(ran.out).not.toContain("independent-mismatch");
    expect(ran.out).toContain("independently recomputed: 0 hashes, 0 signatures");
  });

  it("verifies signatures in the cassette and next to it, under the keys of the trust file", async () => {
    const signed = join(corpus, "v2-two-signatures.cassette.json");
    const trusted = await cli([
      "verify",
      signed,
      "--independent",
      "--trust",
      join(corpus, "trust-both.json"),
      "--json",
    ]);
    expect(documentOf(trusted)["independent"]).toMatchObject({ signatures: 2, notRecomputed: {} });
    const one = await cli(["verify", signed, "--independent", "--trust", join(corpus, "trust.json"), "--json"]);
    expect(documentOf(one)["independent"]).toMatchObject({
      signatures: 1,
      notRecomputed: { "further signatures by keys that are not in the trust file": 1 },
    });
    const alone = await cli(["verify", signed, "--independent"]);
    expect(alone.out).toContain("not recomputed: files of further signatures, whose keys only --trust names (1)");
  });

  it("recomputes a bundle with its cassettes", async () => {
    mkdirSync(join(folder, "runs"), { recursive: true });
    const recorded = await trioBundle();
    const path = join(folder, "runs", "trip.bundle.json");
    await createBundleStore(nodeFiles(), pathBeside).save(path, recorded);
    const { independent, files } = documentOf(await cli(["verify", path, "--independent", "--json"])) as unknown as {
      independent: Independent;
      files: { independent: Independent }[];
    };
    const members = Object.values(recorded.cassettes);
    const ofMembers = members.map(
      ({ entries, extensions }) => 2 * entries.length + 1 + 2 * (extensions?.contexts?.length ?? 0),
    );
    expect(independent.hashes).toBe(1 + ofMembers.reduce((sum, each) => sum + each, 0));
    expect(files).toMatchObject([{ independent: { hashes: independent.hashes } }]);
  });

  it("says the same however many threads share the files", async () => {
    const copies = ["one", "two", "three"].map((name) => join(folder, `${name}.cassette.json`));
    for (const copy of copies) copyFileSync(good, copy);
    const [here, threads] = [
      await cli(["verify", ...copies, "--independent", "--jobs", "1"]),
      await cli(["verify", ...copies, "--independent", "--jobs", "2"]),
    ];
    expect(threads).toEqual(here);
    expect(here.out).toContain(`independently recomputed: ${3 * hashes} hashes`);
  });
});
