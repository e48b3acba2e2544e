import { describe, expect, it } from "vitest";
import { addressOf } from "../../../src/harness/ui/address.js";
import { findItems, toListPage, type ListQuery } from "../../../src/harness/ui/list-page.js";
import type { UiItem } from "../../../src/harness/ui/item.js";
import { all, one, parsePage } from "../../support/page.js";
import fc from "fast-check";

const ALL: ListQuery = { words: "", kind: undefined, sort: "newest" };
const item = (index: number, rest: Partial<UiItem> = {}): UiItem => ({
  ...{ kind: "cassette", file: `suite/test-${index}.cassette.json`, state: "read" },
  ...{ facts: ["3 turns"], about: "Hello", changedMs: index * 1000 },
  ...rest,
});
const pageOf = (items: UiItem[], query = ALL, waiting = 0, notes: string[] = []) =>
  parsePage(toListPage({ folder: "runs", items, waiting, notes }, query)).body;

describe("the list of a folder", () => {
  it("shows the newest 500 of 10,000, says so, and finds the others by a search", () => {
    const items = Array.from({ length: 10_000 }, (_, index) => item(index));
    const body = pageOf(items);
    expect(all(body, "li.item")).toHaveLength(500);
    expect(one(body, "li.item:first-child .base").textContent).toBe("test-9999");
    expect(one(body, "#count").textContent).toBe("10,000 items. The first 500 are listed: search to find the others.");
    expect(findItems(items, { ...ALL, words: "TEST-77.cassette hello" }).map(({ file }) => file)).toEqual([
      "suite/test-77.cassette.json",
    ]);
  });

  it("says what it lacks", () => {
    const body = pageOf([item(1)], ALL, 1_234, ["3 folders cannot be read."]);
    expect(one(body, "#notes").textContent.replaceAll(/\s+/g, " ").trim()).toBe(
      "1,234 files not read yet. 3 folders cannot be read.",
    );
  });

  it("offers only recordings that load for a comparison", () => {
    const kinds = ["cassette", "failed", "miss", "verdict", "mutants", "bundle"] as const;
    const items = kinds.map((kind, index) => item(index, { kind, ...(kind === "miss" ? { missed: "x" } : {}) }));
    const body = pageOf([...items, item(9, { state: "damaged" })]);
    expect(all(body, "input[type=checkbox]").map((box) => box.getAttribute("aria-label"))).toEqual([
      "Choose suite/test-1.cassette.json to compare",
      "Choose suite/test-0.cassette.json to compare",
    ]);
  });

  it("keeps the search in the addresses of the filters", () => {
    const links = all(pageOf([item(1)], { words: "a&b", kind: undefined, sort: "name" }), "#kinds a");
    expect(links.map((link) => link.getAttribute("href"))).toEqual([
      "?q=a%26b&sort=name",
      "?q=a%26b&kind=cassette&sort=name",
    ]);
  });
});

it("makes an address from which the server reads the very file, whatever its name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (file) => {
      const address = addressOf({ file }, "turn-1");
      expect(address).toMatch(/^\?[\w%&=.~*-]*#turn-1$/);
      expect(new URLSearchParams(address.replace(/#.*/, "")).get("file") ?? "").toBe(file.toWellFormed());
    }),
  );
});
