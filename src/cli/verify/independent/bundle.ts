// Recomputes the hash of a bundle and of each cassette that it lists, from the bytes of their files.

import { recomputeCassette } from "./cassette.js";
import { hashOf } from "./canonical.js";
import { readJson, isRecord, itemsOf, type Fields } from "./json.js";
import { Tally } from "./tally.js";

/** The bytes of the file with this name next to the bundle. Undefined if there is no such file. */
export type ReadMember = (name: string) => Promise<Uint8Array | undefined>;

/** Recomputes a bundle with its cassettes. */
export async function recomputeBundle(bytes: Uint8Array, readMember: ReadMember): Promise<Tally> {
  const tally = new Tally();
  const read = readJson(bytes);
  const bundle = "value" in read ? read.value : undefined;
  if (!isRecord(bundle) || !isRecord(bundle["agents"])) {
    tally.disagree("", "flaw" in read ? read.flaw : "the file is not a bundle");
    return tally;
  }
  const { bundleHash, ...covered } = bundle;
  tally.compareHash("/bundleHash", bundleHash, hashOf(covered));
  for (const [agentId, member] of Object.entries(bundle["agents"])) {
    await recomputeMember(agentId, isRecord(member) ? member : {}, readMember, tally);
  }
  return tally;
}

async function recomputeMember(agentId: string, listed: Fields, read: ReadMember, tally: Tally): Promise<void> {
  const name = String(listed["cassette"]);
  // A name that leads to another folder cannot be a member, even if the file exists.
  const bytes = /[/\\]/.test(name) ? undefined : await read(name);
  if (bytes === undefined) {
    tally.disagree("/agents", `${name} is not next to the bundle`);
    return;
  }
  const own = new Tally();
  const cassette = recomputeCassette(bytes, own) ?? {};
  const { cassetteId, envelopeHash, entries } = cassette;
  const isListed =
    cassette["agentId"] === agentId &&
    cassetteId === listed["cassetteId"] &&
    envelopeHash === listed["envelopeHash"] &&
    itemsOf(entries).length === listed["entries"];
  if (!isListed) tally.disagree("/agents", `${name} is not the cassette that the bundle lists`);
  for (const { pointer, what } of own.disagreements) tally.disagree(pointer, `${name}: ${what}`);
  tally.hashes += own.hashes;
  tally.signatures += own.signatures;
  for (const [kind, count] of Object.entries(own.notRecomputed)) tally.leaveOut(kind, count);
}
