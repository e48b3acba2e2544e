import { describe, expect, it } from "vitest";
import { createSha256, hashJson, sha256Hex } from "../../../src/core/canon/digest.js";
import { canonicalize } from "../../../src/core/canon/json.js";
import { refusal } from "../../support/refusal.js";

describe("sha256Hex", () => {
  it("hashes the UTF-8 bytes of the text as lower-case hex", () => {
    // printf 'péché' | sha256sum
    expect(sha256Hex("péché")).toBe("e37c71c44423c4f69507c346c142746b8aeaa2096ea53b7f4cb08ea6625e5bdc");
  });
});

describe("createSha256", () => {
  it("gives the same digest in pieces as at once", () => {
    expect(createSha256().update("ab").update("").update("c").digest()).toBe(sha256Hex("abc"));
  });

  it("forks its state by copy, in both directions", () => {
    const state = createSha256().update("common ");
    const fork = state.copy().update("one");
    state.update("two");
    expect(fork.digest()).toBe(sha256Hex("common one"));
    expect(state.digest()).toBe(sha256Hex("common two"));
  });
});

describe("hashJson", () => {
  it("hashes the canonical text", () => {
    expect(hashJson({ b: 1, a: "é" })).toBe(sha256Hex(canonicalize({ a: "é", b: 1 })));
  });

  it("tells near-equal values apart", () => {
    const values = [{}, [], null, "", 0, "0", [0], ["0"], [[0]], { 0: 0 }, { a: 1, b: 2 }, { a: { b: 2 } }, "null"];
    expect(new Set(values.map(hashJson)).size).toBe(values.length);
  });

  it("refuses what is not plain JSON", () => {
    expect(refusal(() => hashJson({ a: undefined }))).toMatchObject({ code: "not-json", pointer: "/a" });
  });
});
