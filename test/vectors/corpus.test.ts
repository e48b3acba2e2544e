// What test/corpus holds in addition to cassettes: signatures against trust lists, a lock, bundles, receipts and logs to import.
// Each file is read as a program reads it, through a store on the disk, and the code that must come of it stands in a table.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createBundleStore } from "../../src/cassette/bundle/store.js";
import { CassetteError } from "../../src/cassette/errors.js";
import { importLog } from "../../src/cassette/import/import.js";
import { readLock } from "../../src/cassette/trust/lock.js";
import { rebuildPrompts } from "../../src/cassette/prompt/rebuild.js";
import { createCassetteStore } from "../../src/cassette/trust/cassette-store.js";
import { readTrust } from "../../src/cassette/trust/trust.js";
import { fromBase64 } from "../../src/core/canon/bytes.js";
import { verifyReceipts } from "../../src/core/receipts/verify.js";
import { nodeFiles, pathBeside } from "../../src/host/index.js";
import { rejection } from "../support/refusal.js";

const at = (name: string) => fileURLToPath(new URL(`../corpus/${name}`, import.meta.url));
const files = nodeFiles();
const store = createCassetteStore(files);
const ports = { warn: () => undefined, now: () => Date.UTC(2026, 10, 22) };

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(CassetteError);
  return (error as CassetteError).code;
}

/** By cassette and trust list: "ok", or why it is refused where a signature is required. */
const SIGNED: [cassette: string, trust: string, outcome: string][] = [
  ["v2-signed", "trust", "ok"],
  ["v2-signed", "trust-both", "ok"],
  ["v2-signed", "trust-other", "signature-untrusted"],
  ["v2-two-signatures", "trust", "ok"],
  ["v2-two-signatures", "trust-other", "signature-untrusted"],
  ["v2-envelope-only", "trust-both", "ok"],
  ["v2-envelope-only", "trust", "signature-untrusted"],
  ["v2-tool-call", "trust", "signature-missing"],
  ["v1-stripped", "trust", "signature-missing"],
  ["tampered-envelope-payload-type", "trust-both", "signature-invalid"],
  ["tampered-signature-moved", "trust", "signature-invalid"],
];

describe("signatures of the corpus", () => {
  it.each(SIGNED)("%s under %s.json: %s", async (cassette, list, outcome) => {
    const trust = await readTrust(files, at(`${list}.json`));
    const loading = store.load(at(`${cassette}.cassette.json`), { trust, requireSignature: true, ports });
    if (outcome === "ok") expect((await loading).version).toBe(2);
    else expect(await codeOf(loading)).toBe(outcome);
  });
});

/** By cassette: "ok", or why the lock of the corpus does not confirm it. */
const LOCKED: [cassette: string, outcome: string][] = [
  ["v2-signed", "ok"],
  ["v2-tool-call", "ok"],
  ["v2-empty", "ok"],
  ["v1-stripped", "lock-mismatch"],
  ["v2-unicode", "lock-mismatch"],
  ["v2-redacted", "lock-mismatch"],
];

describe("the lock of the corpus", () => {
  it.each(LOCKED)("%s: %s", async (cassette, outcome) => {
    const lock = await readLock(files, at("cassettes.lock"));
    const path = `${cassette}.cassette.json`;
    const loading = store.load(at(path), { lock: { lock, path }, ports });
    if (outcome === "ok") expect((await loading).version).toBe(2);
    else expect(await codeOf(loading)).toBe(outcome);
  });
});

const BUNDLES: [folder: string, outcome: string][] = [
  ["bundle-good", "ok"],
  ["bundle-edited", "bundle-hash"],
  ["bundle-member-missing", "bundle-mismatch"],
  ["bundle-member-swapped", "bundle-mismatch"],
  ["bundle-path-outside", "wrong-type"],
];

describe("bundles of the corpus", () => {
  it.each(BUNDLES)("%s: %s", async (folder, outcome) => {
    const loading = createBundleStore(files, pathBeside).load(at(`${folder}/umbrella.bundle.json`));
    if (outcome === "ok") expect(Object.keys((await loading).cassettes).sort()).toEqual(["actor", "researcher"]);
    else expect(await codeOf(loading)).toBe(outcome);
  });
});

describe("receipts of the corpus", () => {
  const lines = readFileSync(at("receipts.jsonl"), "utf8").trimEnd().split("\n");

  it("hold under the key of trust.json, whole, and not when a line is gone or another key is asked", async () => {
    const keyOf = async (list: string) =>
      fromBase64((await readTrust(files, at(`${list}.json`))).keys[0]?.publicKey ?? "") ?? new Uint8Array();
    const [own, other] = [await keyOf("trust"), await keyOf("trust-other")];
    expect(verifyReceipts(lines.join("\n"), own)).toMatchObject({ kind: "ok", complete: true, receipts: lines.length });
    expect(verifyReceipts(lines.toSpliced(1, 1).join("\n"), own).kind).toBe("broken");
    expect(verifyReceipts(lines.join("\n"), other).kind).toBe("broken");
  });
});

describe("logs of the corpus", () => {
  it.each([
    ["openai.jsonl", 2],
    ["anthropic.jsonl", 1],
    ["agentdojo.json", 1],
    ["tau-bench.json", 1],
  ])("%s gives %i runs", (name, runs) => {
    const text = readFileSync(at(`logs/${name}`), "utf8");
    const imported = [...importLog(text, { source: name, recordedAt: "2026-11-21T12:00:00.000Z" })];
    expect(imported).toHaveLength(runs);
  });
});

describe("states of the corpus", () => {
  it("v2-compacted shortens its history twice, and keeps each prompt as it was sent", async () => {
    const cassette = await store.load(at("v2-compacted.cassette.json"));
    expect(rebuildPrompts(cassette)?.map((messages) => messages.length)).toEqual([2, 4, 3, 1]);
  });

  it("v2-contexts-changed notes other tools, and then other settings", async () => {
    const cassette = await store.load(at("v2-contexts-changed.cassette.json"));
    const contexts = cassette.version === 2 ? (cassette.extensions?.contexts ?? []) : [];
    expect(
      contexts.map(({ fromTurn, tools, settings }) => [fromTurn, tools?.length ?? 0, settings?.["temperature"]]),
    ).toEqual([
      [0, 1, 0],
      [1, 2, 0],
      [2, 0, 0.5],
    ]);
  });
});
