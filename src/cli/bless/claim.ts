// Lets one `cassette bless` at a time write into a baseline, by a file that exists there until it is done. The claim of a killed
// process is taken over.

import { hostname } from "node:os";
import { join } from "node:path";
import { systemPorts, type FilePort } from "../../core/index.js";
import { CliError } from "../errors.js";

const CLAIM_FILE = "bless.claim";

interface Holder {
  pid: number;
  host: string;
  since: string;
}

/** Does `work` while no other bless writes into the folder. Throws `CliError` `bless-running` if one does. */
export async function withClaim<Result>(files: FilePort, into: string, work: () => Promise<Result>): Promise<Result> {
  const file = join(into, CLAIM_FILE);
  await takeClaim(files, file);
  try {
    return await work();
  } finally {
    await files.remove(file);
  }
}

async function takeClaim(files: FilePort, file: string): Promise<void> {
  const own: Holder = { pid: process.pid, host: hostname(), since: new Date(systemPorts.now()).toISOString() };
  const text = `${JSON.stringify(own)}\n`;
  for (let attempt = 0; attempt < 2; attempt++) {
    const written = await files.write(file, text, { overwrite: false });
    if (written.kind === "written") return;
    if (written.kind === "failed") {
      const message = `${file} cannot be written: ${written.message}`;
      throw new CliError("acceptance-not-written", message, "Check the folder.", file);
    }
    const holder = await readHolder(files, file);
    if (holder === "gone") continue;
    if (holder === "unknown" || holder.host !== own.host || isAlive(holder.pid)) throw running(file, holder);
    await files.remove(file);
  }
  throw running(file, "unknown");
}

async function readHolder(files: FilePort, file: string): Promise<Holder | "gone" | "unknown"> {
  const read = await files.read(file, 4_096);
  if (read.kind === "not-found") return "gone";
  if (read.kind !== "read") return "unknown";
  try {
    const { pid, host, since } = JSON.parse(new TextDecoder().decode(read.bytes)) as Partial<Holder>;
    const isWhole = Number.isSafeInteger(pid) && typeof host === "string" && typeof since === "string";
    return isWhole ? { pid: pid as number, host, since } : "unknown";
  } catch {
    return "unknown";
  }
}

/** Signal 0 only asks whether the process exists. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function running(file: string, holder: Holder | "unknown"): CliError {
  const who = holder === "unknown" ? "" : `: process ${holder.pid} on ${holder.host}, since ${holder.since}`;
  return new CliError(
    "bless-running",
    `another bless writes into this baseline${who}; nothing was accepted`,
    `Run this again when it is done. If none is running, remove ${file}.`,
    file,
  );
}
