import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import { htmlReport } from "../../../../src/harness/reports/html/report-page.js";
import { describeInBrowser, findBarriers } from "../../../support/browser.js";
import { edit, gateReport, outcomes, richReport, scenario, turn } from "../../../support/gate-report.js";

const folder = mkdtempSync(join(tmpdir(), "playhead-report-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "report.html");
writeFileSync(file, htmlReport(richReport()));
const address = pathToFileURL(file).href;

/** The worst scenario's typical runs do not differ; the next one's do. Both have wide tables. */
const alike = join(folder, "alike.html");
const removed = edit("a", { kind: "removed", tool: "find", oldTurn: 0, arguments: {} });
const wide = {
  outcome: outcomes(9, 2, 12, 0.001),
  paths: [{ label: "A", steps: [["find_user_by_its_longest_name"]], base: 12, candidate: 12 }],
};
writeFileSync(
  alike,
  htmlReport(
    gateReport([
      scenario("a", "drift", {
        edits: [removed],
        firstDivergence: 0,
        timeline: [{ base: turn(0, { calls: [{ name: "find", arguments: {} }] }), edits: [0] }],
      }),
      scenario("b", "regression", wide),
    ]),
  ),
);

const focused = (page: Page) => page.evaluate<string>("document.activeElement.id");
/** What an expression gives for each element; it calls the element `each`. */
const each = <Value>(page: Page, selector: string, expression: string) =>
  page.evaluate<Value[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => ${expression})`);
const shown = (page: Page) => each<string>(page, ".scenario:not([hidden]) h3", "each.textContent");
const isInView = async (page: Page, selector: string) => {
  await page.locator(selector).first().waitFor();
  return page.evaluate<boolean>(
    `(() => { const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return box.bottom > 0 && box.top < innerHeight; })()`,
  );
};

describeInBrowser("the page of a drift report in a browser", (open) => {
  it("says the verdict and the first divergence on the first screen, and shows it by one click", async () => {
    const { page } = await open(address);
    expect(await page.locator("h1").innerText()).toContain("Regression");
    expect(await isInView(page, "#head-divergence")).toBe(true);
    expect(await page.locator("#head-divergence").innerText()).toContain("get_order");
    await page.locator("#head-divergence a").click();
    expect(await focused(page)).toBe("scenario-1-row-4");
    expect(await isInView(page, ".pair.current")).toBe(true);
    expect(await page.locator(".pair.current .first-mark").innerText()).toBe("First divergence");
    expect(await page.locator(".pair.current details.call").first().getAttribute("open")).toBe("");
  });

  it("goes to the next and the previous difference, and from scenario to scenario, by keys", async () => {
    const { page } = await open(address);
    await page.keyboard.press("n");
    expect(await focused(page)).toBe("scenario-1-row-4");
    await page.keyboard.press("n");
    expect(await focused(page)).toBe("scenario-1-row-5");
    expect(await page.locator("#found").innerText()).toBe("difference 2 of 8");
    await page.keyboard.press("p");
    expect(await focused(page)).toBe("scenario-1-row-4");
    await page.keyboard.press("j");
    expect(await focused(page)).toBe("scenario-2");
    expect(await page.locator(".rail [aria-current]").innerText()).toContain("airline/7");
    await page.keyboard.press("n");
    expect(await focused(page)).toBe("scenario-2-row-0");
    await page.keyboard.press("k");
    expect(await focused(page)).toBe("scenario-1");
    for (let press = 0; press < 20; press++) await page.keyboard.press("n");
    expect(await page.locator("#found").innerText()).toBe("difference 8 of 8");
  });

  it("goes by keys where the box at the top goes, though the typical runs there do not differ", async () => {
    const { page } = await open(pathToFileURL(alike).href);
    expect(await page.locator("#head-divergence code").innerText()).toBe("b");
    await page.locator("#head-divergence a").click();
    expect(await focused(page)).toBe("scenario-1");
    const { page: fresh } = await open(pathToFileURL(alike).href);
    await fresh.keyboard.press("n");
    expect(await focused(fresh)).toBe("scenario-1");
    await fresh.keyboard.press("n");
    expect(await focused(fresh)).toBe("scenario-2-row-0");
  });

  it("goes by keys and by a click to the scenario of a metric, though it is the same", async () => {
    const known = (mean: number) => ({ runs: 4, unknown: 0, total: 4 * mean, mean });
    const grown = {
      metric: "turns" as const,
      unit: "turns" as const,
      base: known(4),
      candidate: known(6),
      difference: { value: 2 },
      level: 0.95,
    };
    const report = gateReport([scenario("a", "same"), scenario("b", "same", { metrics: [grown] })], {
      verdict: "regression",
      reason: "the number of turns rose",
      metrics: { all: [{ ...grown, verdict: "regression" }], correction: "", unpriced: [] },
    });
    expect(report.headline).toMatchObject({ kind: "metric", scenario: "b", base: "4", candidate: "6" });
    const dearer = join(folder, "dearer.html");
    writeFileSync(dearer, htmlReport(report));
    const { page } = await open(pathToFileURL(dearer).href);
    expect(await page.locator("#head-divergence code").innerText()).toBe("b");
    await page.locator("#head-divergence a").click();
    expect(await focused(page)).toBe("scenario-1");
    expect(await page.locator("#scenario-1 h3").innerText()).toBe("b");
    const { page: fresh } = await open(pathToFileURL(dearer).href);
    await fresh.keyboard.press("n");
    expect(await focused(fresh)).toBe("scenario-1");
  });

  it("cuts no table at the edge of a narrow screen", async () => {
    for (const file of [address, pathToFileURL(alike).href]) {
      const { page } = await open(file, { viewport: { width: 390, height: 800 } });
      await page.evaluate('for (const fold of document.querySelectorAll("details")) fold.open = true');
      const over = await each<number>(page, ".table", "each.scrollWidth - each.clientWidth");
      expect(over.length).toBeGreaterThan(1);
      expect(over.filter((pixels) => pixels > 0)).toEqual([]);
    }
  });

  it("shows the scenarios of one verdict, or those that hold some words", async () => {
    const { page } = await open(address);
    await page.locator('button[data-verdict="drift"]').click();
    expect(await shown(page)).toHaveLength(2);
    expect(await page.locator('button[data-verdict="drift"]').getAttribute("aria-pressed")).toBe("true");
    expect(await page.locator("#found").innerText()).toBe("2 of 5 scenarios");
    await page.locator('button[data-verdict=""]').click();
    await page.keyboard.press("/");
    expect(await focused(page)).toBe("find");
    await page.keyboard.type("GET_IBAN");
    await page.keyboard.press("Enter");
    expect(await shown(page)).toEqual(["banking/3"]);
    await page.keyboard.press("n");
    expect(await focused(page)).toBe("scenario-4-row-1");
    await page.keyboard.press("/");
    await page.keyboard.type("no such words");
    await page.keyboard.press("Enter");
    expect(await page.locator(".nothing").isVisible()).toBe(true);
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    expect(await shown(page)).toHaveLength(5);
  });

  it("opens at an address, even in what is folded or filtered away", async () => {
    const { page } = await open(`${address}#scenario-5-row-3`);
    expect(await focused(page)).toBe("scenario-5-row-3");
    expect(await page.locator("#scenario-5-row-3").isVisible()).toBe(true);
    await page.locator('button[data-verdict="regression"]').click();
    await page.evaluate('location.hash = "#scenario-4-row-1"');
    await page.locator("#scenario-4-row-1").waitFor({ state: "visible" });
    expect(await shown(page)).toHaveLength(5);
  });

  it("marks the changed arguments on both sides, by more than colour", async () => {
    const { page } = await open(address);
    await page.keyboard.press("n");
    await page.keyboard.press("n");
    const marks = page.locator(".pair.current mark");
    expect(await marks.allInnerTexts()).toEqual(['"no longer needed"', "2", '"ordered by mistake"', "1"]);
    const lines = await each(page, ".pair.current mark", "getComputedStyle(each).textDecorationLine");
    expect(lines).toEqual(["underline", "underline", "underline", "underline"]);
    expect(await page.locator(".pair.current .flag").allInnerTexts()).toEqual(["≠", "≠"]);
  });

  it("puts the sides next to each other if there is room, and below each other otherwise", async () => {
    for (const [width, isBeside] of [
      [1300, true],
      [400, false],
    ] as const) {
      const { page } = await open(address, { viewport: { width, height: 800 } });
      await page.keyboard.press("n");
      await page.keyboard.press("n");
      const places = await each<{ x: number; y: number }>(
        page,
        ".current .side",
        "each.getBoundingClientRect().toJSON()",
      );
      const [left, right] = places;
      expect((right?.x ?? 0) > (left?.x ?? 0)).toBe(isBeside);
      expect((right?.y ?? 0) > (left?.y ?? 0)).toBe(!isBeside);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    }
  });

  it.each(["light", "dark"] as const)(
    "has no barrier in %s, complains of nothing and asks for nothing",
    async (colorScheme) => {
      const { page, complaints, requests } = await open(address, { colorScheme });
      for (const key of ["n", "o", "j", "o"]) await page.keyboard.press(key);
      await page.evaluate('for (const fold of document.querySelectorAll("details")) fold.open = true');
      expect(await findBarriers(page)).toEqual([]);
      expect(complaints).toEqual([]);
      expect(requests).toEqual([address]);
      const ground = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
      expect(ground).toBe(colorScheme === "light" ? "rgb(250, 249, 247)" : "rgb(20, 22, 26)");
    },
  );

  it("runs no script but its own", async () => {
    const { page, complaints } = await open(address);
    await page.evaluate(
      'document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=\'document.title = `broken`\'>")',
    );
    await expect.poll(() => complaints.length).toBeGreaterThan(0);
    expect(complaints.join("\n")).toContain("Content Security Policy");
    expect(await page.title()).not.toBe("broken");
  });

  it("is whole on paper: every scenario and both timelines", async () => {
    const { page } = await open(address);
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".bar").isVisible()).toBe(false);
    expect(await page.locator("#scenario-5-row-3").isVisible()).toBe(true);
  });
});
