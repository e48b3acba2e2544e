// One cassette for one test, in any runner: a provider that replays or records as the mode says, and a `done` that writes
// the recording or fails on what was left over.

import { resolve } from "node:path";
import {
  CassetteError,
  cassetteProvider,
  createCassetteStore,
  recordingProvider,
  type HashFilter,
  type Redact,
} from "../cassette/index.js";
import { unknownOptions, type FilePort, type LlmProviderAdapter, type SigningKey } from "../core/index.js";
import { assertLive, resolveLive, type LiveProvider } from "./live.js";
import { openLock } from "./lock.js";
import { resolveMode, type CassetteMode, type ModeEnvironment } from "./mode.js";
import { createRecordingDesk, fileExists } from "./recording.js";
import { describeValue } from "./vitest/words.js";

export interface UseCassetteOptions {
  /** Wins over CASSETTE_MODE. */
  readonly mode?: CassetteMode;
  /** Kept in the recording. */
  readonly agentId?: string;
  readonly hashFilter?: HashFilter;
  readonly redact?: Redact;
  /** Refuses version 1 cassettes. Default true here, since a test should stand on something proven. */
  readonly requireIntegrity?: boolean;
  /** The most bytes a cassette may have, read or written. Default 64 MiB. */
  readonly maxBytes?: number;
  /** The path of a lock file: a replay refuses a cassette that it does not confirm. A recording is not held against it. */
  readonly lock?: string;
  /** Signs what is recorded: a key, or `env:NAME` for one in the environment. Not looked at by a replay. */
  readonly sign?: SigningKey;
}

const OPTIONS: readonly string[] = [
  "mode",
  "agentId",
  "hashFilter",
  "redact",
  "requireIntegrity",
  "maxBytes",
  "lock",
  "sign",
];

export interface CassetteHandle {
  /** Goes where the real provider went. */
  readonly provider: LlmProviderAdapter;
  /** What was decided: `auto` has become `replay` or `record` by now. */
  readonly mode: Exclude<CassetteMode, "auto">;
  readonly file: string;
  /**
   * Call it when the run is over. Recording: writes the file. Replaying: throws `unconsumed` if turns are left. Every further
   * call gives the outcome of the first.
   */
  done(): Promise<void>;
}

export type UseCassette = (file: string, live: LiveProvider, options?: UseCassetteOptions) => Promise<CassetteHandle>;

/** One line of the ledger a `cassette record` or `cassette replay` command reads afterwards. */
export interface LedgerLine {
  /** As the test named it. */
  file: string;
  /** The same from the root of the disk, since two processes may work in two folders. */
  path: string;
  mode: "record" | "refresh" | "replay";
  turns: number;
}

export interface HarnessHost {
  readonly files: FilePort;
  /** All of it: `sign: "env:NAME"` is looked up in it too. */
  readonly environment: ModeEnvironment & { readonly CASSETTE_LEDGER?: string | undefined };
}

/** Binds `useCassette` to the files and environment of a host. One file is recorded once by what is bound here. */
export function createUseCassette({ files, environment }: HarnessHost): UseCassette {
  const store = createCassetteStore(files);
  const desk = createRecordingDesk(files);

  async function note(file: string, mode: LedgerLine["mode"], turns: number): Promise<void> {
    const ledger = environment.CASSETTE_LEDGER;
    const line: LedgerLine = { file, path: resolve(file), mode, turns };
    if (ledger !== undefined && ledger !== "") await files.append(ledger, JSON.stringify(line) + "\n");
  }

  async function replay(file: string, options: UseCassetteOptions): Promise<CassetteHandle> {
    const { hashFilter, requireIntegrity = true, maxBytes, lock } = options;
    const limit = maxBytes === undefined ? {} : { maxBytes };
    const locked = lock === undefined ? {} : { lock: await openLock(files, lock, file) };
    const cassette = await store.load(file, { requireIntegrity, ...limit, ...locked });
    const provider = cassetteProvider(cassette, { file, ...(hashFilter === undefined ? {} : { hashFilter }) });
    const done = once(async () => {
      provider.assertConsumed();
      await note(file, "replay", cassette.entries.length);
    });
    return { provider, mode: "replay", file, done };
  }

  async function record(
    file: string,
    live: LiveProvider,
    mode: "record" | "refresh",
    options: UseCassetteOptions,
  ): Promise<CassetteHandle> {
    await desk.open(file, mode);
    const { agentId, hashFilter, redact, maxBytes, sign } = options;
    const provider = recordingProvider(await resolveLive(live), {
      ...(hashFilter === undefined ? {} : { hashFilter }),
      ...(redact === undefined ? {} : { redact }),
      ...(sign === undefined ? {} : { sign, env: { ...environment } }),
    });
    const done = once(async () => {
      await desk.keep(provider, file, mode, {
        ...(agentId === undefined ? {} : { agentId }),
        ...(maxBytes === undefined ? {} : { maxBytes }),
      });
      await note(file, mode, provider.turns);
    });
    return { provider, mode, file, done };
  }

  return async (file, live, options = {}) => {
    assertArguments(file, options);
    assertLive(live);
    const mode = resolveMode(environment, options.mode);
    switch (mode) {
      case "live":
        return { provider: await resolveLive(live), mode, file, done: async () => undefined };
      case "replay":
        return replay(file, options);
      case "record":
      case "refresh":
        return record(file, live, mode, options);
      case "auto":
        return (await fileExists(files, file)) ? replay(file, options) : record(file, live, "record", options);
    }
  };
}

/** The first outcome for every call, so that a `done` in the test and one in its clean-up do not meet. */
function once(finish: () => Promise<void>): () => Promise<void> {
  let finished: Promise<void> | undefined;
  return () => (finished ??= finish());
}

function assertArguments(file: unknown, options: unknown): void {
  if (typeof file !== "string" || file === "") {
    throw invalid(`the file of useCassette is ${describeValue(file)}`, "Pass the path of a cassette.");
  }
  if (typeof options !== "object" || options === null) {
    throw invalid(`the options of useCassette are ${describeValue(options)}`, "Pass an object, or leave them out.");
  }
  const unknown = unknownOptions(options, OPTIONS);
  if (unknown.length > 0) {
    throw invalid(`useCassette has an unknown option: ${unknown.join(", ")}`, `The options are ${OPTIONS.join(", ")}.`);
  }
  const { maxBytes, lock } = options as UseCassetteOptions;
  if (lock !== undefined && (typeof lock !== "string" || lock === "")) {
    throw invalid(`lock of useCassette is ${describeValue(lock)}`, "Pass the path of a lock file, or leave it out.");
  }
  if (maxBytes === undefined || (Number.isSafeInteger(maxBytes) && maxBytes > 0)) return;
  throw invalid(
    `maxBytes of useCassette is ${describeValue(maxBytes)}`,
    "Pass a whole number of bytes, or leave it out.",
  );
}

function invalid(summary: string, hint: string): CassetteError {
  return new CassetteError("invalid-options", summary, { hint });
}
