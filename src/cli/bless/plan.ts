// Decides, before anything is written, which run becomes which accepted variant of its scenario, which is in the baseline already
// or in part, and which must not be accepted.

import { join } from "node:path";
import { CASSETTE_SUFFIX, type Acceptance, type CassetteStore, type CassetteV2 } from "../../cassette/index.js";
import { outcomeOf, scenarioOf } from "../../harness/index.js";
import { CliError, toFailure, type Failure } from "../errors.js";
import { loadRecording } from "../options/recordings.js";

export interface Candidate {
  file: string;
  /** The path below the folder that was given. */
  name: string;
}

export type Blessing =
  /**
   * `completed`: this recording is in the baseline, without its reason or its place in the lock. `isExplained`: an interrupted bless
   * wrote its line before.
   */
  | { file: string; status: "accepted" | "completed"; to: string; cassette: CassetteV2; isExplained: boolean }
  /** This recording is in the baseline. */
  | { file: string; status: "known"; to: string }
  | { file: string; status: "refused"; failure: Failure };

export interface Baseline {
  into: string;
  /** Its cassettes, below `into`. */
  names: readonly string[];
  lines: readonly Acceptance[];
  /** False for a cassette that a lock should confirm and does not. */
  isLocked: (name: string, cassette: CassetteV2) => boolean;
}

interface Demands {
  /** JSON pointer to the success in a run's outcome. */
  success?: string;
  /** Accepts a run that recorded an error and does not say whether it succeeded. */
  allowError: boolean;
}

/** The variants of one scenario in the baseline. */
interface Variants {
  /** The next number. */
  next: number;
  /** Names by envelope hash. */
  hashes: Map<string, string>;
  /** Lines without a cassette, left by an interrupted bless. */
  reserved: Map<string, string>;
  planned: Set<string>;
}

/** Plans all candidates. A variant never takes the name of another. */
export async function planBlessings(
  store: CassetteStore,
  candidates: readonly Candidate[],
  baseline: Baseline,
  demands: Demands,
): Promise<Blessing[]> {
  const known = new Map<string, Variants>();
  const blessings: Blessing[] = [];
  for (const { file, name } of candidates) {
    const scenario = scenarioOf(name);
    const variants = known.get(scenario) ?? (await readVariants(store, baseline, scenario));
    known.set(scenario, variants);
    blessings.push(await planOne(store, file, { scenario, variants, baseline, demands }));
  }
  return blessings;
}

async function readVariants(store: CassetteStore, { into, names, lines }: Baseline, scenario: string) {
  const own = names.filter((name) => scenarioOf(name) === scenario);
  const hashes = new Map<string, string>();
  for (const name of own) {
    const cassette = await store.load(join(into, name), { ports: { warn: () => undefined } });
    if (cassette.version === 2) hashes.set(cassette.envelopeHash, name);
  }
  const missing = lines.filter(({ path }) => scenarioOf(path) === scenario && !own.includes(path));
  const taken = [...own, ...missing.map(({ path }) => path)];
  const numbers = taken.map((name) => Number(/\.(\d+)\.cassette\.json$/.exec(name)?.[1] ?? 0));
  return {
    next: taken.length === 0 ? 0 : numbers.reduce((most, number) => Math.max(most, number), 0) + 1,
    hashes,
    reserved: new Map(missing.map(({ envelopeHash, path }) => [envelopeHash, path])),
    planned: new Set<string>(),
  };
}

async function planOne(
  store: CassetteStore,
  file: string,
  plan: { scenario: string; variants: Variants; baseline: Baseline; demands: Demands },
): Promise<Blessing> {
  const { scenario, variants, baseline } = plan;
  const { into, lines } = baseline;
  const loaded = await loadRecording(store, file, { requireIntegrity: true });
  if (loaded.kind === "failed") return { file, status: "refused", failure: loaded.failure };
  const cassette = loaded.cassette as CassetteV2;
  const { envelopeHash } = cassette;
  const there = variants.hashes.get(envelopeHash);
  const isExplained = lines.some((line) => line.path === there && line.envelopeHash === envelopeHash);
  if (there !== undefined && (variants.planned.has(there) || (isExplained && baseline.isLocked(there, cassette)))) {
    return { file, status: "known", to: join(into, there) };
  }
  const failure = whyNot(file, cassette, plan.demands);
  if (failure !== undefined) return { file, status: "refused", failure: toFailure(failure) };
  if (there !== undefined) {
    variants.planned.add(there);
    return { file, status: "completed", to: join(into, there), cassette, isExplained };
  }
  const reserved = variants.reserved.get(envelopeHash);
  const name = reserved ?? `${scenario}.${variants.next++}${CASSETTE_SUFFIX}`;
  variants.hashes.set(envelopeHash, name);
  variants.planned.add(name);
  return { file, status: "accepted", to: join(into, name), cassette, isExplained: reserved !== undefined };
}

/** Why this run must not be accepted, whatever `--reason` says. */
function whyNot(file: string, cassette: CassetteV2, { success, allowError }: Demands): CliError | undefined {
  const refuse = (message: string, hint: string): CliError => new CliError("run-failed", message, hint, file);
  switch (outcomeOf(cassette, success)) {
    case "succeeded":
      return undefined;
    case "failed":
      return refuse(
        "the recording says that this run failed, and a failed run is never accepted",
        "Record a run that succeeds.",
      );
    case "broken-off":
      if (allowError) return undefined;
      return refuse(
        "the recording has an error and does not say that the run succeeded",
        "Record a run that succeeds, or add --allow-error.",
      );
    case "unrecorded":
      if (success === undefined) return undefined;
      return refuse(
        `the recording has no true, false or number at ${JSON.stringify(success)} of its outcome`,
        "Check --success. npx playhead show --json prints the outcome.",
      );
  }
}
