// The three ways to pass a version 2 off as a version 1, and who notices each.

import { describe, expect, it } from "vitest";
import type { CassetteError, CassetteErrorCode } from "../../../src/cassette/errors.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { parseCassette, type ParseOptions } from "../../../src/cassette/trust/load-cassette.js";
import { toLockEntry } from "../../../src/cassette/trust/lock.js";
import { signCassette } from "../../../src/cassette/trust/sign.js";
import { testKey, trustIn } from "../../support/keys.js";
import { weatherCassette } from "../../support/recording.js";
import { refusal } from "../../support/refusal.js";
import { quietPorts } from "../../support/script.js";
import { hasShared, readShared } from "../../support/shared.js";

const key = testKey(1);
const good = await signCassette(await weatherCassette(), key.seed);
const place = { lock: new Map([["a.cassette.json", toLockEntry(good)]]), path: "a.cassette.json" };

const labelled = JSON.stringify({ ...good, version: 1 });
const someFields = JSON.stringify({
  ...strip(good),
  entries: good.entries.map(({ turnIndex, promptHash, responseHash, response }) => ({
    turnIndex,
    promptHash,
    responseHash,
    response,
  })),
});
const stripped = JSON.stringify(strip(good));

function strip({ agentId, recordedAt, recordedProvider, entries }: CassetteV2): object {
  const bare = entries.map(({ turnIndex, promptHash, response }) => ({ turnIndex, promptHash, response }));
  return { version: 1, agentId, recordedAt, recordedProvider, entries: bare };
}

function codeOf(text: string, options: ParseOptions = {}): CassetteErrorCode {
  return (refusal(() => parseCassette(text, { ports: quietPorts(), ...options })) as CassetteError).code;
}

describe("a version 2 passed off as version 1", () => {
  it("PLK-124 by its label alone is refused by the loader", () => {
    expect(codeOf(labelled)).toBe("downgrade");
  });

  it("PLK-124 by its label and some of its fields is refused by the loader", () => {
    expect(codeOf(someFields)).toBe("downgrade");
  });

  it("stripped of everything is a good version 1, which the hashes cannot tell", () => {
    expect(parseCassette(stripped, { ports: quietPorts() }).version).toBe(1);
  });

  it.each<[string, ParseOptions, CassetteErrorCode]>([
    ["the lock", { lock: place }, "lock-mismatch"],
    ["requireIntegrity", { requireIntegrity: true }, "integrity-required"],
    ["requireSignature", { trust: trustIn(key), requireSignature: true }, "signature-missing"],
  ])("PLK-122 stripped of everything is refused by %s", (_, options, code) => {
    expect(codeOf(stripped, options)).toBe(code);
    expect(parseCassette(JSON.stringify(good), options)).toEqual(good);
  });

  it.skipIf(!hasShared)(
    "stripped as in the shared example is refused by a lock of the original, and by the policy",
    () => {
      const original = parseCassette(readShared("vectors/cassettes/good-with-prompts.json")) as CassetteV2;
      const text = readShared("vectors/cassettes/stripped-to-v1.json");
      expect(parseCassette(text, { ports: quietPorts() }).version).toBe(1);
      const lock = { lock: new Map([["x", toLockEntry(original)]]), path: "x" };
      expect(codeOf(text, { lock })).toBe("lock-mismatch");
      expect(codeOf(text, { requireIntegrity: true })).toBe("integrity-required");
    },
  );
});
