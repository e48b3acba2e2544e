// Lets one process at a time write into a folder, by a file that exists there until it is done. The claim of a killed process is
// taken over.

import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { systemPorts, type FilePort } from "../core/index.js";
import { CliError, type CliErrorCode } from "./errors.js";

/** Who takes a claim, and the words for a second process that wants the same folder. */
export interface Claimant {
  /** The command, which names the file of the claim and the code of the error. */
  readonly command: "bless" | "record";
  /** What a second process did not do, such as "nothing was accepted". */
  readonly refusal: string;
  /** The code if the claim cannot be written. */
  readonly notWritten: CliErrorCode;
}

interface Holder {
  pid: number;
  host: string;
  since: string;
}

/** Does `work` while no other process runs the command on this folder. Throws `CliError` `bless-running` or `record-running` if one does. */
export async function withClaim<Result>(
  files: FilePort,
  into: string,
  claimant: Claimant,
  work: () => Promise<Result>,
): Promise<Result> {
  const file = join(into, `${claimant.command}.claim`);
  await takeClaim(files, file, claimant);
  try {
    return await work();
  } finally {
    await files.remove(file);
  }
}

async function takeClaim(files: FilePort, file: string, claimant: Claimant): Promise<void> {
  const own: Holder = { pid: process.pid, host: hostname(), since: new Date(systemPorts.now()).toISOString() };
  const text = `${JSON.stringify(own)}\n`;
  for (let attempt = 0; attempt < 2; attempt++) {
    const written = await files.write(file, text, { overwrite: false });
    if (written.kind === "written") return;
    if (written.kind === "failed") {
      const message = `${file} cannot be written: ${written.message}`;
      throw new CliError(claimant.notWritten, message, "Check the folder.", file);
    }
    const holder = await readHolder(files, file);
    if (holder === "gone") continue;
    if (!isDead(holder)) throw running(file, holder, claimant);
    await removeDead(files, file, claimant);
  }
  throw running(file, "unknown", claimant);
}

/** Of several processes that saw the same dead claim, a slower one must not remove the claim of a faster one. So each looks again alone. */
async function removeDead(files: FilePort, file: string, claimant: Claimant): Promise<void> {
  const alone = `${file}.removal`;
  await takeClaim(files, alone, claimant);
  try {
    if (isDead(await readHolder(files, file))) await files.remove(file);
  } finally {
    await files.remove(alone);
  }
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

/** The process of another machine counts as alive. */
function isDead(holder: Holder | "gone" | "unknown"): boolean {
  return typeof holder === "object" && holder.host === hostname() && !isAlive(holder.pid);
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

function running(file: string, holder: Holder | "unknown", { command, refusal }: Claimant): CliError {
  const who = holder === "unknown" ? "" : ` (process ${holder.pid} on ${holder.host}, since ${holder.since})`;
  return new CliError(
    `${command}-running`,
    `another cassette ${command} writes into ${dirname(file)}${who}; ${refusal}`,
    `Run this again when it is done. If none is running, remove ${file}.`,
    file,
  );
}
