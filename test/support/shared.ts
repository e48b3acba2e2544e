// Real data next to the repository, which is never committed. If the folder is absent, a test that needs it is skipped
// with a message. With PLAYHEAD_REQUIRE_DATA=1, as in CI, it fails instead.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

export const sharedRoot = fileURLToPath(new URL("../../../shared/", import.meta.url));
export const hasShared = existsSync(sharedRoot);

if (!hasShared) {
  const say = `real data is absent (${sharedRoot}): the tests that need it`;
  if (process.env["PLAYHEAD_REQUIRE_DATA"] === "1") throw new Error(`${say} cannot run`);
  console.warn(`${say} are skipped`);
}

export function sharedPath(path: string): string {
  return `${sharedRoot}${path}`;
}

/** The text of a file below the shared folder, unpacked if its name ends in .gz. */
export function readShared(path: string): string {
  const bytes = readFileSync(sharedPath(path));
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
}

/** The records of a .jsonl or .jsonl.gz file below the shared folder. */
export function readSharedLines<T>(path: string): T[] {
  return readShared(path)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}
