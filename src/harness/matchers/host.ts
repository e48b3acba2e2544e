// The machine's files, and the loading of cassettes from them, as matchers need them.

import { createCassetteStore, readRules, type Cassette, type RuleSet, type Trust } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { openLock } from "../cassette/paths.js";
import { overlaidStore, type OverlayEnvironment } from "../cassette/overlay.js";

/** How a matcher loads a cassette. These are the options of `loadCassette`. */
export interface PinTerms {
  requireIntegrity: boolean;
  /** The path of a lock file. */
  lock?: string;
  trust?: Trust;
  requireSignature?: boolean;
}

export interface MatcherHost {
  readonly load: (path: string, options: PinTerms) => Promise<Cassette>;
  /** Reads a rules file. Without it, `toKeepRules` accepts no path. */
  readonly loadRules?: (path: string) => Promise<RuleSet>;
  /** Reads folders of baselines, trust files and receipts files. Without it, matchers accept only values. */
  readonly files?: FilePort;
}

/** Creates a complete host on `files`. It looks up CASSETTE_OVERLAY on every load. */
export function createMatcherHost(files: FilePort, environment: OverlayEnvironment): MatcherHost {
  const store = overlaidStore(createCassetteStore(files), files, environment);
  return {
    files,
    loadRules: (path) => readRules(files, path),
    load: async (path, { lock, ...rest }) =>
      store.load(path, lock === undefined ? rest : { ...rest, lock: await openLock(files, lock, path) }),
  };
}
