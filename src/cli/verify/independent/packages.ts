// The packages that compute everything here, with the versions that are installed.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** What each package is entered by, since not every one lets its package.json be imported. */
const ENTRIES = {
  "json-canonicalize": "json-canonicalize",
  "@noble/hashes": "@noble/hashes/sha2.js",
  "@noble/ed25519": "@noble/ed25519",
};

/** The installed version of each package, by name. */
export function packageVersions(): Record<string, string> {
  const require = createRequire(import.meta.url);
  const versions = Object.entries(ENTRIES).map(([name, entry]) => {
    const path = require.resolve(entry).replaceAll("\\", "/");
    const folder = path.slice(0, path.lastIndexOf(`/${name}/`) + name.length + 2);
    const { version } = JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as { version: string };
    return [name, version];
  });
  return Object.fromEntries(versions) as Record<string, string>;
}
