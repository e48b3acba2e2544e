import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { call, stepsOf } from "../cassette/diff/runs.js";
import { cli, documentOf, folder, place } from "./run.js";

const a = place("a.cassette.json", stepsOf(call("look", { city: "Oslo", n: 1 }), call("look", { city: "Rome", n: 1 })));
const b = place("b.cassette.json", stepsOf(call("look", { city: "OSLO", n: 1 }), call("look", { city: "ROME", n: 1 })));
const file = { version: 1, tools: { look: { "/city": "case" } } };
const here = join(folder, "with");
const paths = ["../" + a.split("/").at(-1), "../" + b.split("/").at(-1)];

beforeAll(() => {
  mkdirSync(here);
  writeFileSync(join(here, "cassette.tolerances.json"), JSON.stringify(file));
  writeFileSync(join(folder, "other.json"), JSON.stringify(file));
  writeFileSync(join(folder, "broken.json"), JSON.stringify({ version: 1, tools: { look: { "/city": "cas" } } }));
});

describe("cassette diff with tolerances", () => {
  it("takes the file of the working folder, and says so with what was used", async () => {
    expect(await cli(["diff", ...paths], { cwd: here })).toMatchObject({
      code: 0,
      out: [
        "same: 1 task compared, 1 same, 0 drifted",
        "  texts were not compared; --content compares them",
        "  contract: offered tools and settings were not recorded, so not compared",
        "  tolerances of cassette.tolerances.json: used 2 times",
        "    look:/city  case, 2 times",
        "",
      ].join("\n"),
    });
  });

  it("tolerates nothing with --no-tolerances, or where no file lies", async () => {
    expect((await cli(["diff", ...paths, "--no-tolerances"], { cwd: here })).code).toBe(1);
    const ran = await cli(["diff", a, b, "--json"]);
    expect(ran.code).toBe(1);
    expect(documentOf(ran)).toMatchObject({ tolerancesFile: null, tolerances: [] });
  });

  it("takes the named file, and lists the uses in the document", async () => {
    const document = documentOf(await cli(["diff", a, b, "--tolerances", "other.json", "--json"]));
    expect(document).toMatchObject({
      exitCode: 0,
      tolerancesFile: "other.json",
      tolerances: [{ tolerance: "case", tool: "look", pointer: "/city", times: 2 }],
    });
  });

  it("says when no tolerance was needed", async () => {
    const ran = await cli(["diff", a, a, "--tolerances", "other.json"]);
    expect(ran.out).toContain("  tolerances of other.json: not needed\n");
  });

  it("refuses a malformed file, and one that is named but missing", async () => {
    const ran = await cli(["diff", a, b, "--tolerances", "broken.json"]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('/tools/look/~1city is not a tolerance: "cas"')]);
    expect((await cli(["diff", a, b, "--tolerances", "none.json"])).code).toBe(2);
  });
});
