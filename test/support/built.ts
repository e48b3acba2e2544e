// The compiled package, for tests that start real processes. `npm test` compiles before it tests.

import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

export const repositoryRoot = fileURLToPath(new URL("../../", import.meta.url));
export const cassetteBin = `${repositoryRoot}dist/cli/bin.js`;

/** Throws if there is no compiled package. The error says what to do. */
export function assertBuilt(): void {
  if (!existsSync(`${repositoryRoot}dist/.built`)) throw new Error("dist is missing: run `npm run build` first");
}

/** The modules that a file of `dist` was made of, such as `cli/main.js`. */
export function modulesIn(file: string): string[] {
  const made = JSON.parse(readFileSync(compiledModule("files.json"), "utf8")) as Record<string, string[]>;
  const modules = made[relative(`${repositoryRoot}dist`, file).replaceAll("\\", "/")];
  if (modules === undefined) throw new Error(`${file} is no file that the build made`);
  return modules;
}

/** A module as tsc compiled it, such as `cli/child/spawn.js`, for tests of code that the package does not export. */
export const compiledModule = (path: string): string => `${repositoryRoot}.playhead/modules/${path}`;
