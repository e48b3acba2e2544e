// One folder for every temporary file of a run of the tests, also of the processes they start. It is deleted at the end.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setup(): () => void {
  const root = mkdtempSync(join(tmpdir(), "playhead-tests-"));
  for (const name of ["TMPDIR", "TMP", "TEMP"]) process.env[name] = root;
  return () => rmSync(root, { recursive: true, force: true });
}
