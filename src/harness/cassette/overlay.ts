// One cassette loaded in the place of another, for one run of a test command. `cassette mutate` says in CASSETTE_OVERLAY what
// stands for what; whatever of the harness loads a cassette by its path asks here. The file that is stood for is never touched,
// so that no crash can lose it.

import { resolve } from "node:path";
import type { CassetteStore } from "../../cassette/index.js";
import { isPlainObject, type FilePort } from "../../core/index.js";
import { HarnessError } from "../errors.js";

/** The environment variables that say which cassettes to load in the place of others. */
export interface OverlayEnvironment {
  /** The JSON text of an {@link Overlay}: set by `cassette mutate`. */
  readonly CASSETTE_OVERLAY?: string | undefined;
}

/** Which cassettes are loaded in the place of others, for one run of a test command. See docs/mutate.md. */
export interface Overlay {
  /** The path of a file to which a line of JSON, `{"path":"…"}`, is added for each cassette that is loaded. */
  readonly seen: string;
  /** The file that is loaded instead, by the path of the cassette from the root of the disk. */
  readonly replace: Readonly<Record<string, string>>;
}

/**
 * The overlay that CASSETTE_OVERLAY holds; undefined where none is set. Throws `HarnessError` `overlay-unclear` for a
 * text that is none.
 */
export function readOverlay({ CASSETTE_OVERLAY: text = "" }: OverlayEnvironment): Overlay | undefined {
  if (text === "") return undefined;
  try {
    const { seen, replace } = JSON.parse(text) as { seen?: unknown; replace?: unknown };
    const isMap = isPlainObject(replace) && Object.values(replace).every((path) => typeof path === "string");
    if (typeof seen === "string" && seen !== "" && isMap) return { seen, replace: replace as Overlay["replace"] };
  } catch {
    // Said below.
  }
  throw new HarnessError(
    "overlay-unclear",
    "CASSETTE_OVERLAY holds no overlay, so nobody knows which cassette is meant",
    "Unset it; cassette mutate sets it for the command it runs.",
  );
}

/**
 * A store whose `load` notes what is loaded and gives what stands for it. A stand-in is held against no lock, no trust list
 * and no limit of bytes: the cassette it stands for was, when the command ran without it.
 */
export function overlaidStore(
  store: CassetteStore,
  files: Pick<FilePort, "append">,
  environment: OverlayEnvironment,
): CassetteStore {
  return {
    save: store.save,
    async load(path, options = {}) {
      const overlay = readOverlay(environment);
      if (overlay === undefined) return store.load(path, options);
      const whole = resolve(path);
      await files.append(overlay.seen, JSON.stringify({ path: whole }) + "\n");
      if (!Object.hasOwn(overlay.replace, whole)) return store.load(path, options);
      const { lock, trust, requireSignature, envelope, ...rest } = options;
      return store.load(overlay.replace[whole] as string, { ...rest, maxBytes: Number.MAX_SAFE_INTEGER });
    },
  };
}
