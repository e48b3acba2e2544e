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
export type * from "./file/format.js";
export { extensionsOf } from "./file/format.js";
export { buildCassette, CREATED_WITH, withOutcome, type BuiltTurn, type CassetteHead } from "./file/build.js";
export { hashEnvelope, hashResponse } from "./file/hashes.js";
export {
  DEFAULT_MAX_FILE_BYTES,
  DEFAULT_MAX_GAP_MS,
  MAX_ACCEPTED_REASON,
  MAX_BREAKS_PER_RULE,
  MAX_RECORDED_BODY_BYTES,
  MAX_RULES,
  MAX_SIGNATURES,
  MAX_STREAM_PIECES,
  MAX_UNPACKED_RATIO,
} from "./limits.js";
export { attestCassette, signStatement, STATEMENT_PAYLOAD_TYPE, type CassetteStatement } from "./trust/attest.js";
export { ENVELOPE_SUFFIX, formatEnvelope, parseEnvelope, readEnvelope } from "./trust/dsse-file.js";
export { parseStrictJson, type StrictJsonOptions } from "./file/json.js";
export { checkCassette, parseCassette, type CheckOptions, type ParseOptions } from "./trust/load-cassette.js";
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
} from "./trust/lock.js";
export { migrateCassette, migrationOf } from "./file/migrate.js";
export { describeOrigin, type OriginNote } from "./file/origin.js";
export { isJudgeRecording } from "./count/judge.js";
export * from "./count/stats.js";
export * from "./trust/acceptance.js";
export { createPromptTracker, hashPrompt, type HashFilter, type PromptTracker } from "./prompt/prompt-delta.js";
export { resealCassette, type UnsealedTurn } from "./prompt/reseal.js";
export { recordingProvider, type RecordingProvider } from "./record/recording-provider.js";
export {
  claimExchanges,
  exchangeSideOf,
  playedSide,
  setExchangeSide,
  type ExchangeSide,
} from "./record/exchange-side.js";
export { collectTurn, openTurn, type CollectedTurn } from "./record/open-turn.js";
export {
  createRecorder,
  type OpenTurn,
  type Recorder,
  type RecordingHead,
  type RecordingOptions,
} from "./record/recorder.js";
export { cassetteProvider, type CassetteProvider, type ReplayOptions } from "./replay/replay.js";
export type { RecordedStreaming, StreamedTurn, UnfitPart } from "./stream/format.js";
export {
  assertStreaming,
  createWait,
  STREAMING_OPTIONS,
  type Pace,
  type Streaming,
  type StreamingOptions,
} from "./stream/play.js";
export { readAnsweredBy, type AnsweredTurn } from "./stream/answered-by.js";
export { createStreamNote, type StreamNote, type StreamNoted } from "./stream/record.js";
export {
  describeStreams,
  readStreams,
  type RecordedStreams,
  type StreamReader,
  type WholeTurn,
} from "./stream/read.js";
export type { StreamPlan, TimedDelta } from "./stream/texts.js";
export type { Redact } from "./redact/answers.js";
export { createRedactor, type Redactor } from "./redact/redactor.js";
export { redactedCalls, type RedactedArgument } from "./redact/calls.js";
export { secretsOf } from "./redact/environment.js";
export type { Finder, Found } from "./redact/detect/find.js";
export { withValues, type RedactOption, type RedactOptions } from "./redact/options.js";
export { createSecretFinder, findSecrets } from "./redact/text.js";
export { replaceSecrets } from "./redact/detect/find.js";
export { EMAIL_RULE, SECRET_RULES, type RedactionRule } from "./redact/detect/secret-rules.js";
export { readFilters } from "./prompt/filter-file.js";
export {
  HASH_FILTER_NAMES,
  readHashFilter,
  readNotedFilter,
  type NotedFilter,
  type FilterPattern,
  type HashFilterName,
  type HashFilterOption,
  type NamedFilter,
} from "./prompt/hash-filters.js";
export { notedFilters } from "./prompt/noted-filters.js";
export * from "./record/fork.js";
export { contextsByTurn } from "./offer/context.js";
export { isEmptyWire } from "./offer/wire-fields.js";
export { cutAround } from "./replay/excerpt.js";
export { rebuildPrompts } from "./prompt/rebuild.js";
export { isClaimed } from "./replay/left-out.js";
export { formatMiss } from "./replay/miss.js";
export { formatToolDrift, type ToolDrift } from "./tape/watch.js";
export { formatTapeMiss, TapeMissError, type TapeMiss } from "./tape/miss.js";
export type { TapeResult } from "./tape/tape.js";
export { cassetteTools, type CassetteTools, type CassetteToolsOptions, type ToolLike } from "./tape/replay.js";
export { workspaceOf, type FileState, type WorkspaceChange, type WorkspaceExtension } from "./file/workspace.js";
export { createConversations, type Conversations, type PassingTurn } from "./record/conversations.js";
export {
  addSignature,
  resolveSigningKey,
  signCassette,
  verifyCassetteSignature,
  type SigningEnvironment,
  type VerifySignatureOptions,
} from "./trust/sign.js";
export { CASSETTE_PAYLOAD_TYPE, signedBytes } from "./trust/signature.js";
export * from "./trust/signed-by.js";
export { isTextual } from "./exchange/body.js";
export type { PlainAnswer, PlainRequest } from "./exchange/http.js";
export { nameOf as nameOfExchange, sizeOf as sizeOfBody } from "./exchange/describe.js";
export { diffExchanges, type ExchangeChange } from "./exchange/diff.js";
export { createExchangePlayer, exchangesOf } from "./exchange/player.js";
export { assertExchangesUsed, type TakenExchange } from "./exchange/taken.js";
export type { OpenExchange } from "./exchange/record.js";
export { createShelf, type Shelf, type ShelfAnswer, type ShelfCount, type ShelfItem } from "./serve/shelf.js";
export { whyRequest, whyWireRequest, type WhyRecording, type WhyVerdict } from "./serve/why.js";
export {
  CASSETTE_SUFFIX,
  createCassetteStore,
  FAILED_SUFFIX,
  formatCassette,
  listCassettes,
  type CassetteStore,
} from "./trust/cassette-store.js";
export { checkBundle, hashBundle, parseBundle } from "./bundle/check.js";
export * from "./bundle/format.js";
export * from "./bundle/record.js";
export { neverAsked, replayAgents, type AgentReplay, type AgentReplayOptions } from "./bundle/replay.js";
export type { PathBeside } from "./bundle/bundle-files.js";
export * from "./bundle/store.js";
export { arrivalsOf, missingArrival, type Arrival } from "./bundle/arrivals.js";
export {
  checkTrust,
  parseTrust,
  readTrust,
  validityAt,
  type Trust,
  type TrustedKey,
  type Validity,
} from "./trust/trust.js";
export { callKey, callsOf, type RecordedCall } from "./diff/calls/calls.js";
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
export * from "./diff/align/distance.js";
export { DRIFT_KINDS, type Drift, type DriftKind } from "./diff/drift.js";
export { CALL_ORDERS, type CallOrder } from "./diff/order.js";
export { isOneWay, pathDeparture } from "./diff/departure.js";
export { pairSame } from "./diff/align/same.js";
export { parseDiffOptions, type DiffOptions } from "./diff/options.js";
export { diffSets, nullHint, unpairedHint, type NamedCassette, type SetDiff } from "./diff/folders.js";
export { checkRules, checkTurns, watchRules, type RuledTurn } from "./rules/check.js";
export * from "./rules/format.js";
export { checkRuleSet, parseRules, readRules } from "./rules/read.js";
export type { Found as FoundBreak, PlacedCall, RuleWatch, TurnFigures } from "./rules/judge.js";
export { answerTimes } from "./stream/times.js";
export { parsePrices, readPrices } from "./count/prices.js";
export * from "./count/usage-sum.js";
export * from "./offer/run-offers.js";
export { diffValues, firstDifference, type ValueChange } from "./prompt/json-difference.js";
export type { ImportExtension } from "./import/cassette.js";
export { detectFormat, type Detection } from "./import/record/detect.js";
export { IMPORT_FORMATS, type ImportFormat } from "./import/registry.js";
export { BINARY_KEY } from "./import/http/vcr.js";
export { createTaskNames, type TaskNames } from "./import/task-name.js";
export { importRuns, type ImportedCassette, type ImportOptions } from "./import/import.js";
export { parseImport } from "./import/parse-import.js";
export type { Repair, RepairKind } from "./import/repair.js";
export { exportCassette, type ExportOptions } from "./export/export.js";
export { EXPORT_FORMATS, type ExportedCassette, type ExportFormat } from "./export/format.js";
export type { Loss, LossKind } from "./export/loss.js";
