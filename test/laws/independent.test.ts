// The second implementation of the hashes and signatures against the first, on any recording: both accept it, and both refuse it
// after any change of one place.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CassetteError } from "../../src/cassette/errors.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { signCassette } from "../../src/cassette/trust/sign.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { recomputeCassette } from "../../src/cli/verify/independent/cassette.js";
import { Tally } from "../../src/cli/verify/independent/tally.js";
import type { JsonObject } from "../../src/core/canon/value.js";
import { cassette } from "../../src/harness/arbitraries/cassettes.js";
import { changeOf } from "../../src/harness/arbitraries/changes.js";

function isAcceptedByFirst(text: string): boolean {
  try {
    parseCassette(text);
    return true;
  } catch (error) {
    if (error instanceof CassetteError) return false;
    throw error;
  }
}

function recompute(text: string): Tally {
  const tally = new Tally();
  recomputeCassette(Buffer.from(text), tally);
  return tally;
}

describe("the second implementation", () => {
  it("accepts any recording and any signature that the first made", async () => {
    await fc.assert(
      fc.asyncProperty(cassette(), fc.uint8Array({ minLength: 32, maxLength: 32 }), async (given, seed) => {
        const signed = await signCassette(given, Buffer.from(seed).toString("hex"));
        const { hashes, signatures, disagreements } = recompute(formatCassette(signed));
        expect(disagreements).toEqual([]);
        expect(hashes).toBeGreaterThanOrEqual(2 * given.entries.length + 1);
        expect(signatures).toBe(1);
      }),
      { numRuns: 60 },
    );
  });

  it("accepts and refuses a recording that was changed at one place, as the first does", () => {
    let refused = 0;
    fc.assert(
      fc.property(cassette(), fc.nat(10_000), (given, pick) => {
        const text = JSON.stringify(changeOf(given as unknown as JsonObject, pick).value);
        const isAccepted = isAcceptedByFirst(text);
        expect(recompute(text).disagreements.length === 0).toBe(isAccepted);
        if (!isAccepted) refused++;
      }),
      { numRuns: 150 },
    );
    expect(refused).toBeGreaterThan(100);
  });
});
