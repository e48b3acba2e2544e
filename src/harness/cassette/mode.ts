// The mode of a test, decided in one place from the environment: CI never records, and nothing is spent without a request.

import { HarnessError } from "../errors.js";
import type { IntoEnvironment } from "./paths.js";

/**
 * `replay` answers from the cassette and never calls out. `record` makes a new cassette and refuses to replace one. `refresh` records
 * and replaces. `from-first-miss` replaces what follows the part that still replays. `auto` replays an existing cassette and records a
 * missing one. `live` does neither. `fork` goes live at a turn of one cassette, as `cassette fork` says.
 */
export type CassetteMode = "replay" | "record" | "refresh" | "from-first-miss" | "auto" | "live" | "fork";

/** Every {@link CassetteMode}. */
export const CASSETTE_MODES: readonly CassetteMode[] = [
  "replay",
  "record",
  "refresh",
  "from-first-miss",
  "auto",
  "live",
  "fork",
];
/** The modes that make a whole new recording, which CASSETTE_INTO moves. */
const FRESH_MODES: readonly CassetteMode[] = ["record", "refresh"];
const RECORDING_MODES: readonly CassetteMode[] = [...FRESH_MODES, "from-first-miss", "fork"];

/**
 * The variables that decide. `CI` is set by any value except "", `false`, `0`, `no` and `off`, since services differ. With CASSETTE_INTO,
 * a new recording goes to another folder, so CI may make one.
 */
export interface ModeEnvironment extends IntoEnvironment {
  readonly CASSETTE_MODE?: string | undefined;
  readonly CI?: string | undefined;
}

/** An explicit `mode` wins over `CASSETTE_MODE`, which wins over `replay`. Throws {@link HarnessError}. */
export function resolveMode(environment: ModeEnvironment, mode?: string): CassetteMode {
  const word = mode ?? (environment.CASSETTE_MODE || "replay");
  const wanted = CASSETTE_MODES.find((known) => known === word);
  if (wanted === undefined) {
    throw new HarnessError(
      "mode-unknown",
      `${JSON.stringify(word)} is not a cassette mode`,
      `Use one of ${CASSETTE_MODES.join(", ")}.`,
    );
  }
  if (!isCI(environment)) return wanted;
  const isElsewhere = isFresh(wanted) && (environment.CASSETTE_INTO ?? "") !== "";
  if (RECORDING_MODES.includes(wanted) && !isElsewhere) {
    throw new HarnessError(
      "record-in-ci",
      `mode ${wanted} would record, but CI is set and CI never records`,
      "Record on your own machine, review the cassette and commit it.",
    );
  }
  return wanted === "auto" ? "replay" : wanted;
}

/** True for a mode that makes a whole new recording. */
export function isFresh(mode: CassetteMode): boolean {
  return FRESH_MODES.includes(mode);
}

export function isCI({ CI = "" }: ModeEnvironment): boolean {
  return !["", "false", "0", "no", "off"].includes(CI.toLowerCase());
}
