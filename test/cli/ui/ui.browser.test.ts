import { join } from "node:path";
import { rmSync, writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeInBrowser, findBarriers, type OpenFile } from "../../support/browser.js";
import { recordRun } from "../../support/drifting-runs.js";
import { HOSTILE, richReport } from "../../support/gate-report.js";
import { jsonReport } from "../../../src/harness/reports/json.js";
import {
  fillFolder,
  HOSTILE_NAME,
  hostileRun,
  ledgerLine,
  missOf,
  mutantLines,
  serveUi,
  uiFolder,
  type ServedUi,
  type UiFolder,
} from "../../support/ui-folder.js";

let folder: UiFolder;
let served: ServedUi;
beforeEach(async () => {
  folder = uiFolder();
  served = await serveUi(folder.path);
});
afterEach(async () => {
  await served.stop();
  folder.remove();
});

const of = (fields: Record<string, string>) => `?${new URLSearchParams(fields).toString()}`;
const PAIR = of({ old: "shop/refund.cassette.json", new: "shop/refund.failed.cassette.json" });
const MISS = of({ file: "ledger.jsonl", miss: "shop/refund.cassette.json" });
const VIEWS = {
  "the list": "",
  "a conversation": "?file=shop%2Frefund.cassette.json",
  "two side by side": PAIR,
  "a miss": MISS,
  "a verdict": "?file=upgrade.json",
  mutations: "?file=mutants.jsonl",
  "reports over time": "?history=1",
  "a damaged file": "?file=shop%2Fdamaged.cassette.json",
};

const rows = (page: Page) => page.locator("#items > li");
const focused = (page: Page) =>
  page.evaluate<string>(
    "document.activeElement.id || document.activeElement.closest('li')?.querySelector('.name').textContent",
  );

/** The name of the error that a script of the page gets. */
const errorOf = (page: Page, code: string) =>
  page.evaluate<string>(`(() => { try { ${code}; return "none"; } catch (error) { return error.name; } })()`);

async function openList(open: OpenFile, wanted: number) {
  const opened = await open(served.url);
  await expect.poll(() => rows(opened.page).count()).toBe(wanted);
  await expect.poll(() => opened.page.locator("#notes").innerText()).toBe("");
  return opened;
}

