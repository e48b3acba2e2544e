// Keeps recordings: it refuses a file that may not be written before anything is spent, and writes each file once, since the second of
// two tests that share a file would replace the recording of the first.

import { resolve } from "node:path";
import {
  CASSETTE_SUFFIX,
  FAILED_SUFFIX,
  CassetteError,
  createCassetteStore,
  DEFAULT_MAX_FILE_BYTES,
  exchangeSideOf,
  type CassetteV2,
  type RecordingProvider,
} from "../../cassette/index.js";
import { defined, sha256Hex, type FilePort, type JsonObject } from "../../core/index.js";
import type { RecordedScores } from "../scores/scores.js";
import { adoptCommand } from "../text/rerun-commands.js";

type RecordMode = "record" | "refresh";

/** What is kept: `turns` is 0 if there is nothing to keep. */
type Keepable = Pick<RecordingProvider, "turns" | "toCassette">;

export interface RecordingDesk {
  /**
   * Call it before the run. Throws `CassetteError` if the recording could not be kept; `rerecord` is the command that replaces an existing
   * file. `fork`: as `record`, into another file.
   */
  open(file: string, mode: RecordMode | "fork", rerecord?: string): Promise<void>;
  /**
   * Call it after the run. Throws `nothing-recorded`, `too-large`, `file-unreadable`, or `file-exists`, also if another process changed
   * the file since `open`.
   */
  keep(recorder: Keepable, file: string, mode: RecordMode, options?: KeepOptions): Promise<void>;
  /**
   * Call it after a failed test: keeps the recording as {@link failedFile}. Undefined if there is nothing to keep, or if it cannot be
   * kept, since the test has its own error to show.
   */
  keepFailed(recorder: Keepable, file: string, options?: KeepOptions): Promise<string | undefined>;
  /** True for a file that this owner recorded before, and may record again. */
  isOwn(file: string): boolean;
}

/** The owner of each recorded file, by absolute path. An owner may replace its own files. */
export type TakenFiles = Map<string, object>;

export interface KeepOptions {
  agentId?: string;
  /** The outcome of the run, kept in `extensions.outcome`. */
  outcome?: JsonObject;
  /** Kept in `extensions.scores`. */
  scores?: RecordedScores;
  /** Further extensions. */
  extensions?: JsonObject;
  maxBytes?: number;
}

export function createRecordingDesk(files: FilePort, taken: TakenFiles, owner: object): RecordingDesk {
  const store = createCassetteStore(files);
  const isOwn = (file: string): boolean => taken.get(resolve(file)) === owner;
  const opened = new Map<string, string>();

  function assertFree(file: string): void {
    if (isOwn(file) || !taken.has(resolve(file))) return;
    throw new CassetteError("file-exists", `this process already recorded ${file}, which was left unchanged`, {
      file,
      hint: "Two tests share this cassette, or one ran again after its done(). Give each test its own file, and call done() last.",
    });
  }

  return {
    async open(file, mode, rerecord) {
      assertCassetteName(file);
      assertFree(file);
      const state = await stateOf(files, file);
      if (mode !== "refresh" && !isOwn(file) && state !== MISSING) throw alreadyThere(file, mode, state, rerecord);
      opened.set(file, state);
    },
    async keep(recorder, file, mode, options = {}) {
      assertRecorded(recorder, file);
      const cassette = cassetteOf(recorder, options);
      const limit = defined({ maxBytes: options.maxBytes });
      assertFree(file);
      const wasOwn = isOwn(file);
      const overwrite = mode === "refresh" || wasOwn;
      taken.set(resolve(file), owner);
      try {
        if (overwrite && (await stateOf(files, file)) !== opened.get(file)) throw changedMeanwhile(file);
        await store.save(file, cassette, { overwrite, ...limit });
        await files.remove(failedFile(file));
      } catch (error) {
        if (!wasOwn) taken.delete(resolve(file));
        throw error;
      }
    },
    async keepFailed(recorder, file, options = {}) {
      if (recordedBy(recorder) === 0) return undefined;
      const failed = failedFile(file);
      try {
        const limit = defined({ maxBytes: options.maxBytes });
        await store.save(failed, cassetteOf(recorder, options), { overwrite: true, ...limit });
        return failed;
      } catch (error) {
        if (error instanceof CassetteError) return undefined;
        throw error;
      }
    },
    isOwn,
  };
}

