// Laws of the file names that tests get.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slugOf } from "../../src/harness/fixture/slug.js";
import { MAX_SLUG_BYTES } from "../../src/harness/limits.js";

const name = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.array(fc.string({ maxLength: 12 }), { maxLength: 4 }).map((parts) => parts.join(" > ")),
);

describe("laws of slugOf", () => {
  it("gives a name that every disk takes: short, without separators, dots, blanks, controls, or a dash at either end", () => {
    fc.assert(
      fc.property(name, (text) => {
        const slug = slugOf(text);
        expect(slug).toMatch(/^[\p{L}\p{M}\p{N}-]+_?$/u);
        expect(slug).not.toMatch(/^-|-$/);
        expect(new TextEncoder().encode(slug).length).toBeLessThanOrEqual(MAX_SLUG_BYTES);
        expect(slug.normalize("NFC")).toBe(slug);
      }),
    );
  });

  it("does not tell apart what a disk without upper case does not, where it is not cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 15 }), (text) => {
        fc.pre(/[\p{L}\p{N}]/u.test(text));
        const slugs = [text, text.toUpperCase(), text.normalize("NFD")].map(slugOf);
        expect(new Set(slugs).size).toBe(1);
      }),
    );
  });

  it("keeps a slug as it is", () => {
    fc.assert(
      fc.property(name, (text) => {
        const slug = slugOf(text);
        fc.pre(!slug.includes("_") && new TextEncoder().encode(slug).length < MAX_SLUG_BYTES / 2);
        expect(slugOf(slug.replaceAll("--", " > "))).toBe(slug);
      }),
    );
  });
});
