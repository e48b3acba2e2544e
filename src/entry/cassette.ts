// `playhead/cassette` on Node: the cassette layer. Its store uses the file system, and its recorder the environment of this process.

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
import { openLock, overlaidStore } from "../harness/index.js";
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
  /** Path of a lock file that must list the cassette unchanged. */
  lock?: string;
};

/**
 * Reads and checks a cassette file. Rejects with `CassetteError`: `file-not-found`, `file-unreadable`, or the code of the check that
 * failed, such as `envelope-hash`.
 */
export async function loadCassette(path: string, options: LoadCassetteOptions = {}): Promise<Cassette> {
  const { lock, ...rest } = options;
  if (lock === undefined && process.env["CASSETTE_OVERLAY"] === undefined) return store.load(path, rest);
  const { load } = overlaidStore(store, files, process.env);
  return load(path, lock === undefined ? rest : { ...rest, lock: await openLock(files, lock, path) });
}

/** Reads and checks a rules file. Rejects with `CassetteError`: `file-not-found`, `file-unreadable` or `rules-malformed`. */
export function loadRules(path: string): Promise<RuleSet> {
  return readRules(files, path);
}

/** Reads and checks a tolerance file. Rejects with `CassetteError`: `file-not-found`, `file-unreadable` or `tolerances-malformed`. */
export async function loadTolerances(path: string): Promise<Tolerances> {
  return readTolerances(files, path);
}

/**
 * Writes a cassette file atomically. Rejects with `CassetteError`: `file-exists` unless `overwrite` is set, `too-large` above `maxBytes`
 * (default 64 MiB), or `file-unreadable`.
 */
export const saveCassette = store.save;

/**
 * Wraps a provider and records its requests and answers. Call `toCassette()` at the end to get the cassette. `sign: "env:NAME"` reads
 * the key from the environment of this process.
 */
export function recordingProvider(provider: LlmProviderAdapter, options: RecordingOptions = {}): RecordingProvider {
  return createRecorder(provider, options.sign === undefined ? options : { env: process.env, ...options });
}

const bundles = createBundleStore(files, pathBeside);

/** Reads and checks a bundle with its cassettes. Rejects with `CassetteError`, like the `load` of a {@link BundleStore}. */
export const loadBundle = bundles.load;

/** Writes a bundle with its cassettes. A crash leaves the old files or the new ones. Rejects like the `save` of a {@link BundleStore}. */
export const saveBundle = bundles.save;
