// Vectors: the examples of FIPS 180-2 appendix B and the NIST CAVS file SHA256ShortMsg.rsp (65 byte messages). Our door
// takes text, and of the 65 messages only the empty one is valid UTF-8; the other 64 check the two libraries below it.

import { createHash } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { describe, expect, it } from "vitest";
import * as node from "../../src/platform/crypto-node.js";
import * as portable from "../../src/platform/crypto-portable.js";
import { hasShared, readShared } from "../support/shared.js";

const TEXTS: [name: string, text: string, digest: string][] = [
  ["the empty text", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "two blocks",
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
  ["a million times a", "a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
];

describe.each([
  ["node:crypto", node],
  ["@noble/hashes", portable],
])("SHA-256 by %s", (_name, platform) => {
  it.each(TEXTS)("hashes %s at once and in pieces", (_text, text, digest) => {
    expect(platform.sha256Hex(text)).toBe(digest);
    const half = Math.floor(text.length / 2);
    expect(platform.createSha256().update(text.slice(0, half)).update(text.slice(half)).digest()).toBe(digest);
  });
});

describe.skipIf(!hasShared)("SHA-256 of the NIST short messages", () => {
  const messages = hasShared ? readMessages() : [];
  const texts = messages.filter(({ bytes }) => isUtf8(bytes));

  it("there are 65 of them, one of which is text", () => {
    expect([messages.length, texts.length]).toEqual([65, 1]);
  });

  it("the text hashes through our own door", () => {
    for (const { bytes, digest } of texts) {
      const text = bytes.toString("utf8");
      expect([node.sha256Hex(text), portable.sha256Hex(text)]).toEqual([digest, digest]);
    }
  });

  it("all of them hash by the two libraries below it", () => {
    for (const { bytes, digest } of messages) {
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(digest);
      expect(Buffer.from(sha256(bytes)).toString("hex")).toBe(digest);
    }
  });
});

function readMessages(): { bytes: Buffer; digest: string }[] {
  const text = readShared("data/vectors/sha256/SHA256ShortMsg.rsp");
  return [...text.matchAll(/Len = (\d+)\s+Msg = (\w+)\s+MD = (\w+)/g)].map(([, bits, hex, digest]) => ({
    bytes: Buffer.from(hex as string, "hex").subarray(0, Number(bits) / 8),
    digest: digest as string,
  }));
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes);
}
