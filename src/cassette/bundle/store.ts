// The store of bundle files. Few programs have bundles, so the code that reads and writes them is loaded at its first use.

import type { FilePort } from "../../core/index.js";
import { DEFAULT_MAX_FILE_BYTES } from "../limits.js";
import type { SaveOptions } from "../trust/cassette-store.js";
import type { PathBeside } from "./bundle-files.js";
import type { AgentBundle } from "./format.js";

export interface BundleLoadOptions {
  /** For the bundle and each cassette. Default 64 MiB. */
  maxBytes?: number;
}

/** Loads and saves bundle files. Created by {@link createBundleStore}. */
export interface BundleStore {
  /**
   * Throws `CassetteError`: `file-not-found` for the bundle, `bundle-mismatch` for a cassette that is missing or another one,
   * `file-unreadable`, or any `LoadErrorCode`. A cassette's error names its file and its agent.
   */
  readonly load: (path: string, options?: BundleLoadOptions) => Promise<AgentBundle>;
  /**
   * For one writer at a time. Throws as `checkBundle`, `invalid-options` for a path that does not end in `.bundle.json`,
   * `file-exists` unless `overwrite`, `too-large` before anything is written, or `file-unreadable` when the disk refuses. An
   * older bundle stays loadable until the new one is.
   */
  readonly save: (path: string, bundle: AgentBundle, options?: SaveOptions) => Promise<void>;
}

/** Creates a store of bundles on a host's files. `pathBeside` returns the path of a cassette that a bundle names. */
export function createBundleStore(files: FilePort, pathBeside: PathBeside): BundleStore {
  return {
    async load(path, { maxBytes = DEFAULT_MAX_FILE_BYTES } = {}) {
      const { loadBundle } = await import("./bundle-files.js");
      return loadBundle({ files, pathBeside, path, maxBytes });
    },
    async save(path, bundle, { overwrite = false, maxBytes = DEFAULT_MAX_FILE_BYTES } = {}) {
      const { saveBundle } = await import("./bundle-files.js");
      return saveBundle({ files, pathBeside, path, maxBytes }, bundle, overwrite);
    },
  };
}
