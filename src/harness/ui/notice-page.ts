// A page for what cannot be shown: a damaged recording, a file that is gone, or an address that leaves the folder.

import type { PageFrame } from "../html/page-shell.js";
import { html } from "../html/template.js";
import { preview } from "../html/text-view.js";
import { plainBody, toServedPage } from "./frame.js";

export interface Notice {
  readonly title: string;
  /** What happened, with the value. */
  readonly what: string;
  readonly hint?: string | undefined;
  readonly code?: string | undefined;
  readonly file?: string | undefined;
  readonly pointer?: string | undefined;
}

export function toNoticePage({ title, what, hint, code, file, pointer }: Notice, frame: PageFrame): string {
  const head = html`${file !== undefined && html`<p class="sides-named"><code>${preview(file, 200)}</code></p>`}
    <h1 class="verdict-line regression"><span class="sign-big" aria-hidden="true">!</span> ${title}</h1>
    <p class="reason">${preview(what, 4_000)}</p>
    ${hint !== undefined && html`<p class="callout"><strong>What to do:</strong> ${preview(hint, 2_000)}</p>`}
    ${
      (code !== undefined || pointer !== undefined) &&
      html`<p class="note">
        ${code !== undefined && html`<code>${preview(code, 80)}</code>`}${
          pointer !== undefined && html` at <code>${preview(pointer, 300)}</code>`
        }
      </p>`
    }`;
  return toServedPage(title, plainBody(head, undefined), frame);
}
