// The matchers as a test calls them, for the type declarations of a runner.

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

/** A path is relative to the working directory of the tests. What returns a promise must be awaited. */
export interface CassetteAssertions {
  /** The run made the same calls, said the same and took as many turns as the pinned one. Await it. */
  toMatchCassette(pinned: string | Cassette, options?: MatchCassetteOptions): Promise<void>;
  /** The file or cassette loads with every check. Await it. */
  toBeVerifiedCassette(options?: VerifiedCassetteOptions): Promise<void>;
  /** The replay used every recorded turn. */
  toConsumeCassette(): void;
  /** The model asked for this tool; with `args`, with exactly these. Asymmetric matchers may stand in them. */
  toCallTool(name: string, args?: object, options?: CallToolOptions): void;
  /** The model asked for this tool exactly `times` times; with `args`, calls with exactly these are counted. */
  toCallToolTimes(name: string, times: number, args?: object, options?: CallToolOptions): void;
  /** Each call of `second` has a call of `first` in an earlier turn. Fails, also negated, where one of them was never called. */
  toCallToolBefore(first: ToolCallSpec, second: ToolCallSpec): void;
  /** The calls of the run are those of the list, a turn each; `mode` says how much the order and further calls count. */
  toMatchToolSequence(sequence: ToolSequence, options?: ToolSequenceOptions): void;
  /** The run took no more than each limit. Fails, also negated, where nobody knows and no limit is broken for certain. */
  toStayWithinBudget(budget: RunBudget): void;
  /** Why the run ended, what it said last, which agent answered. */
  toFinishWith(finish: FinishReason | Finish): void;
  /** A cap of an agent's budget, or this one, ended its visit. Of the result of a run alone. */
  toExhaustBudget(cap?: BudgetCap): void;
  /** `cassette diff` from `base` finds nothing; of several baselines, or a folder of them, from one of them. Await it. */
  toHaveNoDriftFrom(base: Baselines, options?: NoDriftOptions): Promise<void>;
  /** Every rule is kept; `rules` is the path of a file, or what `parseRules` gave. Await it. */
  toKeepRules(rules: string | RuleSet): Promise<void>;
  /** The receipts of a runtime, a list or a file are whole and signed by `key`, or by one of `trust`. Await it. */
  toHaveValidReceipts(options: ReceiptsOptions): Promise<void>;
}
