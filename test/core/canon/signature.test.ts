import { describe, expect, it } from "vitest";
import { createSigner, verifySignature } from "../../../src/core/canon/signature.js";

const seed = new Uint8Array(32).fill(7);
const message = new TextEncoder().encode("what was signed");

describe("createSigner", () => {
  it("signs the same message with the same bytes each time", () => {
    const signer = createSigner(seed);
    expect(signer.publicKey).toHaveLength(32);
    expect(signer.sign(message)).toHaveLength(64);
    expect(signer.sign(message)).toEqual(createSigner(seed).sign(message));
  });

  it("does not follow a seed that its owner wipes later", () => {
    const own = Uint8Array.from(seed);
    const signer = createSigner(own);
    own.fill(0);
    expect(verifySignature(createSigner(seed).publicKey, message, signer.sign(message))).toBe(true);
  });

  it.each([0, 31, 33, 64])("refuses a seed of %i bytes", (length) => {
    expect(() => createSigner(new Uint8Array(length))).toThrow(RangeError);
  });
});

describe("verifySignature", () => {
  const { publicKey, sign } = createSigner(seed);
  const signature = sign(message);

  it("accepts the owner's signature of these very bytes", () => {
    expect(verifySignature(publicKey, message, signature)).toBe(true);
  });

  it("rejects another message, key or signature", () => {
    expect(verifySignature(publicKey, new TextEncoder().encode("what was  signed"), signature)).toBe(false);
    expect(verifySignature(createSigner(new Uint8Array(32)).publicKey, message, signature)).toBe(false);
    expect(verifySignature(publicKey, message, sign(new Uint8Array()))).toBe(false);
  });

  it("answers false, and never throws, for keys and signatures of a wrong length", () => {
    expect(verifySignature(new Uint8Array(31), message, signature)).toBe(false);
    expect(verifySignature(publicKey, message, new Uint8Array(63))).toBe(false);
    expect(verifySignature(new Uint8Array(0), message, new Uint8Array(0))).toBe(false);
  });

  it("answers false for a key that is not a point of the curve", () => {
    expect(verifySignature(new Uint8Array(32).fill(0xff), message, signature)).toBe(false);
  });
});
