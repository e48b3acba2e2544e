// The shell of every page we write: one file that asks for nothing from outside. Its Content-Security-Policy (CSP3) names our
// script and our style by their SHA-256 and allows nothing else, so that markup that slipped through would still do nothing.

import { fromHex, sha256Hex, toBase64 } from "../../core/index.js";
import { html, trusted, type Html } from "./template.js";

/** The text of the file. `style` and `script` are constants of ours. The same page gives the same bytes. */
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

/** Not a template: a formatter may add white space to one, and the policy names the text to the letter. */
function element(name: "style" | "script", text: string): Html {
  return trusted(`<${name}>${text}</${name}>`);
}

/** A hash source of a policy: the digest of the element's text in base64. */
function digest(text: string): string {
  return `sha256-${toBase64(fromHex(sha256Hex(text)) ?? new Uint8Array())}`;
}
