// What the matchers need of the machine: its files, and the cassettes in them.

import { createCassetteStore, readRules, type Cassette, type RuleSet, type Trust } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { openLock } from "../cassette/path-in-lock.js";
import { overlaidStore, type OverlayEnvironment } from "../cassette/overlay.js";

/** How a matcher has a cassette loaded; the same as the options of `loadCassette`. */
export interface PinTerms {
  requireIntegrity: boolean;
  /** The path of a lock file. */
  lock?: string;
  trust?: Trust;
  requireSignature?: boolean;
}

export interface MatcherHost {
  readonly load: (path: string, options: PinTerms) => Promise<Cassette>;
  /** Reads a file of rules; without it `toKeepRules` takes no path. */
  readonly loadRules?: (path: string) => Promise<RuleSet>;
  /** For folders of baselines, trust files and files of receipts; without it those are taken as values alone. */
  readonly files?: FilePort;
}

/** All of it, on the files of a host. CASSETTE_OVERLAY is looked up each time something is loaded. */
export function createMatcherHost(files: FilePort, environment: OverlayEnvironment): MatcherHost {
  const store = overlaidStore(createCassetteStore(files), files, environment);
  return {
    files,
    loadRules: (path) => readRules(files, path),
    load: async (path, { lock, ...rest }) =>
      store.load(path, lock === undefined ? rest : { ...rest, lock: await openLock(files, lock, path) }),
  };
}
