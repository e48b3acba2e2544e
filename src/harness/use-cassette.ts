// One cassette for one test, in any runner: a provider that replays or records as the mode says, and a `done` that writes
// the recording or fails on what was left over.

import {
  CassetteError,
  cassetteProvider,
  createCassetteStore,
  recordingProvider,
  type HashFilter,
  type RecordingProvider,
  type Redact,
} from "../cassette/index.js";
import type { FilePort, LlmProviderAdapter } from "../core/index.js";
import { resolveMode, type CassetteMode, type ModeEnvironment } from "./mode.js";

export interface UseCassetteOptions {
  /** Wins over CASSETTE_MODE. */
  readonly mode?: CassetteMode;
  /** Kept in the recording. */
  readonly agentId?: string;
  readonly hashFilter?: HashFilter;
  readonly redact?: Redact;
  /** Refuses version 1 cassettes. Default true here, since a test should stand on something proven. */
  readonly requireIntegrity?: boolean;
}

export interface CassetteHandle {
  /** Goes where the real provider went. */
  readonly provider: LlmProviderAdapter;
  /** What was decided: `auto` has become `replay` or `record` by now. */
  readonly mode: Exclude<CassetteMode, "auto">;
  readonly file: string;
  /** Call it when the run is over. Recording: writes the file. Replaying: throws `unconsumed` if turns are left. */
  done(): Promise<void>;
}

/** The real provider, or how to make it: a function is not called on replay, so that no key is needed there. */
export type LiveProvider = LlmProviderAdapter | (() => LlmProviderAdapter);

export type UseCassette = (file: string, live: LiveProvider, options?: UseCassetteOptions) => Promise<CassetteHandle>;

/** One line of the ledger a `cassette record` or `cassette replay` command reads afterwards. */
export interface LedgerLine {
  file: string;
  mode: "record" | "refresh" | "replay";
  turns: number;
}

export interface HarnessHost {
  readonly files: FilePort;
  readonly environment: ModeEnvironment & { readonly CASSETTE_LEDGER?: string | undefined };
}

/** Binds `useCassette` to the files and environment of a host. */
export function createUseCassette({ files, environment }: HarnessHost): UseCassette {
  const store = createCassetteStore(files);

  async function note(line: LedgerLine): Promise<void> {
    const ledger = environment.CASSETTE_LEDGER;
    if (ledger !== undefined && ledger !== "") await files.append(ledger, JSON.stringify(line) + "\n");
  }

  async function replay(file: string, options: UseCassetteOptions): Promise<CassetteHandle> {
    const { hashFilter, requireIntegrity = true } = options;
    const cassette = await store.load(file, { requireIntegrity });
    const provider = cassetteProvider(cassette, { file, ...(hashFilter === undefined ? {} : { hashFilter }) });
    return {
      provider,
      mode: "replay",
      file,
      async done() {
        provider.assertConsumed();
        await note({ file, mode: "replay", turns: cassette.entries.length });
      },
    };
  }

  function record(
    file: string,
    live: LiveProvider,
    mode: "record" | "refresh",
    options: UseCassetteOptions,
  ): CassetteHandle {
    const { agentId, hashFilter, redact } = options;
    const recorder = recordingProvider(resolveLive(live), {
      ...(hashFilter === undefined ? {} : { hashFilter }),
      ...(redact === undefined ? {} : { redact }),
    });
    return {
      provider: recorder,
      mode,
      file,
      async done() {
        assertRecorded(recorder, file);
        const cassette = recorder.toCassette(agentId === undefined ? {} : { agentId });
        await store.save(file, cassette, { overwrite: mode === "refresh" });
        await note({ file, mode, turns: recorder.turns });
      },
    };
  }

  return async (file, live, options = {}) => {
    const mode = resolveMode(environment, options.mode);
    switch (mode) {
      case "live":
        return { provider: resolveLive(live), mode, file, done: async () => undefined };
      case "replay":
        return replay(file, options);
      case "refresh":
        return record(file, live, mode, options);
      case "record":
        if (await exists(files, file)) throw alreadyThere(file);
        return record(file, live, mode, options);
      case "auto":
        return (await exists(files, file)) ? replay(file, options) : record(file, live, "record", options);
    }
  };
}

/** A file that is there but cannot be read counts as there: a damaged recording is never treated as a missing one. */
async function exists(files: FilePort, file: string): Promise<boolean> {
  return (await files.read(file, 0)).kind !== "not-found";
}

function alreadyThere(file: string): CassetteError {
  return new CassetteError("file-exists", `${file} exists and was left as it is; nothing was spent`, {
    file,
    hint: "Use CASSETTE_MODE=refresh to replace it.",
  });
}

function assertRecorded(recorder: RecordingProvider, file: string): void {
  if (recorder.turns > 0) return;
  throw new CassetteError("nothing-recorded", `no turn was recorded for ${file}, so no file was written`, {
    file,
    hint: "Hand the provider of useCassette to the agent, and call done() after the run.",
  });
}

function resolveLive(live: LiveProvider): LlmProviderAdapter {
  return typeof live === "function" ? live() : live;
}
