// Converts pages to Markdown with turndown. Its regular expressions take quadratic time for white space and cannot be interrupted. So it
// runs in its own thread, which ends at the timeout or when the signal fires.

import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { MAX_HTML_CONVERT_MIB, MAX_HTML_CONVERT_MS } from "../limits.js";
import { VerbError } from "./error.js";

/** A string instead of a file, so that it runs the same from the sources and from the build. */
const CONVERT = `
const { parentPort, workerData } = require("node:worker_threads");
const Turndown = require(workerData.turndown);
const root = require(workerData.domino).createDocument("").createElement("div");
root.innerHTML = workerData.html;
const converter = new Turndown({
  headingStyle: "atx",
  codeBlockStyle: "fenced",
  bulletListMarker: "-",
  hr: "---",
  blankReplacement: (_content, { isBlock }) => (isBlock ? "\\n\\n" : ""),
});
parentPort.postMessage(converter.turndown(root));
`;

/** Rejects with `VerbError` `content` for a page that takes too much time or memory, or with the signal's reason. */
export async function toMarkdown(html: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const { resolve: pathOf } = createRequire(import.meta.url);
  const paths = { turndown: pathOf("turndown"), domino: pathOf("@mixmark-io/domino") };
  const worker = new Worker(CONVERT, {
    eval: true,
    workerData: { ...paths, html },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HTML_CONVERT_MIB },
    execArgv: [],
    env: {},
  });
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      onAbort = () => reject(signal.reason as Error);
      signal.addEventListener("abort", onAbort, { once: true });
      timer = setTimeout(() => reject(tooMuch()), MAX_HTML_CONVERT_MS);
      worker.on("message", (markdown) => resolve(markdown as string));
      worker.on("error", (error) => reject(tooMuch(error)));
      worker.on("exit", () => reject(tooMuch()));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
}

export function tooMuch(cause?: unknown): VerbError {
  return new VerbError("content", "the page is too complicated for Markdown. Read it as text", cause);
}
