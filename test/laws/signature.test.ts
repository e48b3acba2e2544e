// Laws of signed cassettes: nothing that was signed can be changed, and nobody's word but the key's own counts.

import fc from "fast-check";
import { expect, it } from "vitest";
import { hashEnvelope, hashResponse } from "../../src/cassette/file/hashes.js";
import { CassetteError } from "../../src/cassette/errors.js";
import { checkCassette } from "../../src/cassette/trust/load-cassette.js";
import { formatLock, isLockPath, parseLock } from "../../src/cassette/trust/lock.js";
import { verifyCassetteSignature } from "../../src/cassette/trust/sign.js";
import { preAuthEncode } from "../../src/core/canon/dsse.js";
import { encodeByHand, signByHand, testKey, trustIn } from "../support/keys.js";
import { draft, weatherCassette } from "../support/recording.js";
import { refusal } from "../support/refusal.js";

const key = testKey(1);
const plain = await weatherCassette();
const signed = { ...plain, signature: signByHand(key, plain) };

function flip(base64: string, bit: number): string {
  const bytes = Buffer.from(base64, "base64");
  const at = Math.floor(bit / 8) % bytes.length;
  bytes[at] = (bytes[at] as number) ^ (1 << (bit % 8));
  return bytes.toString("base64");
}

it("a flipped bit of the signature or of the key is refused", () => {
  fc.assert(
    fc.property(fc.constantFrom("sig", "publicKey"), fc.nat(511), (field, bit) => {
      const signature = { ...signed.signature, [field]: flip(signed.signature[field], bit) };
      const error = refusal(() => checkCassette({ ...signed, signature }));
      expect(error).toBeInstanceOf(CassetteError);
      expect((error as CassetteError).code).toBe("signature-invalid");
    }),
    { numRuns: 300 },
  );
});

it("an author who changes a signed cassette and recomputes every hash is refused", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.nat(1), (text, turn) => {
      const forged = draft(signed);
      const entry = forged.entries[turn] as (typeof forged.entries)[0];
      entry.response.message.content += text;
      if (entry.response.finalAnswer !== undefined) entry.response.finalAnswer += text;
      entry.responseHash = hashResponse(forged.cassetteId, turn, entry.promptHash, entry.response);
      forged.envelopeHash = hashEnvelope(forged);
      expect((refusal(() => checkCassette(forged)) as CassetteError).code).toBe("signature-invalid");
      const { signature: _, ...unsigned } = forged;
      expect(checkCassette(unsigned).version).toBe(2);
    }),
    { numRuns: 50 },
  );
});

it("a signature of any other payload type or payload is refused", () => {
  fc.assert(
    fc.property(fc.record({ type: fc.string(), payload: fc.string() }), (other) => {
      const signature = signByHand(key, plain, other);
      expect((refusal(() => checkCassette({ ...plain, signature })) as CassetteError).code).toBe("signature-invalid");
    }),
    { numRuns: 100 },
  );
});

it("a key counts exactly when its bytes are in the list, whatever the key ids say", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.uniqueArray(fc.integer({ min: 1, max: 4 })),
      fc.string(),
      (signer, listed, keyId) => {
        const signature = { ...signByHand(testKey(signer), plain), keyId };
        const trust = trustIn(...listed.map((byte) => ({ ...testKey(byte), keyId: testKey(signer).keyId })));
        const { kind } = verifyCassetteSignature({ ...plain, signature }, trust);
        expect(kind).toBe(listed.includes(signer) ? "trusted" : "untrusted");
      },
    ),
    { numRuns: 50 },
  );
});

it("no two pairs of type and payload have one encoding, and it is the one put together by hand", () => {
  const pair = fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }));
  const encode = ([type, payload]: [string, string]) => Buffer.from(preAuthEncode(type, Buffer.from(payload)));
  fc.assert(
    fc.property(pair, pair, (a, b) => {
      expect(encode(a).equals(encodeByHand(...a))).toBe(true);
      expect(encode(a).equals(encode(b))).toBe(a[0] === b[0] && a[1] === b[1]);
    }),
  );
});

it("a lock is read back as it was written, for all paths that it may hold", () => {
  const entry = { version: 2 as const, cassetteId: plain.cassetteId, envelopeHash: plain.envelopeHash, entries: 2 };
  const path = fc.oneof(
    fc.string(),
    fc.array(fc.string({ minLength: 1 }), { minLength: 1 }).map((parts) => parts.join("/")),
  );
  fc.assert(
    fc.property(fc.uniqueArray(path), (paths) => {
      const lock = new Map(paths.filter(isLockPath).map((name) => [name, entry]));
      const text = formatLock(lock);
      expect(parseLock(text)).toEqual(lock);
      expect(formatLock(parseLock(text))).toBe(text);
    }),
  );
});
