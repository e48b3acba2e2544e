// Recordings that continue an older one: a fork at a turn, written to another file, and a recording that keeps its own turns up to the
// first miss. Both leave the old file unchanged until a run has succeeded.

import {
  exchangeSideOf,
  forkProvider,
  isClaimed,
  resumeProvider,
  type CassetteStore,
  type CassetteV2,
  type ForkProvider,
  type RecordingOptions,
  type ResumeOptions,
} from "../../cassette/index.js";
import { HarnessError } from "../errors.js";
import { resolveLive, type LiveProvider } from "./live.js";
import type { KeepOptions, RecordingDesk } from "./recording.js";

/** The variables of mode `fork`, set by `cassette fork`. */
export interface ForkEnvironment {
  /** The cassette to fork. Every other one is replayed. */
  readonly CASSETTE_FORK?: string | undefined;
  /** The first live turn. */
  readonly CASSETTE_FORK_AT?: string | undefined;
  /** The file of the new cassette. */
  readonly CASSETTE_FORK_OUT?: string | undefined;
}

/** What to fork: the cassette `file`, its first live turn `at` (from 0), and the file `out` that is written. */
export interface ForkPlan {
  file: string;
  at: number;
  out: string;
}

/** The plan in the environment. Throws `HarnessError` `fork-unclear` if a variable is missing or invalid. */
export function readForkPlan(environment: ForkEnvironment): ForkPlan {
  const { CASSETTE_FORK: file = "", CASSETTE_FORK_AT: at = "", CASSETTE_FORK_OUT: out = "" } = environment;
  if (file !== "" && out !== "" && /^\d{1,9}$/.test(at)) return { file, at: Number(at), out };
  throw new HarnessError(
    "fork-unclear",
    "mode fork needs CASSETTE_FORK, CASSETTE_FORK_AT and CASSETTE_FORK_OUT: a file, a turn and the file to write",
    "Run the command with cassette fork FILE --at K --out OUT -- …, which sets them.",
  );
}

/** A recording that continues another; `keep` writes it when the run is over. */
interface Rerecording {
  readonly provider: ForkProvider;
  /**
   * False if the file already contains this run. A run that equals the recorded one writes nothing. It is true if another test has replaced
   * the recording since then.
   */
  readonly keep: (options: KeepOptions) => Promise<boolean>;
}

interface Parts {
  store: CassetteStore;
  desk: RecordingDesk;
  live: LiveProvider;
  recording: RecordingOptions & Pick<ResumeOptions, "allowRedacted">;
  limit: { maxBytes?: number };
}

/** Opens a fork. Refuses an existing `out` before anything is spent. */
export async function openFork(plan: ForkPlan, { store, desk, live, recording, limit }: Parts): Promise<Rerecording> {
  const { file, at, out } = plan;
  await desk.open(out, "fork");
  const cassette = await store.load(file, { requireIntegrity: true, ...limit });
  const provider = forkProvider(cassette, { ...recording, at, file, live: () => resolveLive(live) });
  return {
    provider,
    keep: async (options) => {
      await desk.keep(provider, out, "record", { ...limit, ...options });
      return true;
    },
  };
}

/** Opens a recording that replaces `file` if the run differs from it. */
export async function openResume(file: string, { store, desk, live, recording, limit }: Parts): Promise<Rerecording> {
  await desk.open(file, "refresh");
  const cassette = await store.load(file, { requireIntegrity: true, ...limit });
  const provider = resumeProvider(cassette, { ...recording, file, live: () => resolveLive(live) });
  return {
    provider,
    keep: async (options) => {
      if (provider.remaining === 0 && !isNew(provider)) {
        const now = await store.load(file, limit).catch(() => cassette);
        return (now as CassetteV2).envelopeHash !== (cassette as CassetteV2).envelopeHash;
      }
      await desk.keep(provider, file, "refresh", { ...limit, ...options });
      return true;
    },
  };
}

/** True if the run had a live turn, or other exchanges than its recording. Without a door, it keeps those of the recording. */
export function isNew(provider: ForkProvider): boolean {
  return provider.isLive || (isClaimed(provider) && exchangeSideOf(provider).isRepeated?.() === false);
}
