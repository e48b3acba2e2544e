// The bar that `cassette ui` puts above every page, and the policy of all its pages.

import { toPage, toPolicy, type PageFrame } from "../html/page-shell.js";
import { CONVERSATION_SCRIPT } from "../html/script.js";
import { CONVERSATION_STYLE } from "../html/style/conversation.js";
import { PAGE_STYLE } from "../html/style/page.js";
import { html, type Child, type Html } from "../html/template.js";
import { preview } from "../html/text-view.js";
import { REPORT_SCRIPT } from "../reports/html/script.js";
import { REPORT_STYLE } from "../reports/html/style.js";
import { UI_SCRIPT } from "./script.js";
import { UI_STYLE } from "./style.js";

/** A link in the bar. */
export interface BarLink {
  readonly text: string;
  readonly address: string;
}

/** The bar above a page that shows `files`, with links to related pages. */
export function toFrame(files: readonly string[], links: readonly BarLink[] = []): PageFrame {
  const bar = html`<nav class="ui-bar" aria-label="Folder">
    <a class="back" id="back" href="?">← All files <kbd>u</kbd></a>
    ${files.map((file) => html`<code class="where">${preview(file, 200)}</code> `)}
    ${links.map(({ text, address }) => html`<a href="${address}">${text}</a> `)} ${liveView()}
    <a id="changed" class="fresh-note" href="?" hidden>There are changes. Show them</a>
  </nav>`;
  return { bar, style: UI_STYLE, script: UI_SCRIPT };
}

/** Shows whether the page receives changes. The script fills it. */
export function liveView(): Html {
  return html`<span id="live" class="live" role="status"></span>`;
}

const STYLE = PAGE_STYLE + CONVERSATION_STYLE + REPORT_STYLE;

/** Writes a page of our own views. `isReport` adds the keys of a report. */
export function toServedPage(title: string, body: Html, frame: PageFrame, isReport = false): string {
  return toPage({ title: `${title} · cassette ui`, style: STYLE, script: isReport ? REPORT_SCRIPT : "", body, frame });
}

/** A page without a rail: a head and a list of sections. */
export function plainBody(head: Child, sections: Child): Html {
  return html`<header class="top">${head}</header>
    <div class="layout plain">
      <main id="content" tabindex="-1">${sections}</main>
    </div>`;
}

/**
 * The policy that the server sends with every page. Each page has a narrower one of its own. No page can be put in a frame, and no script
 * can make markup of a text.
 */
export const UI_POLICY = [
  toPolicy([PAGE_STYLE + CONVERSATION_STYLE, STYLE, UI_STYLE], [CONVERSATION_SCRIPT, REPORT_SCRIPT, UI_SCRIPT], true),
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
