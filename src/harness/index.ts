// The door of the harness: what a test author holds.

export {
  eventLogConformance,
  type EventLogConformanceOptions,
  type MakeEventLog,
} from "./conformance/event-log/suite.js";
export { memoryConformance, type MemoryConformanceOptions, type OpenMemory } from "./conformance/memory/suite.js";
export {
  MAX_ASKED,
  PROVIDER_REQUESTS,
  providerConformance,
  type MakeProvider,
  type ProviderConformanceOptions,
} from "./conformance/provider/suite.js";
export type { ConformanceCase } from "./conformance/case.js";
export { DEFAULT_CLOCK_START, fixedClock, MAX_FIRED_TIMERS, type FixedClock } from "./doubles/clock.js";
export { collect, type CollectedRun, type CollectedStream, type StartRun } from "./doubles/collect.js";
export { memoryFiles, type MemoryFiles } from "./doubles/files.js";
export { memoryHost, type MemoryHost, type MemoryHostOptions } from "./doubles/host.js";
export { countingIds, seededBytes, type CountingIds } from "./doubles/ids.js";
export { HTTP_FAULTS } from "./faults/bodies.js";
export {
  describeFault,
  everyFault,
  FAULT_KINDS,
  type Fault,
  type FaultKind,
  type NetworkCode,
} from "./faults/fault.js";
export type { DrawnFaults, ScheduledFaults } from "./faults/plan.js";
export { type FaultPlanOptions, type Injected, MAX_LISTED_FAULTS, type Scheduled } from "./faults/plan.js";
export { faultyProvider, type FaultyProvider, type FaultyProviderOptions } from "./faults/provider.js";
export { formatSurvival, surviveFaults, type SurvivalOptions, type SurvivalRow, type Trial } from "./faults/survive.js";
export {
  everyToolFault,
  faultyTool,
  TOOL_FAULT_KINDS,
  type FaultyTool,
  type FaultyToolOptions,
  type ToolFault,
} from "./faults/tool.js";
export { HarnessError, type HarnessErrorCode } from "./errors.js";
export type { CassettesOptions, FixtureHost, OpenCassette, TestCassetteOptions } from "./fixture/attempt.js";
export { explainEach } from "./fixture/each.js";
export { createCassetteFor, type CassetteFor, type NodeTestContext } from "./fixture/node-test.js";
export { slugOf } from "./fixture/slug.js";
export { CASSETTES_FOLDER, cassettePath, type CassettePathOptions, type FolderEnvironment } from "./fixture/path.js";
export {
  createCassetteReporter,
  PART_BY_NAME,
  type CassetteReporterOptions,
  type ReportedModule,
  type ReportedTest,
  type ReporterHost,
  type Shard,
} from "./fixture/reporter.js";
export type { CassetteUsage } from "./fixture/test-meta.js";
export {
  createVitestFixture,
  type CassetteFixtures,
  type VitestContext,
  type VitestTask,
} from "./fixture/vitest-fixture.js";
export {
  toBundlePage,
  toConversationPage,
  type ConversationPage,
  type ConversationPageOptions,
} from "./html/conversation.js";
export type { LeftOut } from "./html/allowance.js";
export type { LedgerLine } from "./cassette/ledger.js";
export type { LiveProvider } from "./cassette/live.js";
export { CASSETTE_MODES, isCI, resolveMode, type CassetteMode, type ModeEnvironment } from "./cassette/mode.js";
export { openLock, pathInLock } from "./cassette/lock.js";
export { mutateCassette, type MutatedCassette } from "./mutate/apply.js";
export { MUTANT_KINDS, type Mutant, type MutantKind, type MutantOptions } from "./mutate/mutant.js";
export { listMutants, MAX_MUTANTS_PER_CASSETTE } from "./mutate/list.js";
export { inTurns } from "./mutate/sample-order.js";
export { overlaidStore, readOverlay, type Overlay, type OverlayEnvironment } from "./cassette/overlay.js";
export { readForkPlan, type ForkEnvironment, type ForkPlan } from "./cassette/rerecord.js";
export { enforceRules, rulesPolicy, type LiveBreak, type RulesPolicyOptions } from "./rules/policy.js";
export {
  stepCheck,
  type StepCheck,
  type StepCheckOptions,
  type StepProvider,
  type StepSource,
  type StepTurn,
} from "./step-check/check.js";
export { ANSWER, NO_CALL, STEP_VERDICTS, type StepVerdict, type ToolPair } from "./step-check/compare.js";
export {
  ASSUMED_OUTPUT_TOKENS,
  createStepGate,
  MAX_STEPS_AT_ONCE,
  type StepGate,
  type StepLimits,
  type StepStop,
  type StepTicket,
} from "./step-check/gate.js";
export { isAnswers } from "./step-check/prompts.js";
export {
  describeTurn,
  firstDisagreement,
  summariseSteps,
  type Disagreement,
  type StepSummary,
} from "./step-check/report.js";
export type { ToleranceSource } from "./cassette/tolerances.js";
export type { OnToolDrift, ReplaySide, ToolReport, ToolSide } from "./cassette/tool-side.js";
export { createUseCassette, type CassetteHandle, type HarnessHost, type UseCassette } from "./cassette/use-cassette.js";
export type { UseCassetteOptions } from "./cassette/options.js";
export type { CassetteAssertions } from "./matchers/assertions.js";
export type { CallToolOptions } from "./matchers/call-tool.js";
export type { MatchCassetteOptions } from "./matchers/match-cassette.js";
export type { Matcher, MatcherContext, MatcherResult } from "./matchers/matcher.js";
export { createMatchers } from "./matchers/matchers.js";
export type { Baselines, NoDriftOptions } from "./matchers/no-drift.js";
export { createMatcherHost, type LoadPinnedOptions, type MatcherHost } from "./matchers/host.js";
export type { PinOptions } from "./matchers/baseline/options.js";
export type { VerifiedCassetteOptions } from "./matchers/verified-cassette.js";
export type { RunEnd } from "./cassette/finish.js";
export type { ToolCallSpec } from "./matchers/expected-call.js";
export type { Finish, FinishReason } from "./matchers/finish-with.js";
export type { ToolSequence } from "./matchers/sequence/spec.js";
export type { ToolSequenceOptions } from "./matchers/tool-sequence.js";
export type { ReceiptsOptions } from "./matchers/valid-receipts.js";
export type { RunBudget } from "./matchers/within-budget.js";
export { runGate, type GateInput } from "./drift/gate.js";
export { turnLines } from "./drift/lines.js";
export type { GateScenario } from "./drift/measure.js";
export { isPointer, outcomeOf, successOf, type RunOutcome } from "./drift/outcome.js";
export type { GateRun } from "./drift/paths/paths.js";
export {
  VERDICTS,
  type Edit,
  type GateFailure,
  type GateReport,
  type GateSettings,
  type Location,
  type RuleFinding,
  type RunRef,
  type ScenarioReport,
  type UnpairedScenario,
  type Verdict,
} from "./drift/report.js";
export {
  pairScenarios,
  scenarioOf,
  type PairedScenarios,
  type RunFile,
  type ScenarioFiles,
  type UnpairedFiles,
} from "./drift/scenarios.js";
export { trajectoryDistance, trajectoryOf, type Trajectory, type TrajectoryOptions } from "./drift/paths/trajectory.js";
export { describeTypical, type Described, type TypicalRun } from "./drift/paths/typical.js";
export { toJobSummary } from "./reports/markdown.js";
export { toleranceLines } from "./reports/tolerated.js";
export { refusalText, type GateRefusal, type RefusedFile } from "./reports/refusal.js";
export { REPORTER_NAMES, reporterOf, type Reporter } from "./reports/registry.js";
export { MAX_COMPARISONS, shrinkDrift, type Shrunk, type WantedDrift } from "./shrink/shrink.js";
export { shellText } from "./text/shell.js";
export {
  cassetteMiddleware,
  cassetteModel,
  wrappedModel,
  type CassetteMiddleware,
  type CassetteModel,
  type CassetteModelOptions,
  type CassetteModelV2,
} from "./adapters/ai-sdk/middleware.js";
export { assertProvider } from "./adapters/assert-provider.js";
export { fromAiSdk } from "./adapters/ai-sdk/from-ai-sdk.js";
export type { AiSdkModel, AiSdkModelV2, AnyAiSdkModel } from "./adapters/ai-sdk/spec.js";
export { toAiSdk, type ToAiSdkOptions } from "./adapters/ai-sdk/to-ai-sdk.js";
export { fromAgentsModel, toAgentsModel } from "./adapters/openai-agents/model.js";
export type { AgentsModel, AnyAgentsModel } from "./adapters/openai-agents/spec.js";
export {
  countText,
  createRequestTally,
  HELD,
  nameOutside,
  type CountedRequest,
  type OutsideRequest,
  type RequestTally,
} from "./wire/outside.js";
export { parseTurn, readHeldState, readTurn } from "./wire/read-turn.js";
export { refusalReply, type Refusal, type WireBody, type WireReply } from "./wire/reply.js";
export { PIN_HEADER, shelfReply, type ShelfReplyOptions } from "./wire/shelf-reply.js";
export type { ServedStreaming } from "./wire/stream-body.js";
export {
  createMswAdapter,
  type CassetteHandlers,
  type CassetteHandlersOptions,
  type MswAdapter,
  type MswParts,
  type RecordingHandlers,
  type RecordingHandlersOptions,
  type UseCassetteHandlersOptions,
  type UsedCassetteHandlers,
} from "./adapters/msw/adapter.js";
export type { BaseUrls } from "./adapters/msw/bases.js";
export {
  readResponse as readLangChainResponse,
  writeResponse as writeLangChainResponse,
} from "./adapters/langchain/answer.js";
export {
  readCallOptions as readLangChainOptions,
  readTool as readLangChainTool,
} from "./adapters/langchain/call-options.js";
export { createChunkWriter as createLangChainChunks, type WrittenChunk } from "./adapters/langchain/chunks.js";
export { chatModelProvider, type ChatModelLike, type FromLangChainOptions } from "./adapters/langchain/provider.js";
export { readMessages as readLangChainMessages } from "./adapters/langchain/read-message.js";
export { writeMessage as writeLangChainMessage, type WrittenMessage } from "./adapters/langchain/write-message.js";
export type { McpClientLike, McpResult, McpTool } from "./adapters/mcp/client.js";
export { McpToolError } from "./adapters/mcp/failure.js";
export { recordedTools } from "./adapters/mcp/recorded.js";
export { MAX_MCP_PAGES, MAX_MCP_TOOLS, mcpTools, type McpToolsOptions } from "./adapters/mcp/tools.js";
