// What a test does with its cassette, decided in one place from the environment: CI never records, and nothing is spent
// unless somebody asked for it.

import { HarnessError } from "../errors.js";

/**
 * `replay` answers from the cassette and never calls out. `record` makes a new cassette and refuses to replace one.
 * `refresh` records and replaces. `from-first-miss` replaces what follows the part that still replays. `auto` replays what
 * exists and records what does not. `live` does neither. `fork` goes live at a turn of one cassette, as `cassette fork` says.
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
const RECORDING_MODES: readonly CassetteMode[] = ["record", "refresh", "from-first-miss", "fork"];

/** The variables that decide. `CI` counts as set by any value but an empty one, `false`, `0`, `no` and `off`: services differ. */
export interface ModeEnvironment {
  readonly CASSETTE_MODE?: string | undefined;
  readonly CI?: string | undefined;
}

/** An explicit `mode` wins over `CASSETTE_MODE`, which wins over `replay`. Throws {@link HarnessError}. */
export function resolveMode(environment: ModeEnvironment, mode?: string): CassetteMode {
  const asked = mode ?? (environment.CASSETTE_MODE || "replay");
  if (!isMode(asked)) {
    throw new HarnessError(
      "mode-unknown",
      `${JSON.stringify(asked)} is no cassette mode`,
      `Use one of ${CASSETTE_MODES.join(", ")}.`,
    );
  }
  if (!isCI(environment)) return asked;
  if (RECORDING_MODES.includes(asked)) {
    throw new HarnessError(
      "record-in-ci",
      `mode ${asked} was asked for, but CI is set and CI never records`,
      "Record on your own machine, review the cassette and commit it.",
    );
  }
  return asked === "auto" ? "replay" : asked;
}

/** Whether this is a CI machine: CI is set, and not to `false`, `0`, `no` or `off`. */
export function isCI({ CI = "" }: ModeEnvironment): boolean {
  return !["", "false", "0", "no", "off"].includes(CI.toLowerCase());
}

function isMode(word: string): word is CassetteMode {
  return (CASSETTE_MODES as readonly string[]).includes(word);
}
