// docs/providers.md holds a table that is made from the recordings; here it is compared with what they come to today.
// PLAYHEAD_UPDATE_DOCS=1 writes it anew.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { hasShared } from "./support/shared.js";
import { countAll, toTable, UNEXPLAINED } from "./support/wire-table.js";

const path = fileURLToPath(new URL("../docs/providers.md", import.meta.url));
const TABLE = /(?<=<!-- made by test\/wire-table\.test\.ts -->\n\n).*?(?=\n\n<!-- end -->)/s;

describe.skipIf(!hasShared)("the table of docs/providers.md", () => {
  it("counts every recorded exchange, none of them unexplained", async () => {
    const counted = await countAll();
    expect(counted.filter(({ outcome }) => outcome === UNEXPLAINED)).toEqual([]);
    expect(counted).toHaveLength(2173 + 118);

    const page = readFileSync(path, "utf8");
    if (process.env["PLAYHEAD_UPDATE_DOCS"] === "1")
      writeFileSync(
        path,
        page.replace(TABLE, () => toTable(counted)),
      );
    expect(TABLE.exec(readFileSync(path, "utf8"))?.[0]).toBe(toTable(counted));
  });
});
