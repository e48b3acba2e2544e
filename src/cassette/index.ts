// The door of the cassette layer. Other layers import this file alone.

export {
  CassetteError,
  type CassetteErrorCode,
  type GraphErrorCode,
  type LoadErrorCode,
  type MissErrorCode,
  type MissReport,
  type RecordErrorCode,
} from "./errors.js";
export type * from "./format.js";
export { buildCassette, CREATED_WITH, hashEnvelope, hashResponse, type BuiltTurn, type CassetteHead } from "./build.js";
export { attestCassette, signStatement, STATEMENT_PAYLOAD_TYPE, type CassetteStatement } from "./attest.js";
export { ENVELOPE_SUFFIX, formatEnvelope, MAX_SIGNATURES, parseEnvelope, readEnvelope } from "./envelope.js";
export { DEFAULT_MAX_BYTES, parseStrictJson, type StrictJsonOptions } from "./json.js";
export { checkCassette, parseCassette, type CheckOptions, type ParseOptions } from "./load.js";
export {
  lockDifferences,
  formatLock,
  isLockPath,
  LOCK_FILE,
  parseLock,
  readLock,
  toLockEntry,
  type Lock,
  type LockEntry,
  type LockPlace,
} from "./lock.js";
export { migrateCassette, migrationOf } from "./migrate.js";
export { describeOrigin, type OriginNote } from "./origin.js";
export {
  createStatsCounter,
  MAX_COUNTED_NAMES,
  type CassetteStats,
  type NameCount,
  type NameCounts,
  type StatsCounter,
} from "./stats.js";
export {
  ACCEPTANCE_PAYLOAD_TYPE,
  ACCEPTED_FILE,
  formatAcceptance,
  MAX_REASON,
  parseAcceptances,
  proofOf,
  signAcceptance,
  type Acceptance,
  type AcceptanceProof,
} from "./acceptance.js";
export { createPromptTracker, hashPrompt, type HashFilter, type PromptTracker } from "./prompt.js";
export { resealCassette, type UnsealedTurn } from "./reseal.js";
export { recordingProvider, type RecordingOptions, type RecordingProvider } from "./record.js";
export { cassetteProvider, type CassetteProvider, type ReplayOptions } from "./replay.js";
export { MAX_STREAM_PIECES, type RecordedStreaming, type StreamedTurn, type UnfitPart } from "./stream-format.js";
export {
  assertStreaming,
  createWait,
  DEFAULT_MAX_GAP_MS,
  STREAMING_OPTIONS,
  type Pace,
  type Streaming,
  type StreamingOptions,
} from "./stream-play.js";
export { createStreamNote, type StreamNote, type StreamNoted } from "./stream-note.js";
export {
  describeStreams,
  readStreams,
  type RecordedStreams,
  type StreamReader,
  type WholeTurn,
} from "./stream-read.js";
export type { StreamPlan, TimedDelta } from "./stream-texts.js";
export type { Redact } from "./redact/answers.js";
export { createRedactor, type Redactor } from "./redact/redactor.js";
export { redactedCalls, type RedactedArgument } from "./redact/calls.js";
export { secretsOf } from "./redact/environment.js";
export type { Finder, Found } from "./redact/find.js";
export { withValues, type RedactOption, type RedactOptions } from "./redact/options.js";
export { createSecretFinder } from "./redact/text.js";
export { EMAIL_RULE, SECRET_RULES, type RedactionRule } from "./redact/rules.js";
export { readHashFilter, type HashFilterName, type HashFilterOption, type NamedFilter } from "./filters.js";
export {
  assertForkable,
  forkProvider,
  resumeProvider,
  type ForkedFrom,
  type ForkOptions,
  type ForkProvider,
  type LiveSource,
  type ResumeOptions,
} from "./fork.js";
export { contextsByTurn } from "./context.js";
export { isEmptyWire } from "./wire-fields.js";
export { cutAround, formatMiss, rebuildPrompts } from "./miss.js";
export { formatToolDrift, type ToolDrift } from "./tools/drift.js";
export { formatTapeMiss, TapeMissError, type TapeMiss } from "./tools/miss.js";
export type { TapeResult } from "./tools/results.js";
export { cassetteTools, type CassetteTools, type CassetteToolsOptions, type ToolLike } from "./tools/tape.js";
export { createConversations, type Conversations, type OpenTurn } from "./conversations.js";
export {
  addSignature,
  resolveSigningKey,
  signCassette,
  verifyCassetteSignature,
  type SigningEnvironment,
  type VerifySignatureOptions,
} from "./sign.js";
export { CASSETTE_PAYLOAD_TYPE, signedBytes } from "./signature.js";
export {
  describeFinding,
  judgeSignatures,
  type JudgeOptions,
  type SignatureFinding,
  type SignatureStatus,
  type SignatureVerdict,
} from "./signed-by.js";
export { createShelf, type Shelf, type ShelfAnswer, type ShelfCount, type ShelfItem } from "./shelf.js";
export { whyRequest, whyWireRequest, type WhyVerdict } from "./why.js";
export { CASSETTE_SUFFIX, createCassetteStore, formatCassette, type CassetteStore } from "./store.js";
export { checkBundle, hashBundle, parseBundle } from "./bundle/check.js";
export {
  BUNDLE_SUFFIX,
  type AgentBundle,
  type BundleEdge,
  type BundleEnd,
  type BundleFile,
  type BundleMember,
  type BundlePlan,
  type PlanLike,
  type RunLike,
} from "./bundle/format.js";
export {
  recordAgents,
  type AgentRecording,
  type RecordableAgent,
  type RecordedRun,
  type WithProvider,
} from "./bundle/record.js";
export { replayAgents, type AgentReplay, type AgentReplayOptions } from "./bundle/replay.js";
export {
  createBundleStore,
  formatBundle,
  type BundleLoadOptions,
  type BundleStore,
  type PathBeside,
} from "./bundle/store.js";
export { checkTrust, parseTrust, readTrust, validityAt, type Trust, type TrustedKey, type Validity } from "./trust.js";
export { callKey, callsOf, type RecordedCall } from "./diff/calls.js";
export {
  parseTolerances,
  readTolerances,
  checkTolerances,
  TOLERANCES_FILE,
  type TolerancesOptions,
} from "./tolerance/load.js";
export {
  assertTolerances,
  isTolerances,
  type NormalCall,
  type ToleranceComparison,
  type Tolerances,
} from "./tolerance/tolerances.js";
export { createUseCounter, type ToleranceUse } from "./tolerance/uses.js";
export { alignTurns, compareCassettes, diffCassettes, type CassetteDiff, type TurnPair } from "./diff/diff.js";
export {
  pathDistance,
  pathKey,
  pathOf,
  pathUses,
  trajectoryDistance,
  type PathOptions,
  type RunPath,
} from "./diff/distance.js";
export { DRIFT_KINDS, type Drift, type DriftKind } from "./diff/drift.js";
export { CALL_ORDERS, type CallOrder } from "./diff/order.js";
export { isOneWay, pathDeparture } from "./diff/departure.js";
export { pairSame } from "./diff/same.js";
export type { DiffOptions } from "./diff/options.js";
export { diffSets, nullHint, unpairedHint, type NamedCassette, type SetDiff } from "./diff/folders.js";
export { checkRules, checkTurns, MAX_BREAKS_PER_RULE, watchRules, type RuledTurn } from "./rules/check.js";
export {
  kindOf,
  RULE_KINDS,
  RULES_FILE,
  toolsIn,
  type CallPattern,
  type Rule,
  type RuleBody,
  type RuleBreak,
  type RuleKind,
  type RuleSet,
  type RunLimits,
} from "./rules/format.js";
export { checkRuleSet, MAX_RULES, parseRules, readRules } from "./rules/read.js";
export type { Found as FoundBreak, PlacedCall, RuleWatch, TurnFigures } from "./rules/watch.js";
export {
  askedModelOf,
  countedTurns,
  createUsageCounter,
  derivedCostOf,
  sumUsage,
  usageOf,
  type CountedTurn,
  type TurnUsage,
  type UsageCounter,
  type UsageSum,
} from "./usage-sum.js";
export {
  compareContracts,
  diffContracts,
  isBecauseOfSchema,
  type ContractChange,
  type ContractComparison,
  type ContractSide,
} from "./contract.js";
export { diffValues, firstDifference, type ValueChange } from "./values.js";
export type { ImportExtension } from "./import/cassette.js";
export { detectFormat, type Detection } from "./import/detect.js";
export { IMPORT_FORMATS, type ImportFormat } from "./import/formats.js";
export { BINARY_KEY } from "./import/http/vcr.js";
export { parseImport, type ImportedCassette, type ImportOptions } from "./import/parse.js";
export type { Repair, RepairKind } from "./import/repair.js";
export { exportCassette, type ExportedCassette, type ExportOptions } from "./export/export.js";
export { EXPORT_FORMATS, type ExportFormat } from "./export/format.js";
export type { Loss, LossKind } from "./export/loss.js";
