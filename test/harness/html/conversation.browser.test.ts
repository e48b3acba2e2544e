import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import { toConversationPage } from "../../../src/harness/html/conversation-page.js";
import { describeInBrowser, findBarriers } from "../../support/browser.js";
import { recordRun } from "../../support/drifting-runs.js";

const folder = mkdtempSync(join(tmpdir(), "playhead-page-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "page.html");
writeFileSync(file, toConversationPage(recordRun(["find_user", "get_order", "refund"], 1), { title: "run" }).text);
const address = pathToFileURL(file).href;
const FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))";

describeInBrowser("the page of a cassette in a browser", (open) => {
  it("moves from turn to turn by keys, and opens what a turn holds", async () => {
    const { page } = await open(address);
    const focused = () => page.evaluate<string>("document.activeElement.id");
    await page.keyboard.press("j");
    const first = await focused();
    await page.keyboard.press("j");
    expect(await focused()).not.toBe(first);
    expect(await focused()).toMatch(/^turn-\d$/);
    const call = page.locator(`#${await focused()} details.call`).first();
    expect(await call.getAttribute("open")).toBeNull();
    await page.keyboard.press("o");
    expect(await call.getAttribute("open")).toBe("");
    await page.keyboard.press("k");
    expect(await focused()).toBe(first);
  });

  it("stays at the turn gone to where the window has room for all of them", async () => {
    const { page } = await open(address, { viewport: { width: 1300, height: 3000 } });
    for (let press = 0; press < 3; press++) await page.keyboard.press("j");
    for (const height of [2000, 1400, 3000]) {
      await page.setViewportSize({ width: 1300, height });
      await page.evaluate(FRAMES);
      const focused = await page.evaluate<string>("document.activeElement.id");
      expect(await page.locator(".rail a[aria-current]").getAttribute("href")).toBe(`#${focused}`);
    }
  });

  it("knows the turn at the top once the reader scrolls", async () => {
    const { page } = await open(address, { viewport: { width: 1300, height: 300 } });
    const marked = () => page.locator(".rail a[aria-current]").getAttribute("href");
    await page.keyboard.press("j");
    await page.evaluate(FRAMES);
    const first = await marked();
    await page.mouse.move(650, 200);
    await page.mouse.wheel(0, 100_000);
    await expect.poll(marked).not.toBe(first);
  });

  it("shows the turns that hold some words", async () => {
    const { page } = await open(address);
    await page.keyboard.press("/");
    await page.keyboard.type("get_order");
    await expect.poll(() => page.locator("#found").innerText()).toMatch(/^\d of 4 turns$/);
    expect(await page.locator(".turn[id]:visible").count()).toBeLessThan(4);
    await page.keyboard.press("Escape");
    expect(await page.locator(".turn[id]:visible").count()).toBe(4);
  });

  it.each(["light", "dark"] as const)(
    "has no barrier in %s, complains of nothing and asks for nothing",
    async (colorScheme) => {
      const { page, complaints, requests } = await open(address, { colorScheme });
      await page.evaluate('for (const fold of document.querySelectorAll("details")) fold.open = true');
      expect(await findBarriers(page)).toEqual([]);
      expect(complaints).toEqual([]);
      expect(requests).toEqual([address]);
    },
  );

  it("fits a narrow screen", async () => {
    const { page } = await open(address, { viewport: { width: 400, height: 800 } });
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  });
});
