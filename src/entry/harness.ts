// `playhead/harness`: the tools of a test author, bound to the file system and the environment of this process. Every public name of this
// door is listed here by hand.

import {
  createBenchLoop,
  createCassetteFor,
  createUseCassette,
  createUseCassetteFolder,
  createUseSession,
} from "../harness/index.js";
import { nodeFiles, pathBeside, processMeter } from "../host/index.js";

export {
  // cassettes in tests
  cassettePath,
  HarnessError,
  type CassetteFolder,
  type CassetteHandle,
  type CassetteMode,
  type UseCassetteOptions,
} from "../harness/index.js";
export {
  // faults and doubles
  collect,
  countingIds,
  everyFault,
  faultyProvider,
  faultyTool,
  fixedClock,
  formatSurvival,
  HTTP_FAULTS,
  memoryFiles,
  memoryHost,
  seededBytes,
  surviveFaults,
  type Fault,
} from "../harness/index.js";
export {
  // conformance suites
  eventLogConformance,
  executionStoreConformance,
  memoryConformance,
  PROVIDER_REQUESTS,
  providerConformance,
  schedulerConformance,
  sessionStoreConformance,
  storageConformance,
} from "../harness/index.js";
export {
  // rules for live runs, and another model turn by turn
  createStepGate,
  enforceRules,
  firstDisagreement,
  rulesPolicy,
  stepCheck,
  summariseSteps,
} from "../harness/index.js";
export {
  // scores
  createJudge,
  scorers,
  type Judge,
} from "../harness/index.js";
export {
  // drift and pages
  toBundlePage,
  toConversationPage,
  trajectoryDistance,
  type CassetteAssertions,
} from "../harness/index.js";

/** Opens one cassette for one test, in any test runner. Without the option `mode`, CASSETTE_MODE and CI decide. See docs/tests.md. */
export const useCassette = createUseCassette({ files: nodeFiles(), environment: process.env });

/** Opens a folder of cassettes for one test, one for each part of its run. See docs/agent-runner.md. */
export const useCassetteFolder = createUseCassetteFolder({ files: nodeFiles(), environment: process.env });

/** Opens the bundle of a test of agents that delegate: a cassette for each, and when background jobs ended. See docs/session.md. */
export const useSession = createUseSession({ files: nodeFiles(), environment: process.env }, pathBeside);

/** Opens the cassette of a test of `node:test`, found by the test's file and name. See docs/tests.md. */
export const cassetteFor = createCassetteFor({ files: nodeFiles(), environment: process.env });

/** Measures what a turn loop costs besides its model, with a cassette that answers at once. See docs/bench.md. */
export const benchLoop = createBenchLoop(processMeter());
