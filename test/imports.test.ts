// Every log of the collected ones, imported: cassettes, or a refusal with its reason. docs/convert.md holds the counts.
// `PLAYHEAD_UPDATE_DOCS=1 npx vitest run test/imports.test.ts` writes them.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkCassette } from "../src/cassette/trust/load-cassette.js";
import { cli, folder, type Ran } from "./cli/run.js";
import { repositoryRoot } from "./support/built.js";
import { hasShared, sharedPath } from "./support/shared.js";

interface Refusal {
  code: string;
  message: string;
  hint?: string;
}
interface Imported {
  written: { file: string }[];
  refused: Refusal[];
  repairs: Record<string, number>;
}

/** Not a log: what Langfuse itself makes of a trace. */
const NO_LOG = /^README|\.chatml\.json/i;
const kinds = hasShared ? readdirSync(sharedPath("data/import")).sort() : [];

function logsOf(kind: string): string[] {
  const files = readdirSync(sharedPath(`data/import/${kind}`), { recursive: true, encoding: "utf8" }).sort();
  return files.filter((file) => !NO_LOG.test(file)).map((file) => sharedPath(`data/import/${kind}/${file}`));
}

/** Each log goes to a folder of its own, since two logs of one run have the same path. */
async function importAll(kind: string): Promise<Imported & { turns: number; logs: number }> {
  const logs = logsOf(kind);
  const all: Imported & { turns: number; logs: number } = {
    written: [],
    refused: [],
    repairs: {},
    turns: 0,
    logs: logs.length,
  };
  for (const [index, log] of logs.entries()) {
    const out = join(folder, `imported/${kind}/${index}`);
    const ran: Ran = await cli(["import", log, "--out", out, "--json"]);
    const document = JSON.parse(ran.out) as Partial<Imported> & { error?: Refusal };
    const { written = [], refused = document.error === undefined ? [] : [document.error], repairs = {} } = document;
    expect(written.length + refused.length, `${log} is neither imported nor refused`).toBeGreaterThan(0);
    for (const { file } of written) {
      const { entries } = checkCassette(JSON.parse(readFileSync(file, "utf8")), { file });
      all.turns += entries.length;
    }
    all.written.push(...written);
    all.refused.push(...refused);
    for (const [repair, count] of Object.entries(repairs)) all.repairs[repair] = (all.repairs[repair] ?? 0) + count;
  }
  return all;
}

describe.skipIf(!hasShared)("collected logs (skipped without the data next to the repository)", () => {
  it("become cassettes or are refused with a reason, counted in docs/convert.md", { timeout: 600_000 }, async () => {
    const rows: string[][] = [];
    const reasons = new Map<string, number>();
    for (const kind of kinds) {
      const { logs, written, turns, refused, repairs } = await importAll(kind);
      for (const { code, message, hint } of refused) {
        expect(hint, `${code}: ${message}`).toBeTruthy();
        reasons.set(`${kind}: ${code}`, (reasons.get(`${kind}: ${code}`) ?? 0) + 1);
      }
      const repaired = Object.values(repairs).reduce((sum, count) => sum + count, 0);
      rows.push([kind, logs, written.length, turns, refused.length, repaired].map(String));
    }
    const table = [
      "| logs of | files | cassettes | turns | refused records | repairs |",
      "| --- | ---: | ---: | ---: | ---: | ---: |",
      ...rows.map((cells) => `| ${cells.join(" | ")} |`),
      "",
      `Refused: ${[...reasons].map(([reason, count]) => `${count} of \`${reason.replace(": ", "`, `")}\``).join("; ")}.`,
    ].join("\n");
    const page = join(repositoryRoot, "docs/convert.md");
    const before = readFileSync(page, "utf8");
    if (process.env["PLAYHEAD_UPDATE_DOCS"] === "1")
      writeFileSync(
        page,
        before.replace(TABLE, () => table),
      );
    expect(TABLE.exec(readFileSync(page, "utf8"))?.[0]).toBe(table);
  });
});

const TABLE = /(?<=<!-- made by test\/imports\.test\.ts -->\n\n)[^]*?(?=\n\n<!-- end -->)/;
