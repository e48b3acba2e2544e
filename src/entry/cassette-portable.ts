// `playhead/cassette` where there is no Node: the names of cassette.ts that need no files of this machine. A test holds the two equal.

export {
  // record and replay
  cassetteProvider,
  cassetteTools,
  forkProvider,
  recordingProvider,
  recordAgents,
  replayAgents,
  resumeProvider,
  type CassetteProvider,
  type RecordingOptions,
  type RecordingProvider,
  type ReplayOptions,
  type Streaming,
} from "../cassette/index.js";
export {
  // the file
  CassetteError,
  formatCassette,
  parseCassette,
  TapeMissError,
  type Cassette,
  type CassetteErrorCode,
  type CassetteV2,
} from "../cassette/index.js";
export {
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
} from "../cassette/index.js";
export {
  // rules and tolerances
  checkRules,
  checkTolerances,
  parseRules,
  type RuleSet,
  type Tolerances,
} from "../cassette/index.js";
export {
  // secrets
  redactedCalls,
  SECRET_RULES,
  secretsOf,
  type RedactionRule,
} from "../cassette/index.js";
export {
  // trust
  parseTrust,
  signCassette,
  verifyCassetteSignature,
  type Lock,
  type Trust,
} from "../cassette/index.js";
export {
  // import and export
  exportCassette,
  parseImport,
} from "../cassette/index.js";
