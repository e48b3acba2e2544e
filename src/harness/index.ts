// The door of the harness: what a test author holds.

export { memoryConformance } from "./conformance/memory.js";
export type { ConformanceCase } from "./conformance/verdict.js";
export { HarnessError, type HarnessErrorCode } from "./errors.js";
export {
  toBundlePage,
  toConversationPage,
  type ConversationPage,
  type ConversationPageOptions,
} from "./html/conversation.js";
export type { LeftOut } from "./html/allowance.js";
export type { LedgerLine } from "./ledger.js";
export type { LiveProvider } from "./live.js";
export { CASSETTE_MODES, isCI, resolveMode, type CassetteMode, type ModeEnvironment } from "./mode.js";
export { openLock, pathInLock } from "./lock.js";
export { mutateCassette, type MutatedCassette } from "./mutate/apply.js";
export { MUTANT_KINDS, type Mutant, type MutantKind, type MutantOptions } from "./mutate/mutant.js";
export { listMutants, MAX_MUTANTS_PER_CASSETTE } from "./mutate/list.js";
export { inTurns } from "./mutate/turns.js";
export { overlaidStore, readOverlay, type Overlay, type OverlayEnvironment } from "./overlay.js";
export { readForkPlan, type ForkEnvironment, type ForkPlan } from "./rerecord.js";
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
export type { ToleranceSource } from "./tolerances.js";
export type { OnToolDrift, ReplaySide, ToolReport, ToolSide } from "./tool-side.js";
export {
  createUseCassette,
  type CassetteHandle,
  type HarnessHost,
  type UseCassette,
  type UseCassetteOptions,
} from "./use-cassette.js";
export type { CassetteAssertions } from "./vitest/assertions.js";
export type { CallToolOptions } from "./vitest/call-tool.js";
export type { MatchCassetteOptions } from "./vitest/match-cassette.js";
export type { MatcherContext, MatcherResult } from "./vitest/matcher.js";
export { createMatchers } from "./vitest/matchers.js";
export type { NoDriftOptions } from "./vitest/no-drift.js";
export type { MatcherHost } from "./vitest/pinned.js";
export type { VerifiedCassetteOptions } from "./vitest/verified-cassette.js";
export type { RunEnd } from "./done.js";
export { runGate, type GateInput } from "./drift/gate.js";
export { turnLines } from "./drift/lines.js";
export type { GateScenario } from "./drift/measure.js";
export { isPointer, outcomeOf, successOf, type RunOutcome } from "./drift/outcome.js";
export type { GateRun } from "./drift/paths.js";
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
export { trajectoryDistance, trajectoryOf, type Trajectory, type TrajectoryOptions } from "./drift/trajectory.js";
export { describeTypical, type Described, type TypicalRun } from "./drift/typical.js";
export { toJobSummary } from "./reports/markdown.js";
export { toleranceLines } from "./reports/tolerated.js";
export { refusalText, type GateRefusal, type RefusedFile } from "./reports/refusal.js";
export { REPORTER_NAMES, reporterOf, type Reporter } from "./reports/registry.js";
export { MAX_COMPARISONS, shrinkDrift, type Shrunk, type WantedDrift } from "./shrink/shrink.js";
