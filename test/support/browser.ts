// Debian's Chromium for the tests of pages. If it is absent, these tests are skipped with a message. With
// PLAYHEAD_REQUIRE_BROWSER=1 they fail instead.

import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";

const EXECUTABLE = process.env["PLAYHEAD_CHROMIUM"] ?? "/usr/bin/chromium";
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A page that keeps its complaints and its requests. */
export interface OpenPage {
  page: Page;
  /** Console messages, exceptions and violations of the policy. */
  complaints: string[];
  /** The requested addresses, including the page's own. */
  requests: string[];
}

export type OpenFile = (address: string, options?: BrowserContextOptions) => Promise<OpenPage>;

/** A `describe` whose tests have a browser. */
export function describeInBrowser(name: string, body: (open: OpenFile) => void): void {
  if (!existsSync(EXECUTABLE)) {
    if (process.env["PLAYHEAD_REQUIRE_BROWSER"] === "1")
      throw new Error(`PLAYHEAD_REQUIRE_BROWSER=1, and no ${EXECUTABLE}`);
    process.stderr.write(`skipped: ${name}, since ${EXECUTABLE} is absent\n`);
    describe.skip(name, () => body(() => Promise.reject(new Error("no browser"))));
    return;
  }
  describe(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
    }, 120_000);
    afterAll(() => browser?.close());
    body(async (address, options = {}) => {
      const context = await (browser as Browser).newContext({ viewport: { width: 1300, height: 850 }, ...options });
      const page = await context.newPage();
      const [complaints, requests]: [string[], string[]] = [[], []];
      page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => requests.push(request.url()));
      await page.goto(address);
      return { page, complaints, requests };
    });
  });
}

/**
 * Accessibility defects of a page, as sentences: controls without a name, labels without a target, repeated ids, skipped levels of
 * headings, and text with less contrast than 4.5:1 (WCAG 2.2, 1.4.3).
 */
export async function findBarriers(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const found = [];
    const all = (selector) => [...document.querySelectorAll(selector)];
    const nameOf = (element) => element.getAttribute("aria-label")
      ?? (element.getAttribute("aria-labelledby") && document.getElementById(element.getAttribute("aria-labelledby"))?.textContent)
      ?? (element.labels?.length ? element.labels[0].textContent : element.textContent);
    for (const control of all("a, button, input, summary, nav, [role]")) {
      if (!(nameOf(control) ?? "").trim()) found.push("no name: " + control.outerHTML.slice(0, 80));
    }
    const ids = new Set();
    for (const { id } of all("[id]")) ids.has(id) ? found.push("id twice: " + id) : ids.add(id);
    for (const attribute of ["aria-labelledby", "for"]) {
      for (const element of all("[" + attribute + "]")) {
        if (!ids.has(element.getAttribute(attribute))) found.push(attribute + " leads nowhere: " + element.getAttribute(attribute));
      }
    }
    for (const link of all('a[href^="#"]')) if (!ids.has(link.hash.slice(1))) found.push("link leads nowhere: " + link.hash);
    if (all("main").length !== 1) found.push("main is there " + all("main").length + " times");
    if (all("h1").length !== 1) found.push("h1 is there " + all("h1").length + " times");
    let level = 1;
    for (const heading of all("h1, h2, h3, h4, h5, h6")) {
      const next = Number(heading.tagName[1]);
      if (next > level + 1) found.push("h" + next + " after h" + level + ": " + heading.textContent.slice(0, 40));
      level = next;
    }
    const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const ground = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = parse(getComputedStyle(at).backgroundColor);
        if (colour.length < 4 || colour[3] === 1) return colour;
      }
      return [255, 255, 255];
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const seen = new Set();
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (seen.has(element) || !walker.currentNode.data.trim() || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
      seen.add(element);
      if (!element.checkVisibility()) continue;
      const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      if (ratio < 4.5) found.push("contrast " + ratio.toFixed(2) + ": " + walker.currentNode.data.trim().slice(0, 40));
    }
    return found;
  })()`);
}
