// The walls around the verbs: no path reads outside the root, no spelling of an address is taken for another.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { classifyAddress } from "../../src/host/verbs/address-class.js";
import { readPage } from "../../src/host/verbs/html.js";
import { openRoot, type Root } from "../../src/host/verbs/root.js";
import { askRobots } from "../../src/host/verbs/robots.js";
import { sliceText } from "../../src/host/verbs/slice.js";
import { parseTarget } from "../../src/host/verbs/target.js";
import { VerbError } from "../../src/host/verbs/error.js";

let base = "";
let root: Root;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "playhead-law-")));
  mkdirSync(join(base, "in", "a", "b"), { recursive: true });
  mkdirSync(join(base, "out"));
  for (const place of ["in", "in/a", "in/a/b"]) writeFileSync(join(base, place, "f"), "inside");
  for (const place of [".", "out"]) writeFileSync(join(base, place, "f"), "outside");
  symlinkSync(join(base, "out"), join(base, "in", "l"));
  symlinkSync("../..", join(base, "in", "a", "l"));
  symlinkSync(join(base, "out", "f"), join(base, "in", "a", "b", "l"));
  root = openRoot(join(base, "in"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const piece = fc.constantFrom(
  ..."a b f l in out . .. ... %2e%2e %2f %5c / // \\ ~ ..; .%00 file:// file:/// f%00 ..%2f %252e%252e :".split(" "),
);
const uri = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((parts) => parts.join("/")),
  fc.array(piece, { maxLength: 8 }).map((parts) => parts.join("")),
  fc.array(piece, { maxLength: 8 }).map((parts) => `file:///${parts.join("/")}`),
  fc.array(piece, { maxLength: 4 }).map((parts) => join(base, ...parts)),
  fc.string(),
);

describe("the root", () => {
  it("reads nothing outside, whatever the path", async () => {
    let inside = 0;
    await fc.assert(
      fc.asyncProperty(uri, async (text) => {
        try {
          const target = parseTarget(text, { root });
          if (target.kind !== "file") return;
          expect(Buffer.from((await root.read(target.path, 100)).bytes).toString()).toBe("inside");
          inside += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(VerbError);
          expect((error as Error).message.includes(base) && !text.includes(base)).toBe(false);
        }
      }),
      { numRuns: 2_000, examples: [["a/b/f"], ["l/f"], ["file:///a/f"]] },
    );
    expect(inside).toBeGreaterThan(1);
  });
});

const v4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map((bytes) => bytes.join("."));

describe("an address", () => {
  it("is what URL makes of its spellings", () => {
    fc.assert(
      fc.property(v4, (address) => {
        const number = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
        const hex = `0x${number.toString(16)}`;
        for (const spelled of [String(number), hex, `0${number.toString(8)}`]) {
          expect(classifyAddress(new URL(`http://${spelled}/`).hostname)).toBe(classifyAddress(address));
        }
      }),
    );
  });

  it("is the same inside IPv6, in both ways to write it", () => {
    fc.assert(
      fc.property(v4, (address) => {
        const mapped = `::ffff:${address}`;
        expect(classifyAddress(mapped)).toBe(classifyAddress(address));
        const canonical = new URL(`http://[${mapped}]/`).hostname.slice(1, -1);
        expect(classifyAddress(canonical)).toBe(classifyAddress(address));
      }),
    );
  });

  it("is classified the same in every form of IPv6, and nothing throws", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
        expect(classifyAddress(canonical)).toBe(classifyAddress(address));
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void classifyAddress(text)));
  });
});

describe("what is read", () => {
  it("joins to the whole, part by part", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.integer({ min: 1, max: 7 }), (text, limit) => {
        let [whole, from] = ["", 0];
        for (;;) {
          const { part, next } = sliceText(text, from, limit);
          expect(part.isWellFormed()).toBe(true);
          whole += part;
          if (next === undefined) break;
          expect(next).toBeGreaterThan(from);
          from = next;
        }
        expect(whole).toBe(text);
      }),
    );
  });

  it("has no text of a script, whatever surrounds it", async () => {
    const { signal } = new AbortController();
    const tag = fc.constantFrom(
      "<p>",
      "</p>",
      "<b>",
      "</b>",
      "<table>",
      "<td>",
      "</table>",
      "<!--",
      "-->",
      "x ",
      "<li>",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(tag, { maxLength: 12 }), fc.array(tag, { maxLength: 12 }), async (before, after) => {
        const html = `${before.join("")}<script>EVIL</script><style>EVIL</style>${after.join("")}`;
        const page = await readPage(html, new URL("https://site.test/"), signal);
        expect(page.text()).not.toContain("EVIL");
      }),
      { numRuns: 300 },
    );
  });

  it("has nothing of it as Markdown either, which takes a thread each time", { timeout: 120_000 }, async () => {
    const { signal } = new AbortController();
    const tag = fc.constantFrom("<p>", "</p>", "<table>", "<td>", "</table>", "<!--", "-->", "x ", "<li>");
    await fc.assert(
      fc.asyncProperty(fc.array(tag, { maxLength: 12 }), fc.array(tag, { maxLength: 12 }), async (before, after) => {
        const html = `${before.join("")}<script>EVIL</script><style>EVIL</style>${after.join("")}`;
        const page = await readPage(html, new URL("https://site.test/"), signal);
        expect(await page.markdown()).not.toContain("EVIL");
      }),
      { numRuns: 12 },
    );
  });

  it("robots.txt always has an answer", () => {
    const line = fc.constantFrom(
      "User-agent: *",
      "User-agent: playhead",
      "Disallow: /a*",
      "Allow: /a$",
      "Disallow:",
      ":",
      "#",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string())), fc.string(), (lines, path) => {
        expect(typeof askRobots(lines.join("\n"), "playhead", `/${path}`).allowed).toBe("boolean");
      }),
    );
  });
});
