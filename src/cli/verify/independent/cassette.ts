// Recomputes every hash of a cassette from the bytes of its file. docs/cassette-format.md defines what each hash covers.

import { hashOf, PromptHasher } from "./canonical.js";
import { readJson, isRecord, itemsOf, otherKeys, type Fields } from "./json.js";
import { recomputeSignature } from "./signature.js";
import type { Tally } from "./tally.js";

const V1_FIELDS = ["version", "agentId", "recordedAt", "recordedProvider", "entries"];
const V2_FIELDS = [...V1_FIELDS, "cassetteId", "envelopeHash", "extensions", "signature"];
const V1_ENTRY = ["turnIndex", "promptHash", "response"];
const V2_ENTRY = [...V1_ENTRY, "prompt", "responseHash"];

/** Recomputes the cassette in a file and its own signature. Undefined if the file is not a cassette. The tally then says why. */
export function recomputeCassette(bytes: Uint8Array, tally: Tally): Fields | undefined {
  const read = readJson(bytes);
  const value = "value" in read ? read.value : undefined;
  const version = isRecord(value) ? value["version"] : undefined;
  if (!isRecord(value) || !Array.isArray(value["entries"]) || (version !== 1 && version !== 2)) {
    tally.disagree("", "flaw" in read ? read.flaw : "the file is not a cassette of version 1 or 2");
    return undefined;
  }
  findUncovered(value, version, tally);
  if (version === 1) {
    tally.leaveOut("turns of version 1, which has no hashes of answers", value["entries"].length);
    return value;
  }
  recomputeEntries(value, tally);
  recomputeEnvelopeHash(value, tally);
  recomputeContexts(value, tally);
  leaveOutForeign(value, tally);
  leaveOutBodies(value, tally);
  recomputeSignature(value, tally);
  return value;
}

/** Reports unknown fields: no hash covers them, and version 1 has no fields with hashes. */
function findUncovered(cassette: Fields, version: 1 | 2, tally: Tally): void {
  for (const key of otherKeys(cassette, version === 1 ? V1_FIELDS : V2_FIELDS)) {
    tally.disagree(`/${key}`, `version ${version} has no such field`);
  }
  itemsOf(cassette["entries"]).forEach((entry, position) => {
    const here = `/entries/${position}`;
    if (!isRecord(entry)) {
      tally.disagree(here, "the entry is not an object");
      return;
    }
    for (const key of otherKeys(entry, version === 1 ? V1_ENTRY : V2_ENTRY)) {
      tally.disagree(`${here}/${key}`, `an entry of version ${version} has no such field`);
    }
    const { prompt } = entry;
    for (const key of isRecord(prompt) ? otherKeys(prompt, ["keep", "messages"]) : []) {
      tally.disagree(`${here}/prompt/${key}`, "a prompt has no such field");
    }
    if (entry["turnIndex"] !== position) tally.disagree(`${here}/turnIndex`, `the entry is at position ${position}`);
  });
  const { signature } = cassette;
  for (const key of isRecord(signature) ? otherKeys(signature, ["scheme", "keyId", "publicKey", "sig"]) : []) {
    tally.disagree(`/signature/${key}`, "a signature has no such field");
  }
}

function recomputeEntries(cassette: Fields, tally: Tally): void {
  const { cassetteId, extensions } = cassette;
  const prompts = new PromptHasher();
  const entries = itemsOf(cassette["entries"]).map((entry) => (isRecord(entry) ? entry : {}));
  const isKept = isRecord(extensions) ? extensions["prompts"] : undefined;
  const hasFirst = entries[0]?.["prompt"] !== undefined;
  entries.forEach(({ turnIndex, promptHash, prompt, response, responseHash }, position) => {
    const here = `/entries/${position}`;
    const hasPrompt = prompt !== undefined;
    if (hasPrompt !== hasFirst || (typeof isKept === "boolean" && hasPrompt !== isKept)) {
      tally.disagree(`${here}/prompt`, "some entries have a prompt and others do not");
    }
    if (hasPrompt) recomputePrompt(here, prompt, promptHash, prompts, tally);
    else tally.leaveOut("prompt hashes of prompts that were not stored");
    tally.compareHash(`${here}/responseHash`, responseHash, hashOf({ cassetteId, turnIndex, promptHash, response }));
  });
}

function recomputePrompt(here: string, prompt: unknown, stored: unknown, prompts: PromptHasher, tally: Tally): void {
  const { keep, messages } = isRecord(prompt) ? prompt : {};
  const isDelta = typeof keep === "number" && Number.isInteger(keep) && keep >= 0 && keep <= prompts.length;
  if (isDelta && Array.isArray(messages)) {
    tally.compareHash(`${here}/promptHash`, stored, prompts.next(keep, messages));
  } else {
    tally.disagree(`${here}/prompt`, "the prompt cannot be rebuilt from the previous one");
  }
}

/** All fields of the cassette except three, and the digests of its entries in order. */
function recomputeEnvelopeHash(cassette: Fields, tally: Tally): void {
  const { entries, envelopeHash, signature, ...covered } = cassette;
  const entryDigests = itemsOf(entries).map((entry) => (isRecord(entry) ? (entry["responseHash"] ?? null) : null));
  tally.compareHash("/envelopeHash", envelopeHash, hashOf({ ...covered, entryDigests }));
}

/** Absent tools and settings were empty or not stored. */
function recomputeContexts({ extensions }: Fields, tally: Tally): void {
  itemsOf(isRecord(extensions) ? extensions["contexts"] : []).forEach((context, index) => {
    const { tools, toolsHash, settings, settingsHash } = isRecord(context) ? context : {};
    for (const [field, value, stored, empty] of [
      ["toolsHash", tools, toolsHash, []],
      ["settingsHash", settings, settingsHash, {}],
    ] as const) {
      const computed = hashOf(value ?? empty);
      if (value === undefined && stored !== computed)
        tally.leaveOut("hashes of tools or settings that were not stored");
      else tally.compareHash(`/extensions/contexts/${index}/${field}`, stored, computed);
    }
  });
}

/** Counts hashes of other files: the source of a migration, and the recording that a fork continues. */
function leaveOutForeign({ extensions }: Fields, tally: Tally): void {
  const { migrated, forkedFrom } = isRecord(extensions) ? extensions : {};
  for (const mark of [migrated, forkedFrom]) {
    if (mark !== undefined) tally.leaveOut("hashes of other files, which this one was made from");
  }
}

/** Hashes of bytes that were sent and are not in the file. The envelope hash covers the rest of an exchange. */
function leaveOutBodies({ extensions }: Fields, tally: Tally): void {
  for (const exchange of itemsOf(isRecord(extensions) ? extensions["exchanges"] : [])) {
    const request = isRecord(exchange) ? exchange["request"] : undefined;
    const bodies = isRecord(request) ? [request, ...itemsOf(request["parts"])] : [];
    const hashed = bodies.filter((body) => isRecord(body) && body["sha256"] !== undefined).length;
    if (hashed > 0) tally.leaveOut("hashes of request bodies that were not stored", hashed);
  }
}
