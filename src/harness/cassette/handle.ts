// The handle of one cassette in use by one test.

import { defined, type LlmProviderAdapter } from "../../core/index.js";
import type { AddScore, ScoreSheet } from "../scores/scores.js";
import type { CassetteMode } from "./mode.js";
import type { RunEnd } from "./run-end.js";
import type { ToolSide } from "./tool-side.js";

/** One cassette in use by one test, returned by `useCassette`. */
export interface CassetteHandle extends ToolSide {
  /** Use it in place of the real provider. */
  readonly provider: LlmProviderAdapter;
  /** The decided mode: `auto` has become `replay` or `record`. */
  readonly mode: Exclude<CassetteMode, "auto">;
  readonly file: string;
  /** The extensions of the cassette that is replayed. Only in mode `replay`. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** The command that records this cassette again, if known. */
  readonly rerecord?: string;
  /** Where the fixture and `cassetteFor` keep this recording if the test fails. Only in modes `record` and `refresh`. */
  readonly failedFile?: string;
  /**
   * Scores the run: `score("helpful", 0.8)`. More is better. A recording keeps the score in `extensions.scores`, where `cassette drift`
   * compares it. A replay only checks it. Repeated grades of one answer are a list. Throws `invalid-options`.
   */
  readonly score: AddScore;
  /**
   * Call it when the run is over. Recording: writes the file. Replaying: throws the first miss, also one that the run caught, or
   * `unconsumed` if turns are unused. Every further call has the outcome of the first. Throws `invalid-options` for a wrong `outcome`.
   */
  done(ended?: RunEnd): Promise<void>;
}

/** A handle before it can score. */
export type OpenedHandle = Omit<CassetteHandle, "score">;

/** The handle with `score`, which `done` ends. `rerecord` is the command that records the cassette again. */
export function withScore(handle: OpenedHandle, sheet: ScoreSheet, rerecord: string | undefined): CassetteHandle {
  return {
    ...handle,
    ...defined({ rerecord }),
    score: sheet.add,
    async done(ended) {
      sheet.close();
      await handle.done(ended);
    },
  };
}
