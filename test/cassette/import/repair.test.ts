import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

describe("what an import had to repair", () => {
  it("is listed in docs/convert.md, every kind once and no other", () => {
    const declared = [...read("src/cassette/import/repair.ts").matchAll(/^ {2}\| "([a-z-]+)"/gm)].map(
      ([, kind]) => kind,
    );
    const section = (read("docs/convert.md").split("\n### Repairs\n")[1] ?? "").split(/\n###? /)[0] ?? "";
    const listed = [...section.matchAll(/^\| `([a-z-]+)` \| \S/gm)].map(([, kind]) => kind);
    expect(declared.length).toBeGreaterThan(30);
    expect(listed.sort()).toEqual(declared.sort());
  });
});
