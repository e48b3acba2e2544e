// `playhead/cassette` without Node: the names of cassette.ts that do not need files. A test checks that the two lists agree.

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
