// One folder for every temporary file of a run of the tests, also of the processes they start. It is deleted at the end.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const PREFIX = "playhead-tests-";

/** Vitest calls this once for each project. */
export default function setup(): (() => void) | undefined {
  if (basename(tmpdir()).startsWith(PREFIX)) return undefined;
  const root = mkdtempSync(join(tmpdir(), PREFIX));
  for (const name of ["TMPDIR", "TMP", "TEMP"]) process.env[name] = root;
  return () => rmSync(root, { recursive: true, force: true });
}
