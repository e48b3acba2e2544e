// Opens the store of a job. Its address may have a password, so nothing here repeats it. The host is loaded only for a job.

import { resolve } from "node:path";
import type { FleetStore } from "../../host/index.js";
import { usageError } from "../errors.js";
import type { CommandIo } from "../terminal/io.js";
import { unusable } from "./plan.js";

const HINT = "Name a file, postgres://user@host/database, or env:NAME for a variable with one of them.";

/** The options of a command that works on a job. */
export interface JobOptions {
  job: string;
  store: string;
}

/** Both options, or undefined without them. Throws `usage` for one alone. */
export function jobOf({ job, store }: { job?: string; store?: string }): JobOptions | undefined {
  if (job === undefined && store === undefined) return undefined;
  if (store === undefined) throw usageError("--job was given without --store", `Add --store. ${HINT}`);
  if (job === undefined) throw usageError("--store was given without --job", "Add --job NAME.");
  return { job, store };
}

/** Opens the store for `work`, and closes it. With `mustExist`, no file is created. Throws `usage` for an invalid address, and the `AgentError` of the store. */
export async function withStore<Result>(
  given: string,
  io: CommandIo,
  work: (store: FleetStore) => Promise<Result>,
  { mustExist = false } = {},
): Promise<Result> {
  const store = await open(addressOf(given, io), mustExist, io);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function addressOf(given: string, { env }: CommandIo): string {
  if (!given.startsWith("env:")) return given;
  const name = given.slice("env:".length);
  const address = Object.hasOwn(env, name) ? (env[name] ?? "") : "";
  if (address !== "") return address;
  throw usageError(`--store names the variable ${name}, which is not set`, HINT);
}

async function open(address: string, mustExist: boolean, { cwd, files }: CommandIo): Promise<FleetStore> {
  if (/^postgres(ql)?:\/\//.test(address)) {
    const { postgresFleetStore } = await import("../postgres/open.js");
    return postgresFleetStore(address);
  }
  // A mistyped address, such as one in quotes, must not become the name of a file. A drive has one letter.
  if (address === "" || /^[a-z][a-z0-9+.-]+:|:\/\/|:[^/]*@/i.test(address))
    throw usageError("--store is neither a file nor an address that begins with postgres://", HINT);
  const path = resolve(cwd, address);
  if (mustExist && (await files.read(path, 0)).kind === "not-found")
    throw unusable(`the store ${address} does not exist`, "Name the file that the machines of the job used.");
  const { sqliteFleetStore } = await import("./host.js");
  return sqliteFleetStore(path);
}
