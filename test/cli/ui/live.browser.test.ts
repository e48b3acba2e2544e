// `cassette ui` during a real run of Vitest, in a real browser.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { cassetteBin } from "../../support/built.js";
import { describeInBrowser } from "../../support/browser.js";
import { serveUi, type ServedUi } from "../../support/ui-folder.js";
import { vitestBin, vitestProject, type VitestProject } from "../../support/vitest-project.js";

const TESTS = `
import { expect, test } from "playhead/vitest";
import { ask, live } from "./live.mjs";
const { ASKED = "as before" } = process.env;
test("says hello", async ({ cassette }) => {
  expect(await ask(await cassette(live("Hello.")), "Say hello.")).toBe("Hello.");
});
test("is asked something else", async ({ cassette }) => {
  await ask(await cassette(live("Fine.")), "How are you, " + ASKED + "?");
});
test("ends sooner", async ({ cassette }) => {
  const handle = await cassette(live("One.", "Two."));
  await ask(handle, "Count.");
  if (ASKED === "as before") await ask(handle, "Go on.");
});
`;

let project: VitestProject;
let served: ServedUi;
beforeEach(async () => {
  project = vitestProject({ "say.test.mjs": TESTS });
  served = await serveUi(project.folder);
});
afterEach(async () => {
  await served.stop();
  project.remove();
});

/** Runs without blocking this process, which serves the page. */
function run(args: readonly string[], given: Readonly<Record<string, string>>): Promise<number | null> {
  const { CI, CASSETTE_MODE, CASSETTE_DIR, VITEST, VITEST_WORKER_ID, VITEST_POOL_ID, NODE_ENV, ...rest } = process.env;
  const child = spawn(process.execPath, args, { cwd: project.folder, env: { ...rest, ...given }, stdio: "ignore" });
  return new Promise((resolve) => child.on("close", resolve));
}

describeInBrowser("cassette ui while tests run", (open) => {
  it(
    "shows the recordings of Vitest, and then its failed replays, without a reload",
    { timeout: 180_000 },
    async () => {
      const { page, complaints } = await open(served.url);
      const rows = page.locator("#items > li");
      await expect.poll(() => page.locator("#live").innerText()).toBe("Live");
      await page.evaluate("window.same = true");
      expect(await run([vitestBin, "run"], { CASSETTE_MODE: "record" })).toBe(0);
      await expect
        .poll(() => rows.allInnerTexts())
        .toEqual([1, 2, 3].map(() => expect.stringContaining("passed") as string));
      const replay = [cassetteBin, "replay", "--", process.execPath, vitestBin, "run"];
      const CASSETTE_LEDGER = join(project.folder, "ledger.jsonl");
      expect(await run(replay, { ASKED: "stranger", CASSETTE_LEDGER })).toBe(1);
      const failed = page.locator("#items > li", { hasText: "failed replay" });
      await expect.poll(() => failed.count()).toBe(2);
      const texts = (await failed.allInnerTexts()).sort();
      expect(texts[0]).toMatch(/ends-sooner[^]*unconsumed/);
      expect(texts[1]).toMatch(/is-asked-something-else[^]*prompt-changed/);
      expect(await run(replay, { CASSETTE_LEDGER })).toBe(0);
      await expect.poll(() => failed.count()).toBe(0);
      expect(await page.evaluate("window.same")).toBe(true);
      expect(complaints).toEqual([]);
    },
  );
});
