// Checks the recordings below a folder: whether they load, their versions, the lock, and files left behind.

import { resolve } from "node:path";
import {
  BUNDLE_SUFFIX,
  CASSETTE_SUFFIX,
  CassetteError,
  createBundleStore,
  createCassetteStore,
  ENVELOPE_SUFFIX,
  LOCK_FILE,
  lockDifferences,
  migrationOf,
  readLock,
  readTrust,
  toLockEntry,
  type LockEntry,
} from "../../cassette/index.js";
import { systemPorts, type FilePort } from "../../core/index.js";
import { pathInLock } from "../../harness/index.js";
import { isWithin, pathBeside } from "../../host/index.js";
import { KEY_NOTICE_MS } from "../limits.js";
import { count } from "../terminal/output.js";
import type { Progress } from "../terminal/progress.js";
import { filesBelow, loadRecording } from "../options/recordings.js";
import { fail, ok, partsOf, some, warn, type Check } from "./check.js";

/** The little that is kept of each cassette, because a folder may contain many. */
interface Seen {
  file: string;
  state: "recorded" | "migrated" | "version-1" | "refused";
  entry?: LockEntry;
}

interface Survey {
  files: FilePort;
  folder: string;
  cwd: string;
  progress: Progress;
}

/** Every check of the recordings below the folder, except those in `node_modules`. */
export async function checkRecordings(survey: Survey): Promise<Check[]> {
  const seen = await look(survey);
  if (seen.length === 0) {
    const hint = "Record one, or name the folder of the cassettes.";
    return [warn("cassettes", `there is no cassette below ${survey.folder}`, hint)];
  }
  return [
    checkLoads(seen),
    ...checkVersions(seen.filter(({ state }) => state !== "refused")),
    await checkLock(survey, seen),
    ...(await checkTrustFile(survey)),
    await checkOrphans(survey),
    ...(await checkBundles(survey)),
  ];
}

async function namesBelow({ files, folder }: Survey, suffix: string): Promise<string[]> {
  return filesBelow(files, folder, suffix);
}

async function look(survey: Survey): Promise<Seen[]> {
  const paths = await namesBelow(survey, CASSETTE_SUFFIX);
  const store = createCassetteStore(survey.files);
  const seen: Seen[] = [];
  for (const [index, file] of paths.entries()) {
    survey.progress.step(index, paths.length);
    const loaded = await loadRecording(store, file);
    if (loaded.kind === "failed") seen.push({ file, state: "refused" });
    else if (loaded.cassette.version === 1) seen.push({ file, state: "version-1" });
    else {
      const state = migrationOf(loaded.cassette) === undefined ? "recorded" : "migrated";
      seen.push({ file, state, entry: toLockEntry(loaded.cassette) });
    }
  }
  return seen;
}

function filesOf(seen: readonly Seen[], state: Seen["state"]): string[] {
  return seen.filter((one) => one.state === state).map(({ file }) => file);
}

function checkLoads(seen: readonly Seen[]): Check {
  const refused = filesOf(seen, "refused");
  if (refused.length === 0) return ok("cassettes", `${count(seen.length, "cassette")}, and every one loads`);
  const message = `${refused.length} of ${count(seen.length, "cassette")} refused: ${some(refused)}`;
  return fail("cassettes", message, "npx playhead verify says why. Restore them from version control.");
}

/** No check if no cassette loads. */
function checkVersions(seen: readonly Seen[]): Check[] {
  if (seen.length === 0) return [];
  const old = filesOf(seen, "version-1");
  const migrated = filesOf(seen, "migrated");
  if (old.length + migrated.length === 0) return [ok("versions", `${count(seen.length, "recording")} of version 2`)];
  const parts = [
    ...(old.length === 0 ? [] : [`${old.length} of version 1 (${some(old)})`]),
    ...(migrated.length === 0 ? [] : [`${migrated.length} migrated from it (${some(migrated)})`]),
  ];
  return [warn("versions", `nothing proves the contents of ${parts.join(" and ")}`, "Record them again.")];
}

