// The command line run inside the test's own process, with what it printed kept.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { runCli } from "../../src/cli/main.js";
import { nodeFiles } from "../../src/host/files.js";
import { afterEachFile } from "../support/hooks.js";
import { assertDocument } from "../support/published-schemas.js";

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export interface RunSettings {
  cwd?: string;
  env?: Record<string, string>;
  isTTY?: boolean;
  stdin?: string;
}

export async function cli(argv: readonly string[], { cwd = folder, env = {}, isTTY = false, stdin }: RunSettings = {}) {
  const ran: Ran = { code: -1, out: "", err: "" };
  ran.code = await runCli(argv, {
    stdout: (text) => void (ran.out += text),
    stderr: (text) => void (ran.err += text),
    env,
    cwd,
    isTTY,
    stderrIsTTY: false,
    files: nodeFiles(),
    ...(stdin === undefined ? {} : { stdin: () => Readable.from([Buffer.from(stdin)]) }),
  });
  if (argv.includes("--json")) assertPrinted(ran);
  return ran;
}

/** Every document that any test makes a command print is held against the schema that the package publishes for it. */
function assertPrinted({ out }: Ran): void {
  if (!out.startsWith('{\n  "schemaVersion"')) return;
  assertDocument(JSON.parse(out) as { command: string | null });
}

/** Any fields, as far as the tests look into a document. */
export interface Document {
  schemaVersion: number;
  command: string | null;
  exitCode: number;
  error?: { code: string; message: string; hint: string; file?: string };
  [field: string]: unknown;
}

/** The one JSON document a command printed, with what must hold of every one. */
export function documentOf({ out, code }: Ran): Document {
  const document = JSON.parse(out) as Document;
  if (document.schemaVersion !== 1 || document.exitCode !== code) throw new Error(`not the document of exit ${code}`);
  return document;
}

/** A folder of this test file's own. */
export let folder = newFolder();
afterEachFile(() => {
  rmSync(folder, { recursive: true, force: true });
  folder = newFolder();
});

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "playhead-cli-"));
}

/** Writes a cassette below the folder and gives its path. */
export function place(name: string, cassette: CassetteV2): string {
  writeFileSync(join(folder, name), formatCassette(cassette));
  return join(folder, name);
}
