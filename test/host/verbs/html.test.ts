// Pages read as text, Markdown and links, and pages made to keep a reader busy.

import { afterEach, describe, expect, it, vi } from "vitest";
import { readPage } from "../../../src/host/verbs/html.js";

afterEach(() => void vi.useRealTimers());

const { signal } = new AbortController();
const read = (html: string, base = "https://site.test/docs/a.html") => readPage(html, new URL(base), signal);

/** Takes turndown seconds: the time grows with the square of the spaces. */
const BUSY = `<pre><b>x${" ".repeat(60_000)}&nbsp;</b></pre>`;

describe("a page", () => {
  it("PLK-10 is text without what a reader does not see", async () => {
    const page = await read(
      `<!doctype html><title> A
       title </title><style>p{}</style><script>alert(1)</script><body>
       <h1>Head</h1><p>One <b>two</b>
       three<!-- no --></p><p hidden>no</p><p style="display: none">no</p><p aria-hidden="true">no</p>
       <noscript>no</noscript><template>no</template><ul><li>a<li>b</ul><pre> x
  y</pre><table><tr><td>1<td>2</table>`,
    );
    expect(page.title).toBe("A title");
    expect(page.text()).toBe("Head\n\nOne two three\n\na\nb\n\n x\n  y\n\n1 2");
  });

  it("PLK-10 is Markdown with absolute links", async () => {
    const page = await read(
      `<h2>Birds</h2><p>See <a href="../b?x=1#y">the <em>list</em></a> and <img src="/i.png" alt="it">.
       <a href="javascript:alert(1)">bad</a></p><ul><li>a</li><li>b</li></ul><pre><code>let x;</code></pre>`,
    );
    expect(await page.markdown()).toBe(
      "## Birds\n\nSee [the _list_](https://site.test/b?x=1#y) and ![it](https://site.test/i.png). bad\n\n" +
        "-   a\n-   b\n\n```\nlet x;\n```",
    );
  });

  it("gives each link once, absolute, with the text that is seen", async () => {
    const page = await read(
      `<base href="/b/"><a href="x">X <span hidden>no</span></a><a href="x">again</a><a href="mailto:a@b">m</a>
       <a href="//other.test/y"> Y
       y</a><div hidden><a href="z">z</a></div>`,
    );
    expect(page.links).toEqual([
      { uri: "https://site.test/b/x", text: "X" },
      { uri: "https://other.test/y", text: "Y y" },
    ]);
  });

  it("is read when it is empty or no page at all", async () => {
    for (const html of ["", "<", "plain", "</p>", "<frameset>"]) {
      const page = await read(html);
      expect([page.title, page.links, typeof page.text(), typeof (await page.markdown())]).toEqual([
        "",
        [],
        "string",
        "string",
      ]);
    }
  });

  it.each([
    ["deep nesting", "<div>".repeat(2_000)],
    ["lists in lists", "<ul><li>".repeat(40)],
    ["formatting that multiplies", Array.from({ length: 300 }, (_, i) => `<b x=${i}>`).join("") + "<p>".repeat(900)],
    ["too many elements", "<br>".repeat(101_000)],
  ])("is refused for %s", async (_name, html) => {
    await expect(read(html)).rejects.toMatchObject({ name: "VerbError", code: "content" });
  });

  it("is refused as Markdown, and not as text, when only the conversion would take too long", async () => {
    const page = await read("<div>".repeat(200) + "<i></i>".repeat(2_000) + "</div>".repeat(200) + "x");
    await expect(page.markdown()).rejects.toMatchObject({ name: "VerbError", code: "content" });
    expect(page.text()).toBe("x");
  });

  it("is left as soon as the signal fires", async () => {
    const controller = new AbortController();
    const reading = readPage("<div>".repeat(5_000), new URL("https://site.test/"), controller.signal);
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
  });

  it("PLK-10 keeps the process free while white space keeps the conversion busy, and is refused when its time is up", async () => {
    const page = await read(BUSY);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let isSettled = false;
    const converting = page.markdown().finally(() => (isSettled = true));
    converting.catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSettled).toBe(false);
    vi.advanceTimersByTime(10_000);
    await expect(converting).rejects.toMatchObject({ name: "VerbError", code: "content" });
    expect(page.text()).toMatch(/^x +\u00a0$/);
  });

  it("PLK-100 is left when the signal fires while white space keeps the conversion busy", async () => {
    const controller = new AbortController();
    const page = await readPage(BUSY, new URL("https://site.test/"), controller.signal);
    const converting = page.markdown();
    setImmediate(() => controller.abort(new Error("enough")));
    await expect(converting).rejects.toThrow("enough");
  });

  it("is Markdown with what its white space says, when the conversion is in time", async () => {
    const page = await read(
      `<p>a</p><pre>\n\n k</pre><pre><code>\n\n  x   y\n</code></pre><pre><b>x${" ".repeat(100)}&nbsp;</b></pre>`,
    );
    expect(await page.markdown()).toMatch(/^a\n\n k\n\n```\n\n\n  x   y\n```\n\n\*\*x\*\*/);
  });
});
