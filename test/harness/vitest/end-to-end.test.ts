// The published entry in a project of its own: a real Vitest process, the built files, and what a person reads when it fails.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const entry = join(root, "dist/entry/vitest.js");
const ignored = join(root, ".playhead");
let project: string;
let report: string;
let status: number | null;

beforeAll(() => {
  if (!existsSync(entry))
    throw new Error("dist/entry/vitest.js is not there. Run `npm run build`; `npm test` does it first.");
  mkdirSync(ignored, { recursive: true });
  // Below the repository, so that `vitest` is found in its node_modules.
  project = mkdtempSync(join(ignored, "vitest-"));
  writeFileSync(join(project, "vitest.config.mjs"), `export default { test: { setupFiles: ["./setup.mjs"] } };\n`);
  writeFileSync(join(project, "setup.mjs"), `import ${JSON.stringify(importPath("dist/entry/vitest.js"))};\n`);
  writeFileSync(join(project, "agent.test.mjs"), projectTest());
  ({ report, status } = runVitest());
});

afterAll(() => {
  if (project !== undefined) rmSync(project, { recursive: true, force: true });
});

function importPath(path: string): string {
  return relative(project, join(root, path)).split(sep).join("/");
}

function runVitest(): { report: string; status: number | null } {
  const { CI, CASSETTE_MODE, VITEST, VITEST_WORKER_ID, VITEST_POOL_ID, NODE_ENV, ...environment } = process.env;
  const runner = join(dirname(fileURLToPath(import.meta.resolve("vitest/package.json"))), "vitest.mjs");
  const child = spawnSync(process.execPath, [runner, "run", "--root", project, "--reporter", "verbose"], {
    cwd: project,
    env: { ...environment, NO_COLOR: "1", FORCE_COLOR: "0" },
    encoding: "utf8",
    timeout: 50_000,
  });
  return { report: `${child.stdout}\n${child.stderr}`, status: child.status };
}

function projectTest(): string {
  return `
import { expect, test } from "vitest";
import { recordingProvider, saveCassette } from ${JSON.stringify(importPath("dist/entry/cassette.js"))};

async function runAgent(city) {
  const message = { role: "assistant", content: "", toolCalls: [{ id: "1", name: "lookup", arguments: { city } }] };
  const provider = recordingProvider({ turn: async () => ({ message, stopReason: "toolUse" }) });
  await provider.turn({ messages: [{ role: "user", content: "weather" }] });
  return provider;
}

test("pins the run", async () => {
  await saveCassette("pinned.cassette.json", (await runAgent("Paris")).toCassette());
  await expect("pinned.cassette.json").toBeVerifiedCassette();
  await expect(await runAgent("Paris")).toMatchCassette("pinned.cassette.json");
  expect(await runAgent("Paris")).toCallTool("lookup", { city: expect.any(String) });
});

test("notices the other city", async () => {
  await expect(await runAgent("Oslo")).toMatchCassette("pinned.cassette.json");
});

test("misses the call", async () => {
  expect(await runAgent("Rome")).toCallTool("lookup", { city: "Lima" });
});
`;
}

describe("playhead/vitest in a project of its own", () => {
  it("passes what holds and fails what does not", () => {
    expect(report).toContain("✓ agent.test.mjs > pins the run");
    expect(report).toContain("2 failed | 1 passed (3)");
    expect(status).toBe(1);
  });

  it("reports a comparison with its sentences and with the difference drawn", () => {
    expect(report).toContain("expected no difference from pinned.cassette.json, but there is 1 difference:");
    expect(report).toContain('lookup was called with other arguments at turn 0: /city was "Paris" and is "Oslo".');
    expect(report).toMatch(/- +"\/city": "Paris",\n\+ +"\/city": "Oslo",/);
  });

  it("reports a call that was not made with the nearest one drawn next to it", () => {
    expect(report).toContain('expected a call of lookup({"city":"Lima"}), but the only call differs:');
    expect(report).toMatch(/- +"city": "Lima",\n\+ +"city": "Rome",/);
  });
});
