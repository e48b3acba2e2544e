// The shell of every page we write: one file without network requests. Its Content-Security-Policy (CSP3) allows only our script
// and style, by their SHA-256. Injected markup would do nothing.

import { fromHex, sha256Hex, toBase64 } from "../../core/index.js";
import { html, trusted, type Html } from "./template.js";

/** Writes the text of the file. `style` and `script` must be our own constants. The same page gives the same bytes. */
export function toPage(page: { title: string; style: string; script: string; body: Html }): string {
  const { title, style, script, body } = page;
  const policy = [
    "default-src 'none'",
    "img-src data:",
    `style-src '${digest(style)}'`,
    `script-src '${digest(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const markup = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        ${element("style", style)}
      </head>
      <body>
        ${body} ${element("script", script)}
      </body>
    </html>`;
  return `${markup.toString()}\n`;
}

/** Not a template, because a formatter might add white space and the policy covers the exact text. */
function element(name: "style" | "script", text: string): Html {
  return trusted(`<${name}>${text}</${name}>`);
}

/** A hash source for the policy: the base64 digest of the element's text. */
function digest(text: string): string {
  return `sha256-${toBase64(fromHex(sha256Hex(text)) ?? new Uint8Array())}`;
}
