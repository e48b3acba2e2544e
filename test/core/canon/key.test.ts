import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { keyIdOf, readPublicKey, readSigningKey, type SigningKey } from "../../../src/core/canon/key.js";
import { createSigner } from "../../../src/core/canon/signature.js";
import type { AgentError } from "../../../src/core/errors.js";
import { refusal } from "../../support/refusal.js";

// RFC 8410 §10.3 and §10.1: a private key without, and one with attributes and its public key; the public key of both.
const RFC_PRIVATE = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
`;
const RFC_PRIVATE_V2 = `-----BEGIN PRIVATE KEY-----
MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
Z9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PRIVATE KEY-----`;
const RFC_PUBLIC = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
`;
const SEED = Uint8Array.from(Buffer.from("d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842", "hex"));
const PUBLIC = createSigner(SEED).publicKey;
const buffer = Buffer.from(SEED);

describe("readSigningKey", () => {
  it.each<[string, SigningKey]>([
    ["the PEM file of RFC 8410", RFC_PRIVATE],
    ["a PEM file with the line ends of Windows", RFC_PRIVATE.replaceAll("\n", "\r\n")],
    ["the seed in hexadecimal, with a line break behind it", `${buffer.toString("hex")}\n`],
    ["the seed in upper case", buffer.toString("hex").toUpperCase()],
    ["the seed in base64", buffer.toString("base64")],
    ["the seed in base64url", buffer.toString("base64url")],
    ["the seed itself", SEED],
  ])("takes %s", (_name, key) => {
    expect(readSigningKey(key)).toMatchObject({ publicKey: PUBLIC, keyId: keyIdOf(PUBLIC), isOwn: true });
  });

  it("takes what OpenSSL writes, and signs what Node verifies", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const key = readSigningKey(privateKey.export({ type: "pkcs8", format: "pem" }) as string);
    expect(key.publicKey).toEqual(readPublicKey(publicKey.export({ type: "spki", format: "pem" }) as string));
    expect(await key.sign(new Uint8Array(3))).toHaveLength(64);
  });

  it("takes an object that signs elsewhere, and keeps its key as it was", () => {
    const publicKey = Uint8Array.from(PUBLIC);
    const key = readSigningKey({ publicKey, sign: () => new Uint8Array(64) });
    publicKey.fill(0);
    expect(key).toMatchObject({ publicKey: PUBLIC, isOwn: false });
  });

  const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ type: "pkcs8", format: "pem" });
  const encrypted = createPrivateKey(RFC_PRIVATE).export({
    ...{ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "a passphrase" },
  });
  it.each<[string, unknown, string]>([
    ["an empty text", "", "a text of 0 characters"],
    ["a passphrase", "correct horse battery staple", "a text of 28 characters"],
    ["63 digits", buffer.toString("hex").slice(1), "a text of 63 characters"],
    ["a PEM file that was cut", RFC_PRIVATE.slice(0, 100), "must be one complete PEM block"],
    ["two PEM blocks", RFC_PRIVATE + RFC_PRIVATE, "must be one complete PEM block"],
    ["a public key", RFC_PUBLIC, "PEM block of type PRIVATE KEY, not PUBLIC KEY"],
    ["an encrypted key", encrypted, "not ENCRYPTED PRIVATE KEY"],
    ["an RSA key", rsa, "with an Ed25519 key and no attributes"],
    ["a key with attributes", RFC_PRIVATE_V2, "with an Ed25519 key and no attributes"],
    ["31 bytes", SEED.subarray(1), "32 bytes, not 31"],
    ["64 bytes", new Uint8Array(64), "32 bytes, not 64"],
    ["null", null, "with a publicKey of 32 bytes and a sign function"],
    ["a number", 5, "with a publicKey of 32 bytes and a sign function"],
    ["a key without sign", { publicKey: PUBLIC }, "with a publicKey of 32 bytes and a sign function"],
    ["a key with short bytes", { publicKey: PUBLIC.subarray(1), sign: () => SEED }, "with a publicKey of 32 bytes"],
  ])("refuses %s without repeating any of it", (_name, key, text) => {
    const error = refusal(() => readSigningKey(key as SigningKey)) as AgentError;
    expect(error).toMatchObject({ code: "invalid-options", message: expect.stringContaining(text) as string });
    const said = `${error.message} ${error.hint ?? ""}`;
    if (typeof key !== "string") return;
    for (const line of key.split("\n").filter((part) => part.length > 8 && !part.startsWith("-----"))) {
      expect(said).not.toContain(line.slice(0, 9));
    }
  });
});

describe("readPublicKey", () => {
  it.each<[string, string | Uint8Array]>([
    ["the PEM file of RFC 8410", RFC_PUBLIC],
    ["hexadecimal", Buffer.from(PUBLIC).toString("hex")],
    ["base64", Buffer.from(PUBLIC).toString("base64")],
    ["bytes", PUBLIC],
  ])("takes %s", (_name, key) => {
    expect(readPublicKey(key)).toEqual(PUBLIC);
  });

  it.each<[string, unknown]>([
    ["a private key", RFC_PRIVATE],
    ["a path", "key.pem"],
    ["nothing", undefined],
    ["31 bytes", PUBLIC.subarray(1)],
    [
      "the key of another algorithm",
      createPublicKey(generateKeyPairSync("x25519").privateKey).export({ type: "spki", format: "pem" }),
    ],
  ])("refuses %s", (_name, key) => {
    expect(refusal(() => readPublicKey(key as string))).toMatchObject({ code: "invalid-options" });
  });
});

it("keyIdOf is the beginning of the SHA-256 of the key's bytes", () => {
  expect(keyIdOf(new Uint8Array(32))).toBe("66687aadf862bd77");
});
