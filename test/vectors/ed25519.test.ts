// Vectors: RFC 8032 section 7.1, and the first 256 lines of sign.input from ed25519.cr.yp.to
// (`seed and public key : public key : message : signature and message :`), both by way of paulmillr/noble-ed25519 (MIT).

import { describe, expect, it } from "vitest";
import * as node from "../../src/platform/crypto-node.js";
import * as portable from "../../src/platform/crypto-portable.js";
import { hasShared, readShared } from "../support/shared.js";

interface SignatureVector {
  seed: Buffer;
  publicKey: Buffer;
  message: Buffer;
  signature: Buffer;
}

/** The 14 encodings of the 8 points of order 8 or less, not reduced ones included. */
const SMALL_ORDER_KEYS = [
  ["01", "00"],
  ["01", "80"],
  ["00", "00"],
  ["00", "80"],
  ["ec", "7f"],
  ["ec", "ff"],
  ["ed", "7f"],
  ["ed", "ff"],
  ["ee", "7f"],
  ["ee", "ff"],
]
  .map(([first = "", last = ""]) => first + (last < "7f" || last === "80" ? "00" : "ff").repeat(30) + last)
  .concat(
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  );

describe.skipIf(!hasShared).each([
  ["node:crypto", node],
  ["@noble/ed25519", portable],
])("Ed25519 by %s", (_name, { createSigner, verifySignature }) => {
  const sets: [string, number, SignatureVector[]][] = [
    ["RFC 8032", 4, hasShared ? readRfc8032() : []],
    ["sign.input", 256, hasShared ? readSignInput() : []],
  ];

  it.each(sets)("%s: derives the public keys and signs with the very bytes (%i)", (_set, count, vectors) => {
    expect(vectors).toHaveLength(count);
    for (const { seed, publicKey, message, signature } of vectors) {
      const signer = createSigner(seed);
      expect(hex(signer.publicKey)).toBe(hex(publicKey));
      expect(hex(signer.sign(message))).toBe(hex(signature));
    }
  });

  it.each(sets)("%s: verifies them, and none with a bit flipped (%i)", (_set, count, vectors) => {
    expect(vectors).toHaveLength(count);
    for (const [index, { publicKey, message, signature }] of vectors.entries()) {
      expect(verifySignature(publicKey, message, signature)).toBe(true);
      expect(verifySignature(publicKey, message, flip(signature, index * 7))).toBe(false);
      expect(verifySignature(flip(publicKey, index * 5), message, signature)).toBe(false);
      const other = message.length === 0 ? Buffer.from([0]) : flip(message, index * 3);
      expect(verifySignature(publicKey, other, signature)).toBe(false);
    }
  });

  it("rejects the signature that anybody can make under a key of small order", () => {
    // R the neutral element and S zero: S·B = R + k·A holds whenever k·A is neutral, under the first key always.
    const forged = Buffer.concat([bytes(SMALL_ORDER_KEYS[0]), Buffer.alloc(32)]);
    for (const key of SMALL_ORDER_KEYS) {
      for (let message = 0; message < 32; message++) {
        expect(verifySignature(bytes(key), Buffer.from([message]), forged)).toBe(false);
      }
    }
  });

  it("rejects a signature whose scalar is not reduced", () => {
    // RFC 8032 §5.1.7: S must be below the group order L; S + L would verify in a lax implementation.
    for (const { publicKey, message, signature } of readRfc8032()) {
      expect(verifySignature(publicKey, message, addGroupOrder(signature))).toBe(false);
    }
  });
});

function readRfc8032(): SignatureVector[] {
  const list = JSON.parse(readShared("data/vectors/ed25519/rfc8032.json")) as Record<string, string>[];
  return list.map(({ priv, pub, msg, sig }) => ({
    seed: bytes(priv).subarray(0, 32),
    publicKey: bytes(pub),
    message: bytes(msg),
    signature: bytes(sig),
  }));
}

function readSignInput(): SignatureVector[] {
  const lines = readShared("data/vectors/ed25519/sign-input-lines-0001-0256.txt.gz").trimEnd().split("\n");
  return lines.map((line) => {
    const [key, publicKey, message, signed] = line.split(":");
    return {
      seed: bytes(key).subarray(0, 32),
      publicKey: bytes(publicKey),
      message: bytes(message),
      signature: bytes(signed).subarray(0, 64),
    };
  });
}

function bytes(text: string | undefined): Buffer {
  return Buffer.from(text as string, "hex");
}

function hex(data: Uint8Array): string {
  return Buffer.from(data).toString("hex");
}

function flip(data: Buffer, bit: number): Buffer {
  const copy = Buffer.from(data);
  const at = Math.floor(bit / 8) % copy.length;
  copy[at] = (copy[at] as number) ^ (1 << (bit % 8));
  return copy;
}

function addGroupOrder(signature: Buffer): Buffer {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const scalar = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`) + order;
  const encoded = Buffer.from(scalar.toString(16).padStart(64, "0"), "hex").reverse();
  return Buffer.concat([signature.subarray(0, 32), encoded]);
}
