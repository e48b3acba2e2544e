import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../src/cli/version.js";
import { cli, documentOf } from "./run.js";

describe("cassette", () => {
  it("prints the version of package.json", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect(VERSION).toBe(version);
    expect(await cli(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });

  it("prints its help on stdout when asked", async () => {
    const ran = await cli(["--help"]);
    expect(ran.code).toBe(0);
    for (const name of ["verify", "show", "diff", "import", "record", "replay"])
      expect(ran.out).toContain(`  ${name} `);
    expect(ran.out).toContain("Exit codes: 0");
    expect(ran.err).toBe("");
  });

  it("prints every command in its help, on one screen", async () => {
    const { out } = await cli(["--help"]);
    const lines = out.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(42);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const commands = readdirSync(new URL("../../src/cli/commands", import.meta.url));
    expect(commands.filter((file) => !out.includes(`\n  ${file.replace(/\.ts$/, " ")}`))).toEqual([]);
  });

  it("prints its help on stderr and exits 2 without a command", async () => {
    const ran = await cli([]);
    expect(ran.code).toBe(2);
    expect(ran.out).toBe("");
    expect(ran.err).toMatch(/^Usage: cassette/);
    expect(ran.err).not.toContain("error:");
  });

  it.each([
    [
      ["record", "--job=a\nb", "--", "x"],
      "error: option '--job <name>' argument 'a\\nb' is invalid. Give up to 100 letters, digits, dots, dashes and underscores.\n  hint: Run npx playhead record --help for the usage.\n",
    ],
    [["verfy", "x"], "error: unknown command 'verfy'\n  hint: Did you mean verify?\n"],
    [
      ["verify", "--requireintegrity", "x"],
      "error: unknown option '--requireintegrity'\n  hint: Did you mean --require-integrity?\n",
    ],
    [["diff", "a", "b", "--share-only"], "error: unknown option '--share-only'\n  hint: Did you mean --shared-only?\n"],
    [["nonsense"], "error: unknown command 'nonsense'\n  hint: Run npx playhead --help for the usage.\n"],
    [["diff", "a"], "error: missing required argument 'new'\n  hint: Run npx playhead diff --help for the usage.\n"],
    [
      ["import", "a"],
      "error: required option '--out <folder>' not specified\n  hint: Run npx playhead import --help for the usage.\n",
    ],
    [["replay"], "error: missing required argument 'command'\n  hint: Run npx playhead replay --help for the usage.\n"],
  ])("%j exits 2 and says what is near", async (argv, err) => {
    expect(await cli(argv)).toEqual({ code: 2, out: "", err });
  });

  it.each([
    [["verify", ""]],
    [["verify", "--json", "a", ""]],
    [["show", ""]],
    [["diff", "", "b"]],
    [["diff", "a", ""]],
    [["import", "", "--out", "o"]],
    [["import", "a", "--out", ""]],
    [["serve", "a", ""]],
    [["record", "--proxy", "--target", "https://x", "--out", ""]],
    [["demo", "--out", ""]],
  ])("%j exits 2, since an empty path means no place", async (argv) => {
    const ran = await cli(argv);
    expect(ran.code).toBe(2);
    expect(argv.includes("--json") ? documentOf(ran).error : { code: "usage", message: ran.err }).toMatchObject({
      code: "usage",
      message: expect.stringContaining("The path must not be empty.") as string,
    });
  });

  it("escapes what a terminal would act on in arguments that it repeats", async () => {
    const ran = await cli(["\u001b[2Jx"]);
    expect(ran.err).toContain("unknown command '\\u001b[2Jx'");
  });
});

describe("--json on wrong usage", () => {
  it.each([
    ["verify", ["verify", "--json"]],
    ["show", ["show", "--json"]],
    ["diff", ["diff", "a", "--json"]],
    ["import", ["import", "a", "--json"]],
    ["record", ["record", "--json"]],
    ["replay", ["replay", "--json", "--"]],
    [null, ["verfy", "--json"]],
    [null, ["--json"]],
    ["verify", ["verify", "--json", "--wrong", "x"]],
  ])("of %s is one document", async (command, argv) => {
    const ran = await cli(argv);
    expect(ran.err).toBe("");
    expect(documentOf(ran)).toEqual({
      schemaVersion: 1,
      command,
      exitCode: 2,
      error: { code: "usage", message: expect.any(String) as string, hint: expect.any(String) as string },
    });
  });

  it("leaves alone a --json that belongs to the command to run", async () => {
    const ran = await cli(["replay", "no-such-program-here", "--json"]);
    expect(ran.out).toBe("");
    expect(ran.err).toContain("error: ");
  });
});
