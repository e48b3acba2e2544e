import { describe, expect, it } from "vitest";
import * as node from "../../src/platform/crypto-node.js";
import * as portable from "../../src/platform/crypto-portable.js";

const seed = new Uint8Array(32).fill(7);
const message = new TextEncoder().encode("what was signed");

describe.each([
  ["crypto-node", node],
  ["crypto-portable", portable],
])("%s", (_name, { createSha256, createSigner, sha256Hex, verifySignature }) => {
  it("hashes in pieces as at once, and replaces half a surrogate pair", () => {
    expect(createSha256().update("a").update("").update("bc").digest()).toBe(sha256Hex("abc"));
    expect(sha256Hex("\ud83d")).toBe(sha256Hex("\ufffd"));
  });

  it("hashes bytes as they are, and a text as its UTF-8", () => {
    const bytes = Uint8Array.of(0xff, 0, 0xc3, 0xa9);
    expect(sha256Hex(bytes)).toBe("594b8be42a3a370482c066ac422044c2d9ab327965ffa6b68e3b71d55887aaa8");
    expect(sha256Hex(new TextEncoder().encode("é"))).toBe(sha256Hex("é"));
  });

  it("forks a running hash in both directions", () => {
    const state = createSha256().update("common ");
    const fork = state.copy().update("one");
    state.update("two");
    expect(fork.digest()).toBe(sha256Hex("common one"));
    expect(state.digest()).toBe(sha256Hex("common two"));
  });

  it("signs with the seed it was given, even when its owner wipes it later", () => {
    const own = Uint8Array.from(seed);
    const signer = createSigner(own);
    own.fill(0);
    expect(signer.sign(message)).toEqual(createSigner(seed).sign(message));
  });

  it.each([0, 31, 33, 64])("refuses a seed of %i bytes", (length) => {
    expect(() => createSigner(new Uint8Array(length))).toThrow(RangeError);
  });

  it("answers false, and never throws, for what cannot be a key or a signature", () => {
    const { publicKey, sign } = createSigner(seed);
    const signature = sign(message);
    expect(verifySignature(publicKey, message, signature)).toBe(true);
    expect(verifySignature(publicKey.subarray(1), message, signature)).toBe(false);
    expect(verifySignature(publicKey, message, signature.subarray(1))).toBe(false);
    expect(verifySignature(new Uint8Array(0), message, new Uint8Array(0))).toBe(false);
    expect(verifySignature(new Uint8Array(32).fill(0xff), message, signature)).toBe(false);
    expect(verifySignature(publicKey, message, new Uint8Array(64).fill(0xff))).toBe(false);
  });
});
