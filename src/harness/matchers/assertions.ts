// The types of the matchers, for the type declarations of a test runner.

import type { Cassette, RuleSet } from "../../cassette/index.js";
import type { BudgetCap } from "../../core/index.js";
import type { CallToolOptions } from "./call-tool.js";
import type { ToolCallSpec } from "./expected-call.js";
import type { Finish, FinishReason } from "./finish-with.js";
import type { MatchCassetteOptions } from "./match-cassette.js";
import type { Baselines, NoDriftOptions } from "./no-drift.js";
import type { ToolSequence } from "./sequence/spec.js";
import type { ToolSequenceOptions } from "./tool-sequence.js";
import type { ReceiptsOptions } from "./valid-receipts.js";
import type { VerifiedCassetteOptions } from "./verified-cassette.js";
import type { RunBudget } from "./within-budget.js";

/** The matchers. Paths are relative to the tests' working directory. Await matchers that return a promise. */
export interface CassetteAssertions {
  /** The run made the same calls, gave the same texts and took as many turns as the pinned one. Await it. */
  toMatchCassette(pinned: string | Cassette, options?: MatchCassetteOptions): Promise<void>;
  /** The file or cassette passes every check of a load. Await it. */
  toBeVerifiedCassette(options?: VerifiedCassetteOptions): Promise<void>;
  /** The replay used every recorded turn. */
  toConsumeCassette(): void;
  /** The model called this tool. With `args`, exactly these arguments, which may hold asymmetric matchers. */
  toCallTool(name: string, args?: object, options?: CallToolOptions): void;
  /** The model called this tool exactly `times` times. With `args`, only calls with exactly these arguments count. */
  toCallToolTimes(name: string, times: number, args?: object, options?: CallToolOptions): void;
  /** A call of `first` precedes every call of `second`, in an earlier turn. Fails if either was never called, even with `.not`. */
  toCallToolBefore(first: ToolCallSpec, second: ToolCallSpec): void;
  /** The run made the listed calls, one item per turn. `mode` sets whether order and further calls count. */
  toMatchToolSequence(sequence: ToolSequence, options?: ToolSequenceOptions): void;
  /** The run used no more than each limit. Fails, even with `.not`, if a figure is unknown and no limit is exceeded. */
  toStayWithinBudget(budget: RunBudget): void;
  /** The run ended for this reason, with this answer, or at this agent: all that are given. */
  toFinishWith(finish: FinishReason | Finish): void;
  /** An agent stopped because it reached `cap`, or any cap of its budget. Accepts only the result of a run. */
  toExhaustBudget(cap?: BudgetCap): void;
  /** `cassette diff` finds no difference from `base`, or from one of several baselines or of a folder. Await it. */
  toHaveNoDriftFrom(base: Baselines, options?: NoDriftOptions): Promise<void>;
  /** The run keeps every rule. `rules` is the path of a file, or the result of `parseRules`. Await it. */
  toKeepRules(rules: string | RuleSet): Promise<void>;
  /** The receipts of a runtime, a list or a file form an unbroken chain, signed by `key` or by a key in `trust`. Await it. */
  toHaveValidReceipts(options: ReceiptsOptions): Promise<void>;
}
