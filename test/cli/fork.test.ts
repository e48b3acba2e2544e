import { describe, expect, it } from "vitest";
import { weatherCassette } from "../support/recording.js";
import { cli, documentOf, place } from "./run.js";

const file = place("fork.cassette.json", await weatherCassette());
const env = { PATH: process.env["PATH"] ?? "" };
const node = process.execPath;

/** A command that leaves a line of this mode in its ledger, and prints what it was told. */
const finishes = (mode: string, turns = 3) => [
  node,
  "-e",
  `const line = { file: process.env.CASSETTE_FORK_OUT, path: "/o", mode: "${mode}", turns: ${turns}, kept: 1 };
   if (process.env.CASSETTE_MODE !== "fork" || process.env.CASSETTE_FORK_AT !== "1") process.exit(9);
   require("fs").writeFileSync(process.env.CASSETTE_LEDGER, JSON.stringify(line) + "\\n")`,
];

describe("cassette fork", () => {
  it("hands the plan to the command, and says what was replayed", async () => {
    const ran = await cli(["fork", file, "--at", "1", "--out", "/o.cassette.json", "--", ...finishes("fork")], { env });
    expect(ran).toEqual({
      code: 0,
      out: "",
      err: "cassette fork: forked into /o.cassette.json, 3 turns, 1 of them replayed\n",
    });
  });

  it("exits 2 where the command did not use that cassette", async () => {
    const ran = await cli(
      ["fork", file, "--at", "1", "--out", "o.cassette.json", "--json", "--", ...finishes("replay")],
      { env },
    );
    expect(documentOf(ran)).toMatchObject({ exitCode: 2, error: { code: "no-cassette-used" } });
  });

  it("starts nothing for a turn that is not there, a missing file, or in CI", async () => {
    const run = (...more: string[]) => ["fork", ...more, "--out", "o.cassette.json", "--", "no-such-program"];
    expect((await cli(run(file, "--at", "7"), { env })).err).toContain("there is no turn 7 to fork at");
    expect((await cli(run("none.json", "--at", "1"), { env })).err).toContain("there is no cassette at none.json");
    expect((await cli(run(file, "--at", "-1"), { env })).code).toBe(2);
    expect((await cli(run(file, "--at", "1"), { env: { ...env, CI: "1" } })).err).toContain("CI never records");
  });
});

describe("cassette fork and its file", () => {
  it("names a file of the working folder from there", async () => {
    const ran = await cli(["fork", file, "--at", "1", "--out", "n.cassette.json", "--", ...finishes("fork")], { env });
    expect(ran.err).toBe("cassette fork: forked into n.cassette.json, 3 turns, 1 of them replayed\n");
  });

  it("says what was replayed where that is all", async () => {
    const command = finishes("fork", 1);
    const ran = await cli(["fork", file, "--at", "1", "--out", "n.cassette.json", "--", ...command], { env });
    expect(ran.err).toBe("cassette fork: forked into n.cassette.json, 1 turn, 1 of them replayed\n");
  });

  it("runs nothing if the name is not that of a cassette", async () => {
    const ran = await cli(["fork", file, "--at", "1", "--out", "f1.json", "--json", "--", "no-such-program"], { env });
    const message = "--out f1.json does not end in .cassette.json; nothing was run";
    expect(documentOf(ran)).toMatchObject({ exitCode: 2, error: { code: "usage", message } });
  });

  it("runs nothing where the file is there already, and says what to do", async () => {
    const ran = await cli(["fork", file, "--at", "1", "--out", file, "--", "no-such-program"], { env });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain("fork.cassette.json exists and was not replaced; nothing was run");
    expect(ran.err).toContain("hint: Name another file with --out. A fork replaces nothing.");
  });
});

describe("cassette record --from-first-miss", () => {
  it("sets the mode, says what was kept, and refuses --refresh together with it", async () => {
    const line = { file: "a.cassette.json", path: "/a", mode: "from-first-miss", turns: 3 };
    const lines = [
      { ...line, kept: 2 },
      { ...line, path: "/b", mode: "replay", kept: 3 },
      { ...line, path: "/c", kept: 3 },
    ]
      .map((item) => JSON.stringify(item))
      .join("\n");
    const script = `if (process.env.CASSETTE_MODE !== "from-first-miss") process.exit(9);
      require("fs").writeFileSync(process.env.CASSETTE_LEDGER, ${JSON.stringify(`${lines}\n`)})`;
    const ran = await cli(["record", "--from-first-miss", "--", node, "-e", script], { env });
    expect(ran).toEqual({
      code: 0,
      out: "",
      err:
        "cassette record: recorded from the first miss on a.cassette.json, 3 turns, 2 of them replayed\n" +
        "cassette record: kept a.cassette.json, 3 turns\n" +
        "cassette record: recorded from the first miss on a.cassette.json, 3 turns, 3 of them replayed\n",
    });
    expect((await cli(["record", "--refresh", "--from-first-miss", "--", node], { env })).code).toBe(2);
    expect((await cli(["record", "--from-first-miss", "--", node], { env: { ...env, CI: "1" } })).code).toBe(2);
  });
});
