// Loads one cassette in place of another, for one run of a test command. `cassette mutate` names both in CASSETTE_OVERLAY, and every
// load of a cassette in the harness looks there. The replaced file is never touched, so no crash can lose it.

import { resolve } from "node:path";
import type { CassetteStore } from "../../cassette/index.js";
import { isPlainObject, type FilePort } from "../../core/index.js";
import { HarnessError } from "../errors.js";

/** The environment variable that names the replaced cassettes. */
export interface OverlayEnvironment {
  /** The JSON text of an {@link Overlay}, set by `cassette mutate`. */
  readonly CASSETTE_OVERLAY?: string | undefined;
}

/** The cassettes that are loaded in place of others, for one run of a test command. See docs/mutate.md. */
export interface Overlay {
  /** The path of a file that gets a line of JSON, `{"path":"…"}`, for each loaded cassette. */
  readonly seen: string;
  /** The file to load instead, by the absolute path of the cassette. */
  readonly replace: Readonly<Record<string, string>>;
}

/** The overlay in CASSETTE_OVERLAY; undefined if it is not set. Throws `HarnessError` `overlay-unclear`. */
export function readOverlay({ CASSETTE_OVERLAY: text = "" }: OverlayEnvironment): Overlay | undefined {
  if (text === "") return undefined;
  try {
    const { seen, replace } = JSON.parse(text) as { seen?: unknown; replace?: unknown };
    const isMap = isPlainObject(replace) && Object.values(replace).every((path) => typeof path === "string");
    if (typeof seen === "string" && seen !== "" && isMap) return { seen, replace: replace as Overlay["replace"] };
  } catch {
    // Refused below.
  }
  throw new HarnessError(
    "overlay-unclear",
    "CASSETTE_OVERLAY does not hold an overlay",
    "Unset it. Only cassette mutate sets it, for the command it runs.",
  );
}

/**
 * A store that notes each load and applies the overlay. A replacement is checked against no lock, trust list or size limit: the
 * original was, when the command ran without the overlay.
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
