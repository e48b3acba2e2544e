// Finds the script of a command's threads. package.json names the scripts, because a relative path would depend on the build.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** The compiled `src/cli/<command>/thread.ts`. */
export function threadScript(command: "verify" | "diff"): URL {
  return pathToFileURL(createRequire(import.meta.url).resolve(`#threads/${command}`));
}
