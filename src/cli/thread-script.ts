// Where the script of a command's threads lies. A path relative to the file that asks would change with how the package was built,
// so package.json names the scripts, as it names the doors.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** The compiled `src/cli/<command>/thread.ts`. */
export function threadScript(command: "verify" | "diff"): URL {
  return pathToFileURL(createRequire(import.meta.url).resolve(`#threads/${command}`));
}
