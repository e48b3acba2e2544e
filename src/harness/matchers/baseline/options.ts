// The options for loading a cassette that is known to be good: integrity, lock, trust.

import { type Trust } from "../../../cassette/index.js";
import type { OptionKinds } from "../matcher.js";

/** Checks of the pinned side. A lock and a trust list are checked in addition to the hashes. */
export interface PinOptions {
  /** Refuses version 1 cassettes, also for the run. Default true. */
  readonly requireIntegrity?: boolean;
  /** The path of a lock file that must confirm the cassette, which must be a path as well. */
  readonly lock?: string;
  /** The path of a trust file, or its list. A cassette signed by another key is refused. */
  readonly trust?: string | Trust;
  /** Also refuses an unsigned cassette. Only with `trust`. Default false. */
  readonly requireSignature?: boolean;
}

export const PIN_KINDS = {
  requireIntegrity: "a boolean",
  lock: "a text that is not empty",
  trust: "a path or a trust list",
  requireSignature: "a boolean",
} as const satisfies OptionKinds;