/** The file for the recording of a failed test: `a.failed.cassette.json` for `a.cassette.json`. */
export function failedFile(file: string): string {
  return `${file.slice(0, -CASSETTE_SUFFIX.length)}${FAILED_SUFFIX}`;
}

/** Advice for a missing cassette on the recording that a failed test left next to it, if there is one. */
export async function keptRunHint(files: FilePort, file: string): Promise<string | undefined> {
  const failed = failedFile(file);
  if (!file.endsWith(CASSETTE_SUFFIX) || !(await fileExists(files, failed))) return undefined;
  return `The recording of a failed test was kept. If its assertion was wrong, adopt it: ${adoptCommand(failed)}`;
}

function cassetteOf(recorder: Keepable, { agentId, outcome, scores, extensions: own }: KeepOptions): CassetteV2 {
  const extensions = { ...own, ...defined({ outcome, scores }) };
  return recorder.toCassette({
    ...defined({ agentId }),
    ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
  });
}

/** True also for a file that cannot be read: a damaged recording is never treated as missing. */
export async function fileExists(files: FilePort, file: string): Promise<boolean> {
  return (await files.read(file, 0)).kind !== "not-found";
}

const MISSING = "missing";

/** The state of a file, to compare later: a hash, a size, or why it cannot be read. */
async function stateOf(files: FilePort, file: string): Promise<string> {
  const found = await files.read(file, DEFAULT_MAX_FILE_BYTES);
  switch (found.kind) {
    case "not-found":
      return MISSING;
    case "read":
      return sha256Hex(found.bytes);
    case "too-large":
      return String(found.size);
    case "failed":
      return `${UNREADABLE}${found.message}`;
  }
}

const UNREADABLE = "unreadable: ";

function assertCassetteName(file: string): void {
  if (file.endsWith(FAILED_SUFFIX)) {
    throw new CassetteError("invalid-options", `${file} has the name of the recording of a failed test`, {
      file,
      hint: `Name it without ".failed".`,
    });
  }
  if (file.endsWith(CASSETTE_SUFFIX)) return;
  throw new CassetteError("invalid-options", `${file} does not end in ${CASSETTE_SUFFIX}, so nothing was recorded`, {
    file,
    hint: `Rename it: commands look in a folder only for ${CASSETTE_SUFFIX}.`,
  });
}

function changedMeanwhile(file: string): CassetteError {
  return new CassetteError("file-exists", `${file} changed while it was recorded again, and was left unchanged`, {
    file,
    hint: "Another process or test project records the same cassette. Record with one of them, or give each its own folder.",
  });
}

function alreadyThere(file: string, mode: "record" | "fork", state: string, rerecord?: string): CassetteError {
  if (state.startsWith(UNREADABLE)) {
    const why = state.slice(UNREADABLE.length);
    return new CassetteError("file-unreadable", `${file} cannot be recorded: ${why}; nothing was spent`, {
      file,
      hint: "Check the path and who may read it.",
    });
  }
  return new CassetteError("file-exists", `${file} exists and was left as it is; nothing was spent`, {
    file,
    hint:
      mode === "fork"
        ? "A fork never replaces a file. Name another one."
        : "Use CASSETTE_MODE=refresh (cassette record --refresh) to replace it.",
    ...(rerecord === undefined || mode === "fork" ? {} : { rerecord }),
  });
}

/** Turns and exchanges. */
function recordedBy(recorder: Keepable): number {
  return recorder.turns + (exchangeSideOf(recorder).count?.() ?? 0);
}

function assertRecorded(recorder: Keepable, file: string): void {
  if (recordedBy(recorder) > 0) return;
  throw new CassetteError("nothing-recorded", `no turn was recorded for ${file}, so no file was written`, {
    file,
    hint: "Pass the provider of useCassette to the agent, and call done() after the run. A failed or aborted call is not a turn.",
  });
}
