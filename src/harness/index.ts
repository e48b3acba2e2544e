// The door of the harness layer: what the command line and the public entries import.

export { createBenchLoop, type BenchLoop, type LoopBench, type LoopBenchOptions } from "./bench/loop.js";
export { benchHtml } from "./bench/page.js";
export { benchMarkdown, benchText } from "./bench/report-text.js";
export {
  toBenchedLength,
  type BenchedLength,
  type BenchedRun,
  type BenchReport,
  type BenchThreshold,
} from "./bench/report.js";
export { stretchCassette } from "./bench/stretch.js";
export { createOutsideWatch } from "./bench/watch.js";
export { eventLogConformance } from "./conformance/event-log/suite.js";
export { storageConformance } from "./conformance/storage/suite.js";
export { memoryConformance } from "./conformance/memory/suite.js";
export { PROVIDER_REQUESTS } from "./conformance/provider/requests.js";
export { providerConformance } from "./conformance/provider/suite.js";
export { sessionStoreConformance } from "./conformance/session-store/suite.js";
export { executionStoreConformance } from "./conformance/execution-store/suite.js";
export { schedulerConformance } from "./conformance/scheduler/suite.js";
export { fixedClock } from "./doubles/clock.js";
export { collect } from "./doubles/collect.js";
export { memoryFiles } from "./doubles/files.js";
export { memoryHost } from "./doubles/host.js";
export { countingIds, seededBytes } from "./doubles/ids.js";
export { HTTP_FAULTS } from "./faults/bodies.js";
export { describeFault, everyFault, type Fault } from "./faults/fault.js";
export { PLAN_OPTIONS, type FaultLog } from "./faults/plan.js";
export { faultyProvider } from "./faults/provider.js";
export { createServerFaults, faultReply, serverPlanProblem, type ServerFaults } from "./faults/reply.js";
export { formatSurvival, surviveFaults } from "./faults/survive.js";
export { faultyTool } from "./faults/tool.js";
export { HarnessError, type HarnessErrorCode } from "./errors.js";
export type { CassettesOptions } from "./fixture/attempt.js";
export { explainEach } from "./fixture/each.js";
export { createCassetteFor } from "./fixture/node-test.js";
export { slugOf } from "./fixture/slug.js";
export { cassettePath } from "./fixture/cassette-path.js";
export {
  createCassetteReporter,
  PART_BY_NAME,
  type CassetteReporterOptions,
  type ReportedModule,
} from "./fixture/reporter.js";
export {
  createVitestFixture,
  type CassetteFixtures,
  type TestCassette,
  type VitestContext,
} from "./fixture/vitest-fixture.js";
export { toBundlePage, toConversationPage, type ConversationPage } from "./html/conversation-page.js";
export type { LeftOut } from "./html/allowance.js";
export { htmlReport } from "./reports/html/report-page.js";
export { addressOf, fileAddress, pageAddress } from "./ui/address.js";
export { toFrame, UI_POLICY, type BarLink } from "./ui/frame.js";
export {
  ITEM_KINDS,
  type ItemKind,
  type ItemLook,
  type UiItem,
  type UiMiss,
  type UiMutant,
  type UiMutants,
} from "./ui/item.js";
export { toListPage, type ListQuery } from "./ui/list-page.js";
export { toMissPage } from "./ui/miss-page.js";
export { toMutantsPage } from "./ui/mutants-page.js";
export { toNoticePage, type Notice } from "./ui/notice-page.js";
export { toPairPage } from "./ui/pair-page.js";
export {
  createNote as createLedgerNote,
  pathInLedger,
  toSize,
  type LedgerLine,
  type Note as LedgerNote,
  type NotedMiss,
} from "./cassette/ledger-writer.js";
export { recordingPath } from "./cassette/paths.js";
export { isCI, resolveMode, type CassetteMode } from "./cassette/mode.js";
export { pathInLock } from "./cassette/paths.js";
export {
  createRecordingDesk,
  fileExists,
  keptRunHint,
  type RecordingDesk,
  type TakenFiles,
} from "./cassette/recording.js";
export { withCommand } from "./cassette/refused.js";
export { cutOutcomeError } from "./cassette/run-end.js";
export {
  createUseCassetteFolder,
  type CassetteFolder,
  type CassetteFolderOptions,
} from "./cassette/cassette-folder.js";
export { MAX_MUTANTS_PER_CASSETTE, MAX_SCORES } from "./limits.js";
export { mutateCassette } from "./mutate/apply.js";
export { MUTANT_KINDS, type Mutant, type MutantKind } from "./mutate/mutant.js";
export { listMutants } from "./mutate/list.js";
export { inTurns } from "./mutate/sample-order.js";
export type { Overlay } from "./cassette/overlay.js";
export { enforceRules, rulesPolicy } from "./rules/policy.js";
export {
  stepCheck,
  type StepCheck,
  type StepCheckOptions,
  type StepSource,
  type StepTurn,
} from "./step-check/check.js";
export { createStepGate, type StepGate } from "./step-check/gate.js";
export {
  describeTurn,
  firstDisagreement,
  summariseSteps,
  type Disagreement,
  type StepSummary,
} from "./step-check/summary.js";
export { createUseSession } from "./session/use-session.js";
export { createUseCassette, type CassetteHandle } from "./cassette/use-cassette.js";
export type { UseCassetteOptions } from "./cassette/options.js";
export type { CassetteAssertions } from "./matchers/assertions.js";
export { createMatchers } from "./matchers/matchers.js";
export { createMatcherHost } from "./matchers/host.js";
export { judgeGate, runGate } from "./drift/gate.js";
export { turnLines } from "./drift/turn-lines.js";
export type { PooledResults } from "./drift/metrics/compare.js";
export { measureScenario, type GateScenario, type MeasuredScenario } from "./drift/measure.js";
export { doPooledJob, pooledJobs, type PooledJob } from "./drift/pooled-jobs.js";
export { spendingOf } from "./drift/metrics/spending.js";
export { isScore } from "./drift/metrics/figures.js";
export { listText } from "./drift/metrics/words.js";
export { thresholdText } from "./drift/metrics/threshold.js";
export { failureOf, outcomeOf, sharedScenario, successOf } from "./drift/outcome.js";
export { shownRuns } from "./reports/facts.js";
export type { GateRun, TracedRun } from "./drift/paths/path-table.js";
export type {
  Edit,
  GateReport,
  GateSettings,
  Location,
  RuleFinding,
  ScenarioReport,
  UnpairedScenario,
  Verdict,
} from "./drift/gate-report.js";
export { assertFits, pairScenarios, scenarioOf, type PairedScenarios, type RunFile } from "./drift/scenarios.js";
export { trajectoryDistance, trajectoryOf } from "./drift/paths/trajectory.js";
export { createJudge, type Judge } from "./scores/judge.js";
export { scorers } from "./scores/scorers.js";
export { createScoreSheet, isScoreName, SCORE_NAME_HINT, scoresOf, type RecordedScores } from "./scores/scores.js";
export { agreementOf, agreementText, meanGrade } from "./scores/agreement.js";
export { withStop } from "./drift/headline.js";
export { describeTypical, type TypicalRun } from "./drift/paths/typical.js";
export {
  candidatesHtml,
  candidatesJson,
  candidatesMarkdown,
  candidatesText,
  type CandidateReports,
} from "./reports/tables/matrix.js";
export {
  historyHtml,
  historyJson,
  historyMarkdown,
  historyText,
  sortByDate,
  type History,
} from "./reports/tables/history.js";
export { toPastReport, type PastMutations, type PastReport, type ReportDate } from "./reports/tables/past-report.js";
export { markdownReports, toJobSummary } from "./reports/markdown.js";
export { refusalText, type GateRefusal } from "./reports/refusal.js";
export { reporterOf } from "./reports/registry.js";
export { shrinkDrift, type Shrunk, type WantedDrift } from "./shrink/shrink.js";
export { adoptCommand, relativePath } from "./text/rerun-commands.js";
export { shellText } from "./text/shell.js";
export { cassetteMiddleware, cassetteModel, wrappedModel } from "./adapters/ai-sdk/middleware.js";
export { assertProvider } from "./adapters/foreign-model.js";
export { cassetteEmbeddingModel } from "./adapters/ai-sdk/embedding.js";
export { replayTools as replayAiSdkTools } from "./adapters/ai-sdk/replay-tools.js";
export { replayTools as replayAgentsTools } from "./adapters/openai-agents/replay-tools.js";
export { replayLangChainTools } from "./adapters/langchain/replay-tools.js";
export type { TapeHandle } from "./adapters/recorded-call.js";
export { fromAiSdk } from "./adapters/ai-sdk/from-ai-sdk.js";
export { toAiSdk } from "./adapters/ai-sdk/to-ai-sdk.js";
export { fromAgentsModel, toAgentsModel } from "./adapters/openai-agents/model.js";
export { createLossTally, readPassed, type PassedAnswer, type PassedPart } from "./wire/passed-answer.js";
export { PASS_HINT, readPass, type IsPassed } from "./wire/pass.js";
export {
  beginConversation,
  conversationReply,
  FORGOT,
  readExchange,
  readTurn,
  reasonOf,
  refuseContinuation,
  type HeldStateRefusal,
  type UnreadTurn,
  type WholeTurn,
} from "./wire/read-turn.js";
export { probeReply } from "./wire/probe.js";
export { MISS_STATUS, refusalReply, type Refusal } from "./wire/reply.js";
export { PIN_HEADER, shelfReply } from "./wire/shelf-reply.js";
export { missedExchange, servedExchange } from "./wire/shelf-exchange.js";
export type { ServedStreaming } from "./wire/stream-body.js";
export {
  createTally,
  isFailure,
  RECORDING_WORDS,
  REPLAY_WORDS,
  rowText,
  type DoorOutcome,
  type DoorRequest,
  type DoorRow,
  type DoorWords,
} from "./wire/tally.js";
export {
  createMswAdapter,
  type CassetteHandlers,
  type CassetteHandlersOptions,
  type RecordingHandlers,
  type RecordingHandlersOptions,
  type UseCassetteHandlersOptions,
  type UsedCassetteHandlers,
} from "./adapters/msw/adapter.js";
export { toMswParts, type MswParts } from "./adapters/msw-parts.js";
export { writeResponse as writeLangChainResponse } from "./adapters/langchain/answer.js";
export {
  readCallOptions as readLangChainOptions,
  readTool as readLangChainTool,
} from "./adapters/langchain/call-options.js";
export { createChunkWriter as createLangChainChunks, type WrittenChunk } from "./adapters/langchain/chunks.js";
export { chatModelProvider, type FromLangChainOptions } from "./adapters/langchain/provider.js";
export { readMessages as readLangChainMessages } from "./adapters/langchain/read-message.js";
export { writeMessage as writeLangChainMessage, type WrittenMessage } from "./adapters/langchain/write-message.js";
export type { McpResult } from "./adapters/mcp/client.js";
export { McpToolError } from "./adapters/mcp/result.js";
export { recordedTools } from "./adapters/mcp/recorded.js";
export { mcpTools } from "./adapters/mcp/tools.js";
export { openLock } from "./cassette/paths.js";
export { overlaidStore } from "./cassette/overlay.js";
export { toleranceLines } from "./reports/tolerated.js";
