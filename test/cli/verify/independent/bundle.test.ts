import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { recomputeBundle } from "../../../../src/cli/verify/independent/bundle.js";

const corpus = fileURLToPath(new URL("../../../corpus/", import.meta.url));

async function disagreementsOf(folder: string, edit: (text: string) => string = (text) => text): Promise<string[]> {
  const names = await readdir(corpus + folder);
  const text = edit(await readFile(`${corpus}${folder}/umbrella.bundle.json`, "utf8"));
  const { disagreements } = await recomputeBundle(Buffer.from(text), async (name) =>
    names.includes(name) ? readFile(`${corpus}${folder}/${name}`) : undefined,
  );
  return disagreements.map(({ pointer, what }) => `${pointer}: ${what}`);
}

it("finds nothing in a bundle that holds", async () => {
  expect(await disagreementsOf("bundle-good")).toEqual([]);
});

it.each([
  ["bundle-edited", "/bundleHash: the stored hash is"],
  ["bundle-member-missing", "is not next to the bundle"],
  ["bundle-member-swapped", "is not the cassette that the bundle lists"],
  ["bundle-path-outside", "is not next to the bundle"],
])("finds what is wrong with %s", async (folder, found) => {
  expect((await disagreementsOf(folder)).join("\n")).toContain(found);
});

it.each(["{}", "[", "null", '{"agents":{"a":null},"bundleHash":""}'])("says that %s is not a bundle", async (text) => {
  expect(await disagreementsOf("bundle-good", () => text)).not.toEqual([]);
});
