// `playhead/cassette` on Node: the cassette layer, with its store bound to the files of this machine and its recorder to the
// environment of this process.

import {
  createBundleStore,
  createCassetteStore,
  readRules,
  readTolerances,
  recordingProvider as createRecorder,
  type Cassette,
  type ParseOptions,
  type RecordingOptions,
  type RecordingProvider,
  type RuleSet,
  type Tolerances,
} from "../cassette/index.js";
import type { LlmProviderAdapter } from "../core/index.js";
import { nodeFiles, pathBeside } from "../host/index.js";

export {
  // record and replay
  cassetteProvider,
  cassetteTools,
  forkProvider,
  recordAgents,
  replayAgents,
  resumeProvider,
  type CassetteProvider,
  type RecordingOptions,
  type RecordingProvider,
  type ReplayOptions,
  type Streaming,
  // the file
  CassetteError,
  formatCassette,
  parseCassette,
  TapeMissError,
  type Cassette,
  type CassetteErrorCode,
  type CassetteV2,
  // compare
  alignTurns,
  compareContracts,
  diffCassettes,
  diffContracts,
  isBecauseOfSchema,
  pathKey,
  trajectoryDistance,
  type DiffOptions,
  type Drift,
  // rules and tolerances
  checkRules,
  checkTolerances,
  parseRules,
  type RuleSet,
  type Tolerances,
  // secrets
  redactedCalls,
  SECRET_RULES,
  secretsOf,
  type RedactionRule,
  // trust
  parseTrust,
  signCassette,
  verifyCassetteSignature,
  type Lock,
  type Trust,
  // import and export
  exportCassette,
  parseImport,
} from "../cassette/index.js";

const files = nodeFiles();
const store = createCassetteStore(files);

type LoadCassetteOptions = Omit<ParseOptions, "file" | "lock" | "envelope"> & {
  /** The path of a lock file that must confirm the cassette. */
  lock?: string;
};

/** Reads and checks a cassette file. Throws `CassetteError` like the `load` of a store. */
export async function loadCassette(path: string, options: LoadCassetteOptions = {}): Promise<Cassette> {
  const { lock, ...rest } = options;
  if (lock === undefined && process.env["CASSETTE_OVERLAY"] === undefined) return store.load(path, rest);
  // Loaded where it is needed: reading a cassette needs nothing else of the harness.
  const { openLock, overlaidStore } = await import("../harness/index.js");
  const { load } = overlaidStore(store, files, process.env);
  return load(path, lock === undefined ? rest : { ...rest, lock: await openLock(files, lock, path) });
}

/** Reads and checks a file of rules. Throws `CassetteError` like `readRules`. */
export function loadRules(path: string): Promise<RuleSet> {
  return readRules(files, path);
}

/** Reads and checks a tolerance file. Throws `CassetteError` like `parseTolerances`, and `file-not-found`. */
export async function loadTolerances(path: string): Promise<Tolerances> {
  return readTolerances(files, path);
}

/** Writes a cassette file atomically. Throws `CassetteError` like the `save` of a {@link CassetteStore}. */
export const saveCassette = store.save;

/** Wraps a provider and keeps what it is asked and answers; `sign: "env:NAME"` is looked up in the environment of this process. */
export function recordingProvider(provider: LlmProviderAdapter, options: RecordingOptions = {}): RecordingProvider {
  return createRecorder(provider, options.sign === undefined ? options : { env: process.env, ...options });
}

const bundles = createBundleStore(files, pathBeside);

/** Reads and checks a bundle with its cassettes. Throws `CassetteError` like the `load` of a {@link BundleStore}. */
export const loadBundle = bundles.load;

/** Writes a bundle with its cassettes so that a stop leaves the old ones or the new. Throws like the `save` of a {@link BundleStore}. */
export const saveBundle = bundles.save;
