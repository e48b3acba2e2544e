// Checks the environment of a run: the version of Node, the mode, keys that would be used or that others can read, and the
// optional packages.

import { readFile, readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { KEY_VARIABLES } from "../../core/index.js";
import { HarnessError, isCI, resolveMode } from "../../harness/index.js";
import { MAX_KEY_FILE_BYTES } from "../limits.js";
import { fail, ok, some, warn, type Check } from "./check.js";

type Env = Readonly<Record<string, string | undefined>>;

/** `^20.19.0 || ^22.12.0 || >=24.0.0`, as package.json says; a test compares the two. */
export function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24;
}

export function checkNode(version: string): Check {
  if (isSupportedNode(version)) return ok("node", `Node ${version}`);
  return fail("node", `Node ${version} is not supported`, "Use Node 20.19, 22.12, 24 or newer.");
}

/** The mode that a test would have now. */
export function checkMode(env: Env): Check {
  const environment = { CASSETTE_MODE: env["CASSETTE_MODE"], CI: env["CI"] };
  try {
    const mode = resolveMode(environment);
    const where = isCI(environment) ? "CI is set" : "CI is not set";
    if (mode === "replay") return ok("mode", `tests replay (${where})`);
    const hint = "Unset CASSETTE_MODE when you are done. Until then, tests that should replay call the provider.";
    return warn("mode", `CASSETTE_MODE is ${mode}, so tests may call a provider (${where})`, hint);
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return fail("mode", error.message, error.hint ?? "Unset CASSETTE_MODE.");
  }
}

/** `cassette mutate` sets the variable for one run. If it stays set, tests load other files than the ones they name. */
export function checkOverlay({ CASSETTE_OVERLAY: overlay = "" }: Env): Check[] {
  if (overlay === "") return [];
  const what = "CASSETTE_OVERLAY is set: tests load other files than the cassettes they name, and check no lock";
  return [fail("overlay", what, "Unset CASSETTE_OVERLAY. Only cassette mutate sets it, for the command it runs.")];
}

/** Checks which provider keys are set (by name, never by value), and whether others can read private keys. */
export async function checkKeys(env: Env, cwd: string): Promise<Check[]> {
  const set = KEY_VARIABLES.filter((name) => (env[name] ?? "") !== "");
  const said = set.length === 0 ? "no provider key is set; replay needs none" : `${set.join(" and ")} set`;
  const inCI = set.length > 0 && isCI({ CI: env["CI"] });
  const hint = "CI replays and needs no key. Remove it from the job's secrets.";
  const provider = inCI ? warn("keys", `${said}, in CI`, hint) : ok("keys", said);
  const open = await openPrivateKeys(cwd);
  if (open.length === 0) return [provider];
  const others = `${some(open)} can be read by others on this machine`;
  return [provider, warn("keys", others, "Run chmod 600, and keep private keys out of version control.")];
}

/** Private keys directly in the working folder, as `cassette keygen` writes them, with a mode wider than 0600. */
async function openPrivateKeys(cwd: string): Promise<string[]> {
  if (process.platform === "win32") return [];
  const names = (await readdir(cwd).catch(() => [])).filter((name) => name.endsWith(".pem")).sort();
  const open: string[] = [];
  for (const name of names) {
    const path = join(cwd, name);
    const about = await stat(path).catch(() => undefined);
    if (about?.isFile() !== true || (about.mode & 0o077) === 0 || about.size > MAX_KEY_FILE_BYTES) continue;
    const text = await readFile(path, "latin1").catch(() => "");
    if (text.includes("PRIVATE KEY-----")) open.push(name);
  }
  return open;
}

/** Optional packages, resolved from the working folder. */
export function checkPeers(cwd: string, nodeVersion: string): Check[] {
  const require = createRequire(join(cwd, "package.json"));
  const vitest = versionOf(require, "vitest");
  const checks: Check[] = [];
  if (vitest === undefined) checks.push(ok("peers", "vitest is not installed here; only playhead/vitest needs it"));
  else if (fitsVitest(vitest)) checks.push(ok("peers", `vitest ${vitest}`));
  else checks.push(fail("peers", `vitest ${vitest} is not supported`, "Use vitest 4.1 or newer 4, or 5."));
  if (nodeVersion.startsWith("20.") && versionOf(require, "@photostructure/sqlite") === undefined) {
    checks.push(ok("peers", "@photostructure/sqlite is not installed; memory on disk needs it on Node 20"));
  }
  return checks;
}

function versionOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    const { version } = require(`${name}/package.json`) as { version?: unknown };
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}

function fitsVitest(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return (major === 4 && minor >= 1) || major === 5;
}
