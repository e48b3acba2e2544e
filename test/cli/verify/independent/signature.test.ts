import { describe, expect, it } from "vitest";
import { signCassette, addSignature } from "../../../../src/cassette/trust/sign.js";
import { recomputeEnvelope, recomputeSignature } from "../../../../src/cli/verify/independent/signature.js";
import { Tally } from "../../../../src/cli/verify/independent/tally.js";
import type { Fields } from "../../../../src/cli/verify/independent/json.js";
import { testKey } from "../../../support/keys.js";
import { weatherCassette } from "../../../support/recording.js";

const plain = await weatherCassette();
const [one, two] = [testKey(1), testKey(2)];
const signed = await signCassette(plain, one.seed);
const fields = (value: object) => value as Fields;

function counted(cassette: object): [signatures: number, disagreements: number] {
  const tally = new Tally();
  recomputeSignature(fields(cassette), tally);
  return [tally.signatures, tally.disagreements.length];
}

describe("recomputeSignature", () => {
  it("counts a valid signature, and 0 without one", () => {
    expect(counted(signed)).toEqual([1, 0]);
    expect(counted(plain)).toEqual([0, 0]);
  });

  it.each([
    ["of another recording", { ...signed, envelopeHash: "0".repeat(64) }],
    ["by another key", { ...signed, signature: { ...signed.signature, publicKey: two.publicKey } }],
    [
      "without padding",
      { ...signed, signature: { ...signed.signature, sig: signed.signature?.sig.replaceAll("=", "") } },
    ],
    [
      "under a key of small order",
      {
        ...signed,
        signature: { publicKey: Buffer.alloc(32).toString("base64"), sig: Buffer.alloc(64).toString("base64") },
      },
    ],
    ["that is not an object", { ...signed, signature: 1 }],
  ])("finds a signature %s", (_what, cassette) => {
    expect(counted(cassette)).toEqual([0, 1]);
  });
});

describe("recomputeEnvelope", () => {
  const judge = (envelope: unknown, keys: string[]) => {
    const tally = new Tally();
    const holding = recomputeEnvelope(fields(plain), Buffer.from(JSON.stringify(envelope)), keys, tally);
    return { holding, unknown: Object.values(tally.notRecomputed), wrong: tally.disagreements.length };
  };

  it("counts the signatures by the keys given, and leaves out the others", async () => {
    const envelope = await addSignature(plain, two.seed, await addSignature(plain, one.seed));
    expect(judge(envelope, [one.publicKey, two.publicKey])).toEqual({ holding: 2, unknown: [], wrong: 0 });
    expect(judge(envelope, [two.publicKey])).toEqual({ holding: 1, unknown: [1], wrong: 0 });
    expect(judge({ ...envelope, payload: "e30=" }, [one.publicKey])).toEqual({ holding: 0, unknown: [], wrong: 1 });
    expect(judge({ ...envelope, payloadType: "text/plain" }, [one.publicKey]).wrong).toBe(1);
    expect(judge([], [one.publicKey]).wrong).toBe(1);
  });
});