describeInBrowser("cassette ui in a browser", (open) => {
  it("shows new recordings, failed runs and misses without a reload", { timeout: 180_000 }, async () => {
    const { page, complaints } = await open(served.url);
    await expect.poll(() => page.locator("#live").innerText()).toBe("Live");
    expect(await page.locator(".empty").innerText()).toContain("no cassettes and no reports yet");
    await page.evaluate("window.same = true");
    folder.write("refund.cassette.json", recordRun(["find_user"], 1, true));
    await expect.poll(() => rows(page).allInnerTexts()).toEqual([expect.stringContaining("passed")]);
    folder.write("refund.failed.cassette.json", recordRun(["find_user"], 2, false));
    folder.write("ledger.jsonl", ledgerLine(missOf("the user message changed"), "refund.cassette.json"));
    await expect.poll(() => rows(page).count()).toBe(3);
    await expect.poll(() => rows(page).first().innerText()).toContain("the user message changed");
    expect(await page.locator("#items > li.fresh").count()).toBe(3);
    writeFileSync(join(folder.path, "ledger.jsonl"), ledgerLine(undefined, "refund.cassette.json"));
    await expect.poll(() => rows(page).count()).toBe(2);
    expect(await page.evaluate("window.same")).toBe(true);
    expect(complaints).toEqual([]);
  });

  it(
    "keeps the focus, the choice and the search of the reader while the folder changes",
    { timeout: 180_000 },
    async () => {
      fillFolder(folder);
      const { page } = await openList(open, 7);
      await page.keyboard.press("/");
      await page.keyboard.type("refund");
      await expect.poll(() => rows(page).count()).toBe(3);
      expect(new URL(page.url()).search).toBe("?q=refund");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("c");
      const before = await focused(page);
      folder.write("refund-2.cassette.json", recordRun(["refund"], 7));
      folder.write("other.cassette.json", "{");
      await expect.poll(() => rows(page).count()).toBe(4);
      expect(await focused(page)).toBe(before);
      expect(await page.locator("#items input:checked").count()).toBe(1);
    },
  );

  it("says on an open page that its file changed, and shows it", { timeout: 180_000 }, async () => {
    fillFolder(folder);
    const { page } = await open(`${served.url}${VIEWS["a conversation"]}`);
    await expect.poll(() => page.locator("#live").innerText()).toBe("Live");
    expect(await page.locator("#changed").isVisible()).toBe(false);
    folder.write("shop/refund.cassette.json", recordRun(["find_user", "refund"], 4));
    await expect.poll(() => page.locator("#changed").isVisible()).toBe(true);
    await page.locator("#changed").click();
    await expect.poll(() => page.locator(".turn[id]").count()).toBe(3);
  });

  it("is used by keys alone: search, move, choose two, compare, and back", { timeout: 180_000 }, async () => {
    fillFolder(folder);
    const { page } = await openList(open, 7);
    await page.keyboard.press("/");
    expect(await focused(page)).toBe("find");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("shop/refund.cassette.json");
    await page.keyboard.press("End");
    expect(await focused(page)).toBe("shop/refund.cassette.json");
    await page.keyboard.press("c");
    expect(await page.locator("#chosen").innerText()).toBe("Choose one more to compare.");
    await page.keyboard.press("ArrowUp");
    expect(await focused(page)).toBe("shop/refund.failed.cassette.json");
    await page.keyboard.press("c");
    await page.keyboard.press("d");
    await page.waitForURL(`**/${PAIR}`);
    await page.keyboard.press("n");
    expect(await page.locator("#found").innerText()).toBe("difference 1 of 1");
    await page.keyboard.press("Escape");
    await page.keyboard.press("u");
    await page.waitForURL(served.url + "?");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/miss=/);
  });

  it("reaches every control by Tab, each with a visible focus", { timeout: 180_000 }, async () => {
    fillFolder(folder);
    const { page } = await openList(open, 7);
    const seen: string[] = [];
    for (let press = 0; press < 40; press++) {
      await page.keyboard.press("Tab");
      const [name, isVisible] = await page.evaluate<[string, boolean]>(`(() => {
        const at = document.activeElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(at);
        const name = at.matches("input[type=checkbox]") ? "box" : at.id || at.className || at.parentElement.id;
        return [name, outlineStyle !== "none" && parseFloat(outlineWidth) >= 2];
      })()`);
      if (name === "" || seen.length > 30) break;
      if (name !== "skip") expect([name, isVisible]).toEqual([name, true]);
      seen.push(name);
    }
    expect(seen.slice(0, 10)).toEqual(["skip", "history", "find", ...Array<string>(6).fill("kinds"), "kinds"]);
    expect(seen).toContain("sort");
    expect(seen.filter((name) => name === "name")).toHaveLength(7);
    expect(seen.filter((name) => name === "box")).toHaveLength(2);
  });

  it.each(Object.entries(VIEWS))(
    "has no barrier in %s, in light and dark, wide and narrow",
    { timeout: 180_000 },
    async (_, query) => {
      fillFolder(folder);
      for (const colorScheme of ["light", "dark"] as const) {
        for (const width of [1400, 390]) {
          const { page, complaints, requests } = await open(served.url + query, {
            colorScheme,
            viewport: { width, height: 850 },
          });
          await expect.poll(() => page.locator("#live").innerText()).toBe("Live");
          await page.evaluate('for (const fold of document.querySelectorAll("details")) fold.open = true');
          expect(await findBarriers(page)).toEqual([]);
          expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
          expect(complaints).toEqual([]);
          expect(requests.filter((address) => !address.startsWith(served.url))).toEqual([]);
          await page.context().close();
        }
      }
    },
  );

  it("runs nothing of hostile names, arguments, answers and reports", { timeout: 120_000 }, async () => {
    const name = `${HOSTILE_NAME}.cassette.json`;
    folder.write(name, hostileRun());
    folder.write("javascript:alert(1).cassette.json", hostileRun());
    folder.write("mutants.jsonl", mutantLines(HOSTILE));
    folder.write("report.json", jsonReport(richReport()));
    folder.write(
      "ledger.jsonl",
      ledgerLine({ ...missOf(HOSTILE), hint: HOSTILE, also: [HOSTILE], pointer: HOSTILE }, name),
    );
    for (const query of [
      "",
      of({ q: `"><script>alert(1)</script>` }),
      of({ file: name }),
      of({ file: "javascript:alert(1).cassette.json" }),
      of({ old: name, new: "javascript:alert(1).cassette.json" }),
      of({ file: "ledger.jsonl", miss: name }),
      "?file=mutants.jsonl",
      "?file=report.json",
      "?history=1",
      of({ file: `<script>alert(1)</script>` }),
    ]) {
      const { page, complaints, requests } = await open(served.url);
      const alerts: string[] = [];
      page.on("dialog", (dialog) => {
        alerts.push(dialog.message());
        void dialog.dismiss();
      });
      complaints.length = 0;
      await page.goto(served.url + query);
      await expect.poll(() => page.locator("#live").innerText()).toBe("Live");
      await page.evaluate('for (const fold of document.querySelectorAll("details")) fold.open = true');
      if (await page.locator("#expand").isVisible()) await page.locator("#expand").click();
      const found = await page.evaluate<unknown[]>(`[
        document.querySelectorAll("img, iframe, object, embed, form, base, [onerror], [onclick]").length,
        [...document.scripts].filter((script) => script.src !== "").length,
        [...document.links].filter((link) => !link.href.startsWith(${JSON.stringify(served.url)})).length,
      ]`);
      expect([query, ...found]).toEqual([query, 0, 0, 0]);
      expect(alerts).toEqual([]);
      expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
      expect(requests.filter((address) => !address.startsWith(served.url))).toEqual([]);
      await page.context().close();
    }
    // A row that appears while the page is open is taken from the answer as it is.
    const { page, complaints } = await openList(open, 5);
    folder.write(`${HOSTILE_NAME}2.cassette.json`, hostileRun());
    await expect.poll(() => rows(page).count()).toBe(6);
    expect(await page.locator("#items img").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("would not run markup or a script that got into a page", { timeout: 180_000 }, async () => {
    fillFolder(folder);
    const { page, complaints } = await openList(open, 7);
    const tries = [
      "document.body.innerHTML += '<img src=x onerror=1>'",
      "document.createElement('img').setAttribute('onerror', 'window.ran = 1')",
      "document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 2' }))",
    ];
    for (const each of tries)
      expect([each, await errorOf(page, each)]).toEqual([each, expect.stringMatching(/Error$/)]);
    await page.evaluate("fetch('https://evil.example/').catch(() => { window.refused = true; })");
    await expect.poll(() => page.evaluate("window.refused")).toBe(true);
    expect(await page.evaluate("window.ran")).toBeUndefined();
    expect(complaints.join("\n")).toContain("Content Security Policy");
  });

  it("says that it lost the server", { timeout: 180_000 }, async () => {
    const { page } = await open(served.url);
    await expect.poll(() => page.locator("#live").innerText()).toBe("Live");
    await served.stop();
    await expect.poll(() => page.locator("#live").innerText()).toContain("Not connected");
    rmSync(folder.path, { recursive: true });
  });
});
