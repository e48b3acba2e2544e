// `cassette verify --independent`: computes everything that held again with a second implementation, from the same bytes. Loaded only
// with that option.

import { BUNDLE_SUFFIX, DEFAULT_MAX_FILE_BYTES, ENVELOPE_SUFFIX, type SignatureFinding } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { pathBeside } from "../../host/index.js";
import { CliError } from "../errors.js";
import { count, type PrintLine } from "../terminal/output.js";
import { recomputeBundle } from "./independent/bundle.js";
import { recomputeCassette } from "./independent/cassette.js";
import { recomputeEnvelope } from "./independent/signature.js";
import { Tally, type Disagreement, type Recomputed, packageVersions } from "./independent/tally.js";
import type { LayerRules } from "./layers.js";

interface IndependentSummary extends Recomputed {
  /** Package versions by name. */
  by: Record<string, string>;
}

/**
 * Recomputes a cassette or bundle that holds by the first implementation, which found the signatures `found`. Throws `CliError`
 * `independent-mismatch` for another result.
 */
export async function recomputeFile(
  files: FilePort,
  file: string,
  rules: LayerRules,
  found: readonly SignatureFinding[],
): Promise<Recomputed> {
  const read = async (path: string): Promise<Uint8Array | undefined> => {
    const result = await files.read(path, rules.maxBytes ?? DEFAULT_MAX_FILE_BYTES);
    return result.kind === "read" ? result.bytes : undefined;
  };
  const bytes = (await read(file)) ?? new Uint8Array();
  const tally = file.endsWith(BUNDLE_SUFFIX)
    ? await recomputeBundle(bytes, (name) => read(pathBeside(file, name)))
    : await recomputeSigned(bytes, await read(file + ENVELOPE_SUFFIX), rules, found);
  const { hashes, signatures, notRecomputed, disagreements } = tally;
  const [first] = disagreements;
  if (first !== undefined) throw disagreement(file, first, disagreements.length - 1);
  return { hashes, signatures, notRecomputed };
}

async function recomputeSigned(
  bytes: Uint8Array,
  envelope: Uint8Array | undefined,
  { trust }: LayerRules,
  found: readonly SignatureFinding[],
): Promise<Tally> {
  const tally = new Tally();
  const cassette = recomputeCassette(bytes, tally);
  if (cassette?.["version"] !== 2 || envelope === undefined) return tally;
  if (trust === undefined) {
    tally.leaveOut("files of further signatures, whose keys only --trust names");
    return tally;
  }
  const keys = trust.keys.map(({ publicKey }) => publicKey);
  const holding = recomputeEnvelope(cassette, envelope, keys, tally);
  const known = found.filter(({ where, status }) => where === "envelope" && status !== "unknown-key").length;
  if (holding !== known) tally.disagree("", `${known} further signatures held, and ${holding} hold when recomputed`);
  return tally;
}

function disagreement(file: string, { pointer, what }: Disagreement, more: number): CliError {
  const place = pointer === "" ? "" : ` at ${pointer}`;
  const others = more === 0 ? "" : `, and ${count(more, "more value")}`;
  return new CliError(
    "independent-mismatch",
    `the independent implementation disagrees${place}: ${what}${others}`,
    "Restore the file from version control, or record it again. If you did not change it, report a bug in playhead.",
    file,
  );
}

export function sumRecomputed(recomputed: readonly Recomputed[]): IndependentSummary {
  const tally = new Tally();
  for (const { hashes, signatures, notRecomputed } of recomputed) {
    tally.hashes += hashes;
    tally.signatures += signatures;
    for (const [kind, counted] of Object.entries(notRecomputed)) tally.leaveOut(kind, counted);
  }
  const { hashes, signatures, notRecomputed } = tally;
  return { hashes, signatures, notRecomputed, by: packageVersions() };
}

/** Prints what was recomputed, and what could not be. */
export function printRecomputed(line: PrintLine, summary: IndependentSummary): void {
  const { hashes, signatures, notRecomputed } = summary;
  const by = Object.entries(summary.by).map(([name, version]) => `${name} ${version}`);
  const what = `${count(hashes, "hash", "hashes")}, ${count(signatures, "signature")}`;
  line(`independently recomputed: ${what} by ${by.join(", ")}`);
  const left = Object.entries(notRecomputed).map(([kind, counted]) => `${kind} (${counted})`);
  if (left.length > 0) line(`not recomputed: ${left.join("; ")}`);
}
