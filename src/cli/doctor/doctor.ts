// `cassette doctor`: checks the environment and the recordings, and says what to do. It changes nothing.

import { CliError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createPrinter, writeJson, type Look } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import type { Check, CheckStatus } from "./check.js";
import { checkKeys, checkMode, checkNode, checkOverlay, checkPeers } from "./environment.js";
import { checkRecordings } from "./recordings.js";

export interface DoctorOptions {
  json?: boolean;
}

/** Exits 1 when a check fails, and 0 for warnings alone. */
export async function doctor(folder: string, options: DoctorOptions, io: CommandIo): Promise<void> {
  const files = filesAt(io);
  if ((await files.list(folder, "\0")) === undefined) {
    throw new CliError("nothing-found", "the folder does not exist", "Name the folder of the project.", folder);
  }
  const node = process.versions.node;
  const progress = createProgress(io, "loading");
  const recordings = await checkRecordings({ files, folder, cwd: io.cwd, progress });
  progress.clear();
  const checks: Check[] = [
    checkNode(node),
    checkMode(io.env),
    ...checkOverlay(io.env),
    ...(await checkKeys(io.env, io.cwd)),
    ...checkPeers(io.cwd, node),
    ...recordings,
  ];
  const having = (status: CheckStatus): number => checks.filter((check) => check.status === status).length;
  const summary = { ok: having("ok"), warn: having("warn"), fail: having("fail") };
  const exitCode = summary.fail > 0 ? EXIT.drift : EXIT.ok;
  io.exit(exitCode);
  if (options.json === true) writeJson(io, "doctor", exitCode, { folder, checks, summary });
  else print(io, checks, summary);
}

const LOOKS: Record<CheckStatus, Look> = { ok: "good", warn: "warn", fail: "bad" };

function print(io: CommandIo, checks: readonly Check[], summary: Record<CheckStatus, number>): void {
  const line = createPrinter(io);
  for (const { name, status, message, hint } of checks) {
    line({ look: LOOKS[status], text: status.padEnd(5) }, name.padEnd(10), message);
    if (hint !== undefined) line({ look: "dim", text: `     ${" ".repeat(10)}${hint}` });
  }
  line(`${checks.length} checks: ${summary.ok} ok, ${summary.warn} to look at, ${summary.fail} failed`);
}
