import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withOutcome } from "../../src/cassette/file/build.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { prompt, recordTurns } from "../support/recording.js";
import { say } from "../support/script.js";
import { cli, documentOf, folder } from "./run.js";

const FAILED = { success: false, error: "expected snow", points: 2 };

async function recorded(answer: string, outcome: Record<string, boolean | string | number>): Promise<CassetteV2> {
  return withOutcome(await recordTurns([prompt("Umbrella?")], [say(answer)]), outcome);
}

/** A new folder below that of the tests, with these files. */
function project(name: string, files: Record<string, CassetteV2>): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  for (const [file, cassette] of Object.entries(files)) writeFileSync(join(path, file), formatCassette(cassette));
  return path;
}

describe("cassette record --adopt", () => {
  it("makes the recording of a failed test its cassette, with a passed outcome and new hashes", async () => {
    const failed = await recorded("It rains.", FAILED);
    const cwd = project("adopt", { "a.failed.cassette.json": failed, "a.cassette.json": await recorded("Sun.", {}) });
    const { code, err } = await cli(["record", "--adopt", "a.failed.cassette.json"], { cwd });
    expect([code, err]).toEqual([0, "cassette record: adopted a.failed.cassette.json as a.cassette.json\n"]);
    expect(existsSync(join(cwd, "a.failed.cassette.json"))).toBe(false);
    const now = parseCassette(readFileSync(join(cwd, "a.cassette.json"), "utf8")) as CassetteV2;
    expect(now.extensions?.["outcome"]).toEqual({ success: true, points: 2 });
    expect([now.entries, now.envelopeHash === failed.envelopeHash]).toEqual([failed.entries, false]);
  });

  it("refuses another file, a damaged one, a command and CI, and changes nothing", async () => {
    const failed = await recorded("It rains.", FAILED);
    const cwd = project("refused", { "a.failed.cassette.json": failed, "b.cassette.json": failed });
    const adopt = (file: string, env = {}) => cli(["record", "--adopt", file, "--json"], { cwd, env });
    expect(documentOf(await adopt("b.cassette.json")).error?.code).toBe("usage");
    expect(documentOf(await adopt("a.failed.cassette.json", { CI: "1" })).error?.code).toBe("bless-in-ci");
    expect(documentOf(await adopt("none.failed.cassette.json")).error?.code).toBe("file-not-found");
    const ran = await cli(["record", "--adopt", "a.failed.cassette.json", "--", "node"], { cwd });
    expect(ran.err).toContain("--adopt runs no command");
    writeFileSync(join(cwd, "a.failed.cassette.json"), formatCassette(failed).replace("It rains.", "It snows."));
    const damaged = await adopt("a.failed.cassette.json");
    expect([damaged.code, existsSync(join(cwd, "a.cassette.json"))]).toEqual([3, false]);
  });
});

describe("the recording of a failed test", () => {
  it("is shown with its message", async () => {
    const cwd = project("shown", { "a.failed.cassette.json": await recorded("It rains.", FAILED) });
    const { out } = await cli(["show", "a.failed.cassette.json"], { cwd });
    expect(out).toContain('  the run failed: expected snow\n  outcome {"points":2}\n');
  });

  it("is ignored in a folder by all commands except drift, where it is a failed run", async () => {
    const passed = await recorded("Sun.", { success: true });
    const failed = await recorded("Sun.", FAILED);
    const runs = (wrong: number) =>
      Object.fromEntries(
        Array.from({ length: 6 }, (_, run) =>
          run < wrong ? [`a.${run}.failed.cassette.json`, failed] : [`a.${run}.cassette.json`, passed],
        ),
      );
    const [base, candidate] = [project("base", runs(0)), project("candidate", runs(6))];
    expect(documentOf(await cli(["stats", candidate, "--json"])).error?.code).toBe("nothing-found");
    const drift = documentOf(await cli(["drift", base, candidate, "--json"]));
    // The paths are equal. Only the outcomes differ.
    expect(drift).toMatchObject({ verdict: "regression", scenarios: [{ scenario: "a" }], exitCode: 1 });
    expect(documentOf(await cli(["drift", base, base, "--json"]))).toMatchObject({ verdict: "same" });
  });
});
