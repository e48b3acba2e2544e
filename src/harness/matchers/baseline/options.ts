// The options under which a cassette is loaded as known-good: integrity, lock, trust.

import { type Trust } from "../../../cassette/index.js";
import type { OptionKinds } from "../matcher.js";

/** For the pinned side. A lock and a trust list are asked besides the hashes, never in place of them. */
export interface PinOptions {
  /** Refuses version 1 cassettes, of the run as well. Default true. */
  readonly requireIntegrity?: boolean;
  /** The path of a lock file that must confirm the cassette; it needs the path of one. */
  readonly lock?: string;
  /** Whose signatures count: the path of a trust file, or its list. A cassette signed by others is refused. */
  readonly trust?: string | Trust;
  /** Refuses an unsigned cassette too. Only with `trust`. Default false. */
  readonly requireSignature?: boolean;
}

export const PIN_KINDS = {
  requireIntegrity: "a boolean",
  lock: "a text that is not empty",
  trust: "a path or a trust list",
  requireSignature: "a boolean",
} as const satisfies OptionKinds;