/** The lock of the working folder. Locked files in other folders are not checked. */
async function checkLock({ files, folder, cwd }: Survey, seen: readonly Seen[]): Promise<Check> {
  const hint = "Run npx playhead lock, and commit the file. It detects replaced and missing cassettes.";
  if ((await files.read(LOCK_FILE, 0)).kind === "not-found") return warn("lock", `there is no ${LOCK_FILE}`, hint);
  try {
    const lock = await readLock(files, LOCK_FILE);
    const paths = new Set<string>();
    const unknown: string[] = [];
    const changed: string[] = [];
    for (const { file, entry } of seen) {
      const path = pathInLock(resolve(cwd, LOCK_FILE), resolve(cwd, file));
      if (path !== undefined) paths.add(path);
      const locked = path === undefined ? undefined : lock.get(path);
      if (locked === undefined) unknown.push(file);
      else if (entry === undefined || lockDifferences(locked, entry).length > 0) changed.push(file);
    }
    const root = resolve(cwd, folder);
    const below = [...lock.keys()].filter((path) => isWithin(root, resolve(cwd, path)));
    const gone = below.filter((path) => !paths.has(path));
    return toLockCheck({ below: below.length, all: lock.size }, { changed, gone, "not locked": unknown });
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    return fail("lock", error.summary, error.hint ?? "Restore the lock from version control.");
  }
}

/** `locked` counts the files of the lock, those below the folder and all. */
function toLockCheck(
  locked: { below: number; all: number },
  found: Record<"changed" | "gone" | "not locked", string[]>,
): Check {
  const parts = partsOf(found);
  const share = locked.below < locked.all ? `${locked.below} of ` : "";
  if (parts.length === 0) return ok("lock", `${LOCK_FILE} confirms ${share}${count(locked.all, "cassette")}`);
  const hint = "Review the changes. If they are right, run npx playhead lock --update.";
  const message = `${LOCK_FILE} does not match: ${parts.join("; ")}`;
  return found.changed.length + found.gone.length > 0 ? fail("lock", message, hint) : warn("lock", message, hint);
}

const TRUST_FILE = "trust.json";

/** The trust file of the working folder, if there is one: whether it loads, and whether a key is in force. */
async function checkTrustFile({ files }: Survey): Promise<Check[]> {
  if ((await files.read(TRUST_FILE, 0)).kind === "not-found") return [];
  try {
    const { keys } = await readTrust(files, TRUST_FILE);
    const now = systemPorts.now();
    const ends = keys.map(({ notAfter }) => (notAfter === undefined ? Infinity : Date.parse(notAfter)));
    const hint = "Make a new key with npx playhead keygen, sign again, and add it to the list.";
    if (keys.length === 0 || ends.every((end) => end < now)) {
      return [fail("trust", `no key of ${TRUST_FILE} is in force`, hint)];
    }
    const soon = keys.filter((_, index) => (ends[index] ?? 0) >= now && (ends[index] ?? 0) - now < KEY_NOTICE_MS);
    if (soon.length === 0) return [ok("trust", `${TRUST_FILE} has ${count(keys.length, "key")}`)];
    return [warn("trust", `expires within 30 days: ${some(soon.map(({ keyId }) => keyId))}`, hint)];
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    return [fail("trust", error.summary, error.hint ?? "Restore it from version control.")];
  }
}

const TEMPORARY = /(^|[\\/])\.playhead-[0-9a-f]{12}\.tmp$/;

/** Signatures without their cassette, and temporary files of killed writes. */
async function checkOrphans(survey: Survey): Promise<Check> {
  const envelopes = await namesBelow(survey, CASSETTE_SUFFIX + ENVELOPE_SUFFIX);
  const cassettes = new Set(await namesBelow(survey, CASSETTE_SUFFIX));
  const alone = envelopes.filter((file) => !cassettes.has(file.slice(0, -ENVELOPE_SUFFIX.length)));
  const leftover = (await namesBelow(survey, ".tmp")).filter((file) => TEMPORARY.test(file));
  const none = "no signature without its cassette, nothing half-written";
  if (alone.length + leftover.length === 0) return ok("orphans", none);
  const parts = partsOf({ "signatures without a cassette": alone, "left by an interrupted write": leftover });
  const hint = "Delete them. npx playhead prune --ledger finds cassettes that no test uses.";
  return warn("orphans", parts.join("; "), hint);
}

async function checkBundles(survey: Survey): Promise<Check[]> {
  const paths = await namesBelow(survey, BUNDLE_SUFFIX);
  if (paths.length === 0) return [];
  const store = createBundleStore(survey.files, (path, name = "") => pathBeside(path, name));
  const broken: string[] = [];
  for (const path of paths) {
    try {
      await store.load(path);
    } catch (error) {
      if (!(error instanceof CassetteError)) throw error;
      broken.push(`${path} (${error.code})`);
    }
  }
  if (broken.length === 0) return [ok("bundles", `${count(paths.length, "bundle")}, and every one is whole`)];
  return [fail("bundles", `not whole: ${some(broken)}`, "npx playhead verify says why. Record the bundle again.")];
}
