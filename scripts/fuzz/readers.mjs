// The readers to fuzz: each kind of file, its seeds (files of test/corpus, and logs that `logs.mjs` makes), and the
// rule for every mutation. `judge` returns one word for the outcome, or a promise of it. It throws `Broken` for an
// outcome that must not happen.

import { readdirSync, readFileSync } from "node:fs";
import { canonicalize, fromBase64, verifyReceipts } from "../../.playhead/modules/core/index.js";
import {
  CassetteError,
  checkCassette,
  formatEnvelope,
  formatLock,
  parseBundle,
  parseCassette,
  parseEnvelope,
  parseImport,
  parseLock,
  parseTrust,
  rebuildPrompts,
} from "../../.playhead/modules/cassette/index.js";
import { Broken } from "./broken.mjs";
import { evalReader } from "./eval.mjs";
import { logSeeds } from "./logs.mjs";

const corpus = new URL("../../test/corpus/", import.meta.url);
const quiet = { ports: { warn: () => undefined } };

/** The files of the corpus with this ending. Files that were damaged on purpose are not seeds. */
function seeds(suffix, folder = corpus) {
  const names = readdirSync(folder).filter((name) => name.endsWith(suffix) && !name.startsWith("tampered-"));
  if (names.length === 0) throw new Error(`the corpus has no ${suffix}`);
  return names.sort().map((name) => ({ name, bytes: new Uint8Array(readFileSync(new URL(name, folder))) }));
}

/**
 * The meaning of a version 2, whatever its spelling: every value except `signature`, with complete prompts. `prompts` is
 * undefined if they were left out, which a recording without the mark `extensions.prompts` allows.
 */
function meaningOf(cassette) {
  const { signature, entries, ...head } = cassette;
  const turns = entries.map(({ prompt, ...rest }) => rest);
  return { said: canonicalize({ ...head, turns }), prompts: promptsOf(cassette), signature };
}

function promptsOf(cassette) {
  const isKept = cassette.entries.length > 0 && cassette.entries.every(({ prompt }) => prompt !== undefined);
  return isKept ? canonicalize(rebuildPrompts(cassette)) : undefined;
}

/** Whole cassettes, versions 1 and 2. */
export const cassetteReader = {
  kind: "cassette",
  seeds: () => seeds(".cassette.json"),
  /** Tests pass another `parse`, to check that a careless one is found out. */
  judge(bytes, seed, parse = parseCassette) {
    const cassette = parse(bytes, quiet);
    if (cassette.version === 1) {
      assertRefusedAsProof(bytes);
      return "loads as version 1, as nothing in a file can prevent (refused under requireIntegrity)";
    }
    const original = originalOf(seed);
    if (original.version === 1) throw new Broken("a version 1 became a version 2");
    const [now, was] = [meaningOf(cassette), meaningOf(original)];
    if (now.said !== was.said) throw new Broken("it loads with another meaning");
    if (now.prompts !== was.prompts) {
      const isLeftOut = now.prompts === undefined && original.extensions?.prompts === undefined;
      if (!isLeftOut) throw new Broken("it loads with other prompts");
      return "loads, prompts left out of a recording without the mark";
    }
    if (now.signature === undefined)
      return was.signature === undefined ? "loads, same meaning" : "loads, signature cut off";
    const isSame = ["publicKey", "sig"].every((field) => now.signature[field] === was.signature?.[field]);
    if (!isSame) throw new Broken("it loads with another signature");
    return "loads, same meaning";
  },
};

const originals = new Map();

function originalOf(seed) {
  const known = originals.get(seed.name) ?? parseCassette(seed.bytes, quiet);
  originals.set(seed.name, known);
  return known;
}

function assertRefusedAsProof(bytes) {
  try {
    parseCassette(bytes, { requireIntegrity: true });
  } catch (error) {
    if (error instanceof CassetteError && error.code === "integrity-required") return;
    throw error;
  }
  throw new Broken("a version 1 passes requireIntegrity");
}

/** A file without a proof in it: the value that was read must be the same after writing and reading it again. */
function sameAgain(kind, suffix, parse, format) {
  return {
    kind,
    seeds: () => seeds(suffix),
    judge(bytes) {
      const value = parse(bytes);
      const text = format(value);
      if (format(parse(text)) !== text) throw new Broken("what was read is not what is written");
      return "loads";
    },
  };
}

const bundleReader = {
  kind: "bundle",
  seeds: () => seeds(".bundle.json", new URL("bundle-good/", corpus)),
  judge(bytes, seed) {
    if (canonicalize(parseBundle(bytes)) !== canonicalize(parseBundle(seed.bytes)))
      throw new Broken("another bundle loads");
    return "loads, same meaning";
  },
};

const receiptKey = () => fromBase64(JSON.parse(readFileSync(new URL("trust.json", corpus), "utf8")).keys[0].publicKey);

/** A chain that verifies holds only receipts of the original, in their order. */
const receiptReader = {
  kind: "receipts",
  seeds: () => seeds("receipts.jsonl"),
  judge(bytes, seed) {
    const verdict = verifyReceipts(decode(bytes), receiptKey());
    if (verdict.kind !== "ok") return `found ${verdict.kind}`;
    const original = verifyReceipts(decode(seed.bytes), receiptKey());
    const same = verdict.chain.every((receipt, at) => canonicalize(receipt) === canonicalize(original.chain[at]));
    if (!same || (verdict.complete && verdict.chain.length !== original.chain.length)) {
      throw new Broken("a changed chain is found whole");
    }
    return verdict.complete ? "found whole" : "found whole, its end cut off and said to be";
  },
};

const importReader = {
  kind: "import",
  seeds: () => [...seeds("", new URL("logs/", corpus)), ...logSeeds()],
  async judge(bytes) {
    let refused = 0;
    let runs = 0;
    const options = { source: "log.jsonl", recordedAt: "2026-11-21T12:00:00.000Z", onError: countRefused };
    function countRefused(error) {
      if (!(error instanceof CassetteError)) throw error;
      refused++;
    }
    for await (const { path, cassette } of parseImport(decode(bytes), options)) {
      runs++;
      checkCassette(cassette, { requireIntegrity: true });
      const isPlain = path.split("/").every((part) => part !== "" && !/^\.+$/.test(part) && !/[\\:\0]/.test(part));
      if (!isPlain) throw new Broken(`an unsafe path: ${JSON.stringify(path)}`);
    }
    return runs === 0 ? "no run" : refused > 0 ? "some runs" : "all runs";
  },
};

function decode(bytes) {
  return new TextDecoder().decode(bytes);
}

/** All readers. The share of each is its part of a count. */
export const READERS = [
  { ...cassetteReader, share: 0.75 },
  { ...bundleReader, share: 0.04 },
  { ...sameAgain("lock", ".lock", parseLock, formatLock), share: 0.04 },
  { ...sameAgain("trust", "trust-both.json", parseTrust, canonicalize), share: 0.03 },
  { ...sameAgain("envelope", ".dsse", parseEnvelope, formatEnvelope), share: 0.03 },
  { ...receiptReader, share: 0.03 },
  { ...importReader, share: 0.05 },
  { ...evalReader, share: 0.03 },
];
