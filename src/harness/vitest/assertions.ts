// The matchers as a test calls them, for the type declarations of a runner.

import type { Cassette, RuleSet } from "../../cassette/index.js";
import type { CallToolOptions } from "./call-tool.js";
import type { MatchCassetteOptions } from "./match-cassette.js";
import type { NoDriftOptions } from "./no-drift.js";
import type { VerifiedCassetteOptions } from "./verified-cassette.js";

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
  /** `cassette diff` from `base` finds nothing. Await it. */
  toHaveNoDriftFrom(base: string | Cassette, options?: NoDriftOptions): Promise<void>;
  /** Every rule is kept; `rules` is the path of a file, or what `parseRules` gave. Await it. */
  toKeepRules(rules: string | RuleSet): Promise<void>;
}
