import { createPrivateKey, createPublicKey, verify } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { encodeByHand, payloadByHand, signByHand, testKey, trustIn } from "../support/keys.js";
import { weatherCassette } from "../support/recording.js";
import { cli, documentOf, folder } from "./run.js";

const FILE = "a.cassette.json";
const plain = await weatherCassette();
const [first, second] = [testKey(1), testKey(2)];
const cwd = join(folder, "work");
const at = (name: string) => join(cwd, name);
const put = (name: string, text: string) => writeFileSync(at(name), text);
const read = (name: string) => readFileSync(at(name), "utf8");
const run = (...argv: string[]) => cli(argv, { cwd, env: { KEY_ONE: first.seed, KEY_TWO: second.pem } });

beforeEach(() => {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(cwd, { recursive: true });
  put(FILE, formatCassette(plain));
  put("one.pem", first.pem);
  put("trust.json", JSON.stringify(trustIn({ ...first, name: "ci" })));
});

describe("cassette keygen", () => {
  it("writes a private key that its owner alone may read, and prints the public one as a trust file", async () => {
    const ran = await run("keygen", "--out", "keys/mine");
    expect([ran.code, ran.err]).toEqual([
      0,
      "private key written to keys/mine.pem. Keep it out of version control. The trust file above has its public key.\n",
    ]);
    if (process.platform !== "win32") expect(statSync(at("keys/mine.pem")).mode & 0o777).toBe(0o600);
    const pem = read("keys/mine.pem");
    expect(pem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    const raw = createPublicKey(createPrivateKey(pem)).export({ format: "der", type: "spki" }).subarray(12);
    const { keys } = JSON.parse(ran.out) as { keys: { publicKey: string }[] };
    expect(keys.map(({ publicKey }) => publicKey)).toEqual([raw.toString("base64")]);
    expect(ran.out + ran.err).not.toContain(pem.split("\n")[1]);
    put("mine.json", ran.out);
    await run("sign", FILE, "--key", "keys/mine.pem");
    expect((await run("verify", FILE, "--trust", "mine.json", "--require-signature")).code).toBe(0);
  });

  it("never overwrites, and makes another key each time", async () => {
    const a = await run("keygen", "--out", "k.pem", "--json");
    const before = read("k.pem");
    const again = await run("keygen", "--out", "k");
    expect([again.code, again.out]).toEqual([2, ""]);
    expect(again.err).toContain("k.pem exists and was not replaced");
    expect(read("k.pem")).toBe(before);
    const b = await run("keygen", "--json");
    expect(documentOf(b)["file"]).toBe("cassette-key.pem");
    expect(documentOf(b)["publicKey"]).not.toBe(documentOf(a)["publicKey"]);
    expect(a.out).not.toContain(before.split("\n")[1]);
  });
});

describe("cassette sign", () => {
  it.each(["one.pem", "env:KEY_ONE"])("PLK-126 signs in place with %s", async (key) => {
    expect(await run("sign", FILE, "--key", key)).toEqual({
      code: 0,
      out: `signed     ${FILE}  by key ${first.keyId}\n`,
      err: "",
    });
    expect(read(FILE)).toBe(formatCassette({ ...plain, signature: signByHand(first, plain) }));
  });

  it("leaves a file alone that the key had signed", async () => {
    await run("sign", FILE, "--key", "one.pem");
    const before = read(FILE);
    expect((await run("sign", FILE, "--key", "one.pem")).out).toBe(
      `unchanged  ${FILE}  key ${first.keyId} has signed it already\n`,
    );
    expect([read(FILE), existsSync(at(`${FILE}.dsse`))]).toEqual([before, false]);
  });

  it("puts a further signature next to it, once", async () => {
    await run("sign", FILE, "--key", "one.pem");
    const before = read(FILE);
    expect((await run("sign", FILE, "--key", "env:KEY_TWO")).out).toBe(
      `added      ${FILE}  by key ${second.keyId}, in ${FILE}.dsse\n`,
    );
    expect((await run("sign", FILE, "--key", "env:KEY_TWO")).out).toContain("unchanged");
    const { signatures } = JSON.parse(read(`${FILE}.dsse`)) as { signatures: object[] };
    expect(signatures).toEqual([{ keyid: second.keyId, sig: signByHand(second, plain).sig }]);
    expect(read(FILE)).toBe(before);
  });

  it("does not sign what does not verify, and goes on to the next", async () => {
    const edited = formatCassette(plain).replace("Take an umbrella.", "Stay in.");
    put("bad.cassette.json", edited);
    const ran = await run("sign", "bad.cassette.json", "none.cassette.json", FILE, "--key", "one.pem");
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("failed     bad.cassette.json  response-hash: ");
    expect(ran.out).toContain("failed     none.cassette.json  file-not-found: ");
    expect(ran.out).toContain(`signed     ${FILE}`);
    expect(read("bad.cassette.json")).toBe(edited);
  });

  it("does not sign version 1", async () => {
    put("old.cassette.json", '{"version":1,"recordedAt":"","recordedProvider":"","entries":[]}');
    expect((await run("sign", "old.cassette.json", "--key", "one.pem")).out).toContain("integrity-required");
  });

  it.each([
    ["a file that is not there", "none.pem", "--key is neither an existing file nor env:NAME"],
    ["a file that is not a key", FILE, "the signing key is a text of"],
    ["a variable that is not set", "env:NOPE", "--key names the variable NOPE, which is not set"],
    ["a variable that is empty", "env:EMPTY", "--key names the variable EMPTY, which is not set"],
    ["the key itself, which is not repeated", first.seed, "--key is neither an existing file nor env:NAME"],
  ])("exits 2 for %s", async (_, key, words) => {
    const ran = await run("sign", FILE, "--key", key);
    expect([ran.code, ran.out]).toEqual([2, ""]);
    expect(ran.err).toContain(words);
    expect(ran.err).not.toContain(first.seed);
    expect(ran.err).not.toContain("pass the key itself");
    expect(read(FILE)).toBe(formatCassette(plain));
  });

  it("prints one JSON document", async () => {
    const document = documentOf(await run("sign", FILE, "x.cassette.json", "--key", "one.pem", "--json"));
    expect(document).toMatchObject({
      exitCode: 2,
      keyId: first.keyId,
      files: [{ status: "signed" }, { status: "failed", error: { code: "file-not-found" } }],
    });
  });
});

describe("cassette verify --trust", () => {
  const verifySigned = (...flags: string[]) => run("verify", FILE, ...flags);
  const putSigned = (cassette: CassetteV2) => put(FILE, formatCassette(cassette));

  it("names who signed, and says that a key is unknown where nobody said whose count", async () => {
    putSigned({ ...plain, signature: signByHand(first, plain) });
    expect((await verifySigned("--trust", "trust.json")).out).toContain(`signed: ci (key ${first.keyId}) is trusted`);
    expect((await verifySigned()).out).toContain(`signed: key ${first.keyId}, unknown`);
  });

  it("refuses an unknown key, an invalid signature, and none where one is required", async () => {
    expect((await verifySigned("--trust", "trust.json")).code).toBe(0);
    expect((await verifySigned("--trust", "trust.json", "--require-signature")).out).toContain("signature-missing: ");
    putSigned({ ...plain, signature: { ...signByHand(second, plain), keyId: first.keyId } });
    expect((await verifySigned()).code).toBe(0);
    const unknown = await verifySigned("--trust", "trust.json");
    expect(unknown.code).toBe(3);
    expect(unknown.out).toContain(
      `signature-untrusted: no trusted key signed the cassette: key ${second.keyId} is not in the trust list`,
    );
    putSigned({ ...plain, signature: { ...signByHand(second, plain), publicKey: first.publicKey } });
    expect((await verifySigned()).out).toContain("signature-invalid: ");
  });

  it("refuses a key whose time is over", async () => {
    put("old.json", JSON.stringify(trustIn({ ...first, notAfter: "2020-01-01T00:00:00Z" })));
    putSigned({ ...plain, signature: signByHand(first, plain) });
    expect((await verifySigned("--trust", "old.json")).out).toContain(
      `the trust in key ${first.keyId} has ended, on 2020-01-01T00:00:00Z`,
    );
  });

  it("counts a further signature next to the file", async () => {
    await run("sign", FILE, "--key", "env:KEY_TWO");
    await run("sign", FILE, "--key", "env:KEY_ONE");
    const ran = await verifySigned("--trust", "trust.json", "--require-signature");
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("hashes hold; no lock checked; signed: ci");
    put(`${FILE}.dsse`, "[]");
    expect((await verifySigned("--trust", "trust.json")).code).toBe(3);
  });

  it("says all three layers together", async () => {
    await run("sign", FILE, "--key", "one.pem");
    await run("lock", FILE);
    const ran = await verifySigned("--trust", "trust.json", "--require-signature", "--lock", "--min-version", "2");
    expect(ran.out).toContain(`hashes hold; lock confirms; signed: ci (key ${first.keyId}) is trusted`);
  });

  it("shows a name as text, whatever is in it", async () => {
    put("odd.json", JSON.stringify(trustIn({ ...first, name: "\u001b[31mci" })));
    await run("sign", FILE, "--key", "one.pem");
    expect((await verifySigned("--trust", "odd.json")).out).not.toContain("\u001b");
  });

  it("wants --trust with --require-signature, and a trust file that is one", async () => {
    expect((await verifySigned("--require-signature")).err).toContain("--require-signature was given without --trust");
    put("bad.json", '{"keys":[{}]}');
    expect(await verifySigned("--trust", "bad.json")).toMatchObject({ code: 3, out: "" });
    expect((await verifySigned("--trust", "none.json")).code).toBe(2);
  });
});

describe("cassette attest", () => {
  it("prints an in-toto statement", async () => {
    const ran = await run("attest", FILE);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({
      _type: "https://in-toto.io/Statement/v1",
      subject: [{ name: FILE }],
      predicate: { result: "PASSED", cassette: { envelopeHash: plain.envelopeHash } },
    });
  });

  it("with a key prints a DSSE envelope that verifies", async () => {
    const ran = await run("attest", FILE, "--key", "one.pem");
    const { payloadType, payload, signatures } = JSON.parse(ran.out) as {
      payloadType: string;
      payload: string;
      signatures: { sig: string }[];
    };
    const text = Buffer.from(payload, "base64").toString();
    const sig = Buffer.from(signatures[0]?.sig ?? "", "base64");
    expect(verify(null, encodeByHand(payloadType, text), createPublicKey(first.key), sig)).toBe(true);
    expect(verify(null, encodeByHand(payloadType, payloadByHand(plain)), createPublicKey(first.key), sig)).toBe(false);
  });

  it("is refused for what does not verify or is not there, and can stand in a JSON document", async () => {
    expect(documentOf(await run("attest", FILE, "--json"))).toMatchObject({
      attestation: { subject: [{ name: FILE }] },
    });
    put("bad.cassette.json", formatCassette(plain).replace("Take an umbrella.", "Stay in."));
    expect(await run("attest", "bad.cassette.json")).toMatchObject({ code: 3, out: "" });
    mkdirSync(at("deep"), { recursive: true });
    put("deep/bad.cassette.json", formatCassette(plain).replace("Take an umbrella.", "Stay in."));
    expect((await run("attest", "deep/bad.cassette.json")).err).toContain("  file: deep/bad.cassette.json");
    expect(await run("attest", "none.cassette.json")).toMatchObject({ code: 2, out: "" });
  });
});
