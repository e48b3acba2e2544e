// The composite action, read as YAML and run step by step as the runner does: inputs become variables, the script runs in bash,
// outputs and the summary are files. It runs the compiled command line in a project of its own.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { formatCassette } from "../src/cassette/trust/cassette-store.js";
import { assertBuilt, cassetteBin, repositoryRoot } from "./support/built.js";
import { recordRun } from "./support/drifting-runs.js";

interface Action {
  inputs: Record<string, { description: string; required?: boolean; default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: { id: string; shell: string; env: Record<string, string>; run: string }[] };
}

const action = parse(readFileSync(join(repositoryRoot, "action.yml"), "utf8"), { strict: true }) as Action;
const hooks = parse(readFileSync(join(repositoryRoot, ".pre-commit-hooks.yaml"), "utf8")) as Record<string, string>[];

assertBuilt();
const project = mkdtempSync(join(tmpdir(), "playhead-action-"));
afterAll(() => rmSync(project, { recursive: true, force: true }));
mkdirSync(join(project, "node_modules/.bin"), { recursive: true });
writeFileSync(join(project, "package.json"), '{ "name": "project", "private": true }');
writeFileSync(join(project, "cassette.sh"), `#!/bin/sh\nexec "${process.execPath}" "${cassetteBin}" "$@"\n`, {
  mode: 0o755,
});
symlinkSync(join(project, "cassette.sh"), join(project, "node_modules/.bin/playhead"));
for (const side of ["old", "new", "same"]) {
  mkdirSync(join(project, side));
  for (let run = 0; run < 5; run++) {
    const cassette = recordRun(side === "new" ? ["find", "hand_over"] : ["find", "refund"], run);
    writeFileSync(join(project, side, `refund.${run}.cassette.json`), formatCassette(cassette));
  }
}

/** One step with these inputs, as the runner would do it. */
function runStep(given: Record<string, string>) {
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: value = "" }]) => [name, given[name] ?? value]),
  );
  const [step] = action.runs.steps;
  const env = Object.fromEntries(
    Object.entries(step?.env ?? {}).map(([name, value]) => [
      name,
      value.replace(/^\$\{\{ inputs\.([\w-]+) \}\}$/, (_, input: string) => inputs[input] ?? ""),
    ]),
  );
  const files = { GITHUB_OUTPUT: join(project, "output"), GITHUB_STEP_SUMMARY: join(project, "summary.md") };
  for (const file of Object.values(files)) writeFileSync(file, "");
  const ran = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step?.run ?? ""], {
    cwd: project,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: project, NO_COLOR: "1", ...env, ...files },
  });
  const output = readFileSync(files.GITHUB_OUTPUT, "utf8");
  return {
    status: ran.status,
    out: ran.stdout,
    err: ran.stderr,
    output,
    summary: readFileSync(files.GITHUB_STEP_SUMMARY, "utf8"),
  };
}

describe("the action", { timeout: 120_000 }, () => {
  it("is composite, describes each input, and hands inputs to the script as variables alone", () => {
    expect(action.runs.using).toBe("composite");
    for (const { description } of Object.values(action.inputs)) expect(description).not.toBe("");
    for (const { run, shell } of action.runs.steps) {
      expect(run).not.toContain("${{");
      expect(shell).toBe("bash");
    }
    expect(action.outputs["exit-code"]?.value).toBe("${{ steps.drift.outputs.exit-code }}");
  });

  it("annotates, writes the summary and a SARIF file, and fails with the code of the gate", () => {
    const reporters = "github,sarif=drift.sarif";
    const { status, out, output, summary } = runStep({
      base: "old",
      candidate: "new",
      reporters,
      args: "--min-runs  2\n--seed 7",
    });
    expect(out).toMatch(/^::error file=(old|new)\/refund\.\d\.cassette\.json,line=\d+,title=refund%3A drift::/);
    expect(output).toBe("exit-code=1\n");
    expect(status).toBe(1);
    expect(summary).toMatch(/^<!-- playhead:cassette-drift -->\n## ⚠️ Drift gate: drift \(fails\)/);
    expect(JSON.parse(readFileSync(join(project, "drift.sarif"), "utf8"))).toMatchObject({ version: "2.1.0" });
  });

  it("passes where nothing differs", () => {
    expect(runStep({ base: "old", candidate: "same" })).toMatchObject({ status: 0, output: "exit-code=0\n" });
  });

  it("takes no input for a command or an option", () => {
    const base = "$(touch pwned); --help";
    const { status, output, out } = runStep({ base, candidate: "--version" });
    expect(output).toBe("exit-code=2\n");
    expect(status).toBe(2);
    expect(out).toBe("");
    expect(() => readFileSync(join(project, "pwned"))).toThrow();
  });
});

describe("the hooks for pre-commit", () => {
  it("run commands that there are, on cassettes alone", () => {
    for (const { entry = "", files = "", language } of hooks) {
      const [program, command = ""] = entry.split(" ");
      expect(program).toBe("cassette");
      expect(readFileSync(join(repositoryRoot, `src/cli/commands/${command}.ts`), "utf8")).toContain(
        `.command("${command}")`,
      );
      expect(language).toBe("node");
      expect("cassettes/a.cassette.json").toMatch(new RegExp(files));
      expect("package.json").not.toMatch(new RegExp(files));
    }
  });
});
