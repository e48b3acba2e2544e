// Vectors: cyberphone/json-canonicalization testdata (Apache-2.0, Anders Rundgren) and the first 40,000 lines of its ES6
// number file (`IEEE 754 bits in hex, text`).

import { describe, expect, it } from "vitest";
import { hashJson } from "../../src/core/canon/digest.js";
import { canonicalize } from "../../src/core/canon/json.js";
import { hasShared, readShared, readSharedLines } from "../support/shared.js";

interface JcsVector {
  name: string;
  input: string;
  output: string;
  output_hex: string;
  output_sha256: string;
}

describe.skipIf(!hasShared)("RFC 8785 vectors", () => {
  const vectors = hasShared ? readSharedLines<JcsVector>("data/vectors/jcs/cyberphone.jsonl") : [];

  it("there are three of them", () => {
    expect(vectors.map((vector) => vector.name)).toEqual(["arrays", "french", "structures"]);
  });

  it.each(vectors)("$name is written byte for byte, and hashed", ({ input, output, output_hex, output_sha256 }) => {
    const value: unknown = JSON.parse(input);
    expect(canonicalize(value)).toBe(output);
    expect(Buffer.from(canonicalize(value), "utf8").toString("hex")).toBe(output_hex);
    expect(hashJson(value)).toBe(output_sha256);
  });

  it("40,000 ES6 numbers print as the file says, and read back as the same bits", () => {
    const lines = readShared("data/vectors/jcs/es6-numbers-lines-000001-040000.txt.gz").trimEnd().split("\n");
    const wrong = lines.filter((line) => {
      const [hex, text] = line.split(",") as [string, string];
      const number = fromBits(hex);
      return canonicalize(number) !== text || (!Object.is(number, -0) && !Object.is(JSON.parse(text), number));
    });
    expect(lines).toHaveLength(40_000);
    expect(wrong).toEqual([]);
  });
});

function fromBits(hex: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
}
