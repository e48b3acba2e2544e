// The types of the matchers, for the declarations of a runner.

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

/** The matchers. Paths are relative to the working directory of the tests. Await those that return a promise. */
export interface CassetteAssertions {
  /** The run made the same calls, gave the same texts and took as many turns as the pinned one. Await it. */
  toMatchCassette(pinned: string | Cassette, options?: MatchCassetteOptions): Promise<void>;
  /** The file or cassette passes every check of a load. Await it. */
  toBeVerifiedCassette(options?: VerifiedCassetteOptions): Promise<void>;
  /** The replay used every recorded turn. */
  toConsumeCassette(): void;
  /** The model called this tool; with `args`, with exactly these. They may hold asymmetric matchers. */
  toCallTool(name: string, args?: object, options?: CallToolOptions): void;
  /** The model called this tool exactly `times` times; with `args`, only calls with exactly these count. */
  toCallToolTimes(name: string, times: number, args?: object, options?: CallToolOptions): void;
  /** Each call of `second` follows a call of `first` in an earlier turn. Fails, also negated, if either was never called. */
  toCallToolBefore(first: ToolCallSpec, second: ToolCallSpec): void;
  /** The run made the calls of the list, one item per turn. `mode` says whether order and further calls count. */
  toMatchToolSequence(sequence: ToolSequence, options?: ToolSequenceOptions): void;
  /** The run took no more than each limit. Fails, also negated, if a figure is unknown and no limit is surely broken. */
  toStayWithinBudget(budget: RunBudget): void;
  /** The run ended for this reason, with this answer, or at this agent. */
  toFinishWith(finish: FinishReason | Finish): void;
  /** A cap of an agent's budget, or this one, ended its visit. Takes only the result of a run. */
  toExhaustBudget(cap?: BudgetCap): void;
  /** `cassette diff` from `base`, or from one of several baselines or of a folder, finds nothing. Await it. */
  toHaveNoDriftFrom(base: Baselines, options?: NoDriftOptions): Promise<void>;
  /** The run keeps every rule. `rules` is the path of a file, or the result of `parseRules`. Await it. */
  toKeepRules(rules: string | RuleSet): Promise<void>;
  /** The receipts of a runtime, a list or a file are complete and signed by `key`, or by a key of `trust`. Await it. */
  toHaveValidReceipts(options: ReceiptsOptions): Promise<void>;
}
