// The compiled package, for tests that start real processes. `npm test` compiles before it tests.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const repositoryRoot = fileURLToPath(new URL("../../", import.meta.url));
export const cassetteBin = `${repositoryRoot}dist/cli/bin.js`;

/** Throws, saying what to do, when there is no compiled package. */
export function assertBuilt(): void {
  if (!existsSync(`${repositoryRoot}dist/.built`)) throw new Error("dist is missing: run `npm run build` first");
}
