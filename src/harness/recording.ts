// Where recordings are kept: refused before anything is spent when the file may not be written, and each file once, since
// of two tests that share a file the second would replace what the first recorded.

import { resolve } from "node:path";
import { CASSETTE_SUFFIX, CassetteError, createCassetteStore, type RecordingProvider } from "../cassette/index.js";
import type { FilePort, JsonObject } from "../core/index.js";

type RecordMode = "record" | "refresh";

export interface RecordingDesk {
  /** Call it before the run. Throws `CassetteError` when the recording could not be kept. `fork`: as `record`, into another file. */
  open(file: string, mode: RecordMode | "fork"): Promise<void>;
  /** Call it after the run. Throws `nothing-recorded`, `file-exists`, `too-large` or `file-unreadable`. */
  keep(recorder: RecordingProvider, file: string, mode: RecordMode, options?: KeepOptions): Promise<void>;
  /** True for a file that this owner recorded before: it may do so again. */
  isOwn(file: string): boolean;
}

/** Who recorded what, by the path from the root of the disk. An owner may replace what is its own. */
export type TakenFiles = Map<string, object>;

export interface KeepOptions {
  agentId?: string;
  /** How the run ended; kept in `extensions.outcome`. */
  outcome?: JsonObject;
  maxBytes?: number;
}

/** The desk of one owner, which remembers in `taken` what it kept. */
export function createRecordingDesk(files: FilePort, taken: TakenFiles, owner: object): RecordingDesk {
  const store = createCassetteStore(files);
  const isOwn = (file: string): boolean => taken.get(resolve(file)) === owner;

  function assertFree(file: string): void {
    if (isOwn(file) || !taken.has(resolve(file))) return;
    throw new CassetteError("file-exists", `${file} was recorded by this process already and was left as it is`, {
      file,
      hint: "Two tests share this cassette, or one ran again after its done(): give each a file of its own, and call done() last.",
    });
  }

  return {
    async open(file, mode) {
      assertCassetteName(file);
      assertFree(file);
      if (mode !== "refresh" && !isOwn(file) && (await fileExists(files, file))) throw alreadyThere(file, mode);
    },
    async keep(recorder, file, mode, { agentId, outcome, ...limit } = {}) {
      assertRecorded(recorder, file);
      const cassette = recorder.toCassette({
        ...(agentId === undefined ? {} : { agentId }),
        ...(outcome === undefined ? {} : { extensions: { outcome } }),
      });
      assertFree(file);
      const wasOwn = isOwn(file);
      taken.set(resolve(file), owner);
      try {
        await store.save(file, cassette, { overwrite: mode === "refresh" || wasOwn, ...limit });
      } catch (error) {
        if (!wasOwn) taken.delete(resolve(file));
        throw error;
      }
    },
    isOwn,
  };
}

/** A file that is there but cannot be read counts as there: a damaged recording is never treated as a missing one. */
export async function fileExists(files: FilePort, file: string): Promise<boolean> {
  return (await files.read(file, 0)).kind !== "not-found";
}

function assertCassetteName(file: string): void {
  if (file.endsWith(CASSETTE_SUFFIX)) return;
  throw new CassetteError("invalid-options", `${file} does not end in ${CASSETTE_SUFFIX}, so nothing was recorded`, {
    file,
    hint: `Commands that are given a folder look for ${CASSETTE_SUFFIX} only; name it so.`,
  });
}

function alreadyThere(file: string, mode: "record" | "fork"): CassetteError {
  return new CassetteError("file-exists", `${file} exists and was left as it is; nothing was spent`, {
    file,
    hint:
      mode === "fork"
        ? "A fork replaces nothing: give it another file."
        : "Use CASSETTE_MODE=refresh (cassette record --refresh) to replace it.",
  });
}

function assertRecorded(recorder: RecordingProvider, file: string): void {
  if (recorder.turns > 0) return;
  throw new CassetteError("nothing-recorded", `no turn was recorded for ${file}, so no file was written`, {
    file,
    hint: "Hand the provider of useCassette to the agent, and call done() after the run.",
  });
}
