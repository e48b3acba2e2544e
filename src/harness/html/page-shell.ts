// The shell of every page we write: one file without network requests. Its Content-Security-Policy (CSP3) allows only our scripts
// and styles, by their SHA-256. Injected markup would do nothing. A page that a server sends also has a frame.

import { fromHex, sha256Hex, toBase64 } from "../../core/index.js";
import { html, trusted, type Html } from "./template.js";

/** What a server adds to a page: a bar above it, and our own constants for its style and script. */
export interface PageFrame {
  bar: Html;
  style: string;
  script: string;
}

export interface Page {
  title: string;
  style: string;
  script: string;
  body: Html;
  /** Lets the page send requests to the server that it came from. */
  frame?: PageFrame | undefined;
}

/** Writes the text of the file. Styles and scripts must be our own constants. The same page gives the same bytes. */
export function toPage({ title, style, script, body, frame }: Page): string {
  const styles = [style, ...(frame === undefined ? [] : [frame.style])];
  const scripts = [script, ...(frame === undefined ? [] : [frame.script])].filter((text) => text !== "");
  const policy = toPolicy(styles, scripts, frame !== undefined);
  const markup = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        ${styles.map((text) => element("style", text))}
      </head>
      <body>
        ${frame?.bar} ${body} ${scripts.map((text) => element("script", text))}
      </body>
    </html>`;
  return `${markup.toString()}\n`;
}

/** The policy of a page with these styles and scripts, and of no others. */
export function toPolicy(styles: readonly string[], scripts: readonly string[], isServed: boolean): string {
  return [
    "default-src 'none'",
    "img-src data:",
    `style-src ${styles.map(digest).join(" ")}`,
    `script-src ${scripts.map(digest).join(" ")}`,
    ...(isServed ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Not a template, because a formatter might add white space and the policy covers the exact text. */
function element(name: "style" | "script", text: string): Html {
  return trusted(`<${name}>${text}</${name}>`);
}

/** A hash source for the policy: the base64 digest of the element's text. */
function digest(text: string): string {
  return `'sha256-${toBase64(fromHex(sha256Hex(text)) ?? new Uint8Array())}'`;
}
