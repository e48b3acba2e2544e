// What blessing would do, decided before anything is written: which run becomes which accepted variant of which scenario, and
// which must not become one.

import { join } from "node:path";
import { CASSETTE_SUFFIX, type CassetteStore, type CassetteV2 } from "../../cassette/index.js";
import { scenarioOf, successOf } from "../../harness/index.js";
import { CliError, toFailure, type Failure } from "../errors.js";
import { loadRecording } from "../recordings.js";

/** A run that is to be accepted: the file, and its path below the folder that was given. */
export interface Candidate {
  file: string;
  name: string;
}

export type Blessing =
  | { file: string; status: "accepted"; to: string; cassette: CassetteV2 }
  /** This very recording is in the baseline. */
  | { file: string; status: "known"; to: string }
  | { file: string; status: "refused"; failure: Failure };

/** The baseline as far as it is needed: the numbers and the envelope hashes of the variants of each scenario. */
interface Variants {
  next: number;
  hashes: Map<string, string>;
}

/** Plans all candidates against the baseline's cassettes (`names`, below `into`). A variant never takes the name of another. */
export async function planBlessings(
  store: CassetteStore,
  candidates: readonly Candidate[],
  { into, names }: { into: string; names: readonly string[] },
): Promise<Blessing[]> {
  const known = new Map<string, Variants>();
  const blessings: Blessing[] = [];
  for (const { file, name } of candidates) {
    const scenario = scenarioOf(name);
    const variants = known.get(scenario) ?? (await readVariants(store, into, names, scenario));
    known.set(scenario, variants);
    blessings.push(await planOne(store, file, { scenario, variants, into }));
  }
  return blessings;
}

async function readVariants(
  store: CassetteStore,
  into: string,
  names: readonly string[],
  scenario: string,
): Promise<Variants> {
  const own = names.filter((name) => scenarioOf(name) === scenario);
  const hashes = new Map<string, string>();
  for (const name of own) {
    const cassette = await store.load(join(into, name), { ports: { warn: () => undefined } });
    if (cassette.version === 2) hashes.set(cassette.envelopeHash, name);
  }
  const numbers = own.map((name) => Number(/\.(\d+)\.cassette\.json$/.exec(name)?.[1] ?? 0));
  return { next: own.length === 0 ? 0 : Math.max(...numbers) + 1, hashes };
}

async function planOne(
  store: CassetteStore,
  file: string,
  { scenario, variants, into }: { scenario: string; variants: Variants; into: string },
): Promise<Blessing> {
  const loaded = await loadRecording(store, file, { requireIntegrity: true });
  if (loaded.kind === "failed") return { file, status: "refused", failure: loaded.failure };
  const cassette = loaded.cassette as CassetteV2;
  const there = variants.hashes.get(cassette.envelopeHash);
  if (there !== undefined) return { file, status: "known", to: join(into, there) };
  if (successOf(cassette) === false) {
    const message = "the recording says that this run failed, and a failing run is never accepted";
    const failure = toFailure(new CliError("run-failed", message, "Record a run that succeeds.", file));
    return { file, status: "refused", failure };
  }
  const name = `${scenario}.${variants.next++}${CASSETTE_SUFFIX}`;
  variants.hashes.set(cassette.envelopeHash, name);
  return { file, status: "accepted", to: join(into, name), cassette };
}
