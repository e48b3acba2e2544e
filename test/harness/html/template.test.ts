import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { html, shown, trusted, type Child } from "../../../src/harness/html/template.js";
import { all, one, parsePage } from "../../support/page.js";

describe("html", () => {
  it("escapes what is put into text and into attributes", () => {
    const text = `</script><img src=x onerror="a('b')">&amp;`;
    expect(html`<p title="${text}">${text}</p>`.toString()).toBe(
      '<p title="&lt;/script&gt;&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;amp;">' +
        "&lt;/script&gt;&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;amp;</p>",
    );
  });

  it("takes markup, lists and numbers, and leaves out what is not there", () => {
    const items: Child = ["a", undefined, false, html`<b>${1}</b>`, [trusted("<i></i>")]];
    expect(html`<p>${items}</p>`.toString()).toBe("<p>a<b>1</b><i></i></p>");
  });

  it("puts no markup into a title, which is text alone", () => {
    expect(html`<title>${"we\u200bird <b>"}</title>`.toString()).toBe("<title>we\\u200bird &lt;b&gt;</title>");
  });

  it("makes visible what cannot be seen, and keeps line breaks in shown text alone", () => {
    expect(html`<p title="${"a\u202eb\n"}">${"a\u202e\0"}</p>`.toString()).toBe(
      '<p title="a\\u202eb\\n">a<span class="sign">\\u202e</span><span class="sign">\\u0000</span></p>',
    );
    expect(shown("a\r\n\tb\u200b").toString()).toBe('a\n\tb<span class="sign">\\u200b</span>');
  });

  it.each([
    "#turn-1",
    "?",
    "./drift.2.html",
    "./a%2Fb.html",
    "?file=a%20b&miss=c#turn-1",
    "data:image/png;base64,AAAA",
    "data:image/webp;base64,AA==",
  ])("takes the address %s", (address) => {
    expect(html`<a href="${address}">x</a>`.toString()).toContain(`href="${address}"`);
  });

  it.each([
    "javascript:alert(1)",
    "https://example.com/",
    "//example.com",
    "page.html",
    "",
    "#",
    "# x",
    "data:text/html;base64,AAAA",
    "data:image/svg+xml;base64,AAAA",
    'data:image/png;base64,AAAA" onerror="x',
    "?file=a b",
    '?file="x',
    "?file=a/../b",
    "?a=1#",
    "?next=https://example.com",
    "./../page.html",
    ".//example.com/page.html",
    "./page.js",
    " ?file=a",
  ])("refuses the address %j", (address) => {
    expect(() => html`<a href="${address}">x</a>`).toThrow(TypeError);
  });

  it("refuses a value anywhere but in text and in a quoted attribute", () => {
    expect(() => html`<p ${"hidden"}></p>`).toThrow(TypeError);
    expect(() => html`<p title=${"a"}></p>`).toThrow(TypeError);
    expect(() => html`<p onclick="${"a"}"></p>`).toThrow(TypeError);
    expect(() => html`<p style="${"a"}"></p>`).toThrow(TypeError);
    expect(() => html`<img srcset="${"#a"}" />`).toThrow(TypeError);
    expect(() => html`<p title="${html`<b></b>`}"></p>`).toThrow(TypeError);
  });

  it("gives back the very text when it is parsed again, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const seen = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu, "");
        const { body } = parsePage(html`<p title="${seen}">${seen}</p>`.toString());
        const element = one(body, "*");
        expect(body.childNodes.length).toBe(1);
        expect([element.textContent, element.getAttribute("title")]).toEqual([seen, seen]);
      }),
    );
  });

  it("never lets a text open an element, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { body } = parsePage(html`<p title="${text}">${text}</p>`.toString());
        expect(all(body, "*").every(({ tagName }) => ["P", "SPAN"].includes(tagName))).toBe(true);
        expect(one(body, "p").attributes.length).toBe(1);
      }),
      { numRuns: 50 },
    );
  });
});
