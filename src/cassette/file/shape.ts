// The shape of a cassette, checked before any hash. An unknown field is refused, because nothing would check it.

import { findMessageFlaw, findResponseFlaw, isPlainObject, type ResponseFlaw } from "../../core/index.js";
import { checkExchanges } from "./exchanges.js";
import { checkWorkspace } from "./workspace.js";
import { refuseDowngrade, type Refuse, V2_ONLY, V2_ONLY_ENTRY } from "./downgrade.js";
import type { Cassette } from "./format.js";

type Fields = Record<string, unknown>;

const HEX_32 = /^[0-9a-f]{32}$/;
const HEX_64 = /^[0-9a-f]{64}$/;
const V1_FIELDS = ["version", "agentId", "recordedAt", "recordedProvider", "entries"];
const V2_FIELDS = [...V1_FIELDS, ...V2_ONLY];
const V1_ENTRY = ["turnIndex", "promptHash", "response"];
const V2_ENTRY = [...V1_ENTRY, ...V2_ONLY_ENTRY];

/** Checks the shape of a cassette, but not its hashes. */
export function checkShape(value: unknown, refuse: Refuse): Cassette {
  if (!isPlainObject(value)) return refuse("wrong-type", "a cassette is an object", "");
  const version = checkVersion(value, refuse);
  if (version === 1) refuseDowngrade(value, refuse);
  checkFields(value, version, refuse);
  (value["entries"] as unknown[]).forEach((entry, position) => checkEntry(entry, position, version, refuse));
  checkPromptsTogether(value["entries"] as Fields[], refuse);
  checkPromptsMark(value as { entries: Fields[]; extensions?: Fields }, refuse);
  checkMigratedMark(value, refuse);
  return value as unknown as Cassette;
}

/** Refuses a mark that no command writes, since it must not pass for a missing one. */
function checkMigratedMark({ extensions }: { extensions?: Fields }, refuse: Refuse): void {
  const mark = extensions?.["migrated"];
  if (mark === undefined) return;
  const { fromVersion, sourceHash, ...rest } = isPlainObject(mark) ? mark : {};
  const isWhole = fromVersion === 1 && typeof sourceHash === "string" && HEX_64.test(sourceHash);
  if (isWhole && Object.keys(rest).length === 0) return;
  refuse("wrong-type", "extensions.migrated is not what cassette migrate writes", "/extensions/migrated");
}

function checkVersion(value: Fields, refuse: Refuse): 1 | 2 {
  const version = value["version"];
  if (version === 1 || version === 2) return version;
  if (typeof version === "number" && Number.isInteger(version) && version > 2) {
    return refuse(
      "version-newer",
      `the cassette has version ${version}, but only versions 1 and 2 can be read`,
      "/version",
      "Update playhead, or record again with this version.",
    );
  }
  const looksLikeCassette = ["entries", "envelopeHash", "cassetteId"].some((field) => Object.hasOwn(value, field));
  if (version === undefined && !looksLikeCassette) return refuseOther(value, refuse);
  return refuse("version-malformed", `${JSON.stringify(version) ?? "nothing"} is not a cassette version`, "/version");
}

/** Refuses JSON of another kind, which was named by mistake and not tampered with. */
function refuseOther(value: Fields, refuse: Refuse): never {
  const isBundle = Object.hasOwn(value, "bundleVersion");
  return refuse(
    "not-a-cassette",
    `the file is ${isBundle ? "a bundle" : "JSON of another kind"}, not a cassette`,
    "",
    isBundle
      ? "Name the cassettes next to it, or its folder; `cassette verify`, `cassette show --html` and loadBundle take the bundle itself."
      : "Check the path.",
  );
}

function checkFields(value: Fields, version: 1 | 2, refuse: Refuse): void {
  refuseUnknown(value, version === 1 ? V1_FIELDS : V2_FIELDS, "", refuse);
  const need = ["recordedAt", "recordedProvider", ...(version === 1 ? [] : ["cassetteId", "envelopeHash"])];
  for (const field of [...need, "entries"]) {
    if (!Object.hasOwn(value, field)) refuse("missing-field", `the cassette has no ${field}`, `/${field}`);
  }
  for (const field of need) expectType(typeof value[field] === "string", `/${field}`, "a string", refuse);
  expectType(["string", "undefined"].includes(typeof value["agentId"]), "/agentId", "a string", refuse);
  expectType(Array.isArray(value["entries"]), "/entries", "a list", refuse);
  if (version === 1) return;
  expectType(HEX_32.test(value["cassetteId"] as string), "/cassetteId", "32 lower-case hex digits", refuse);
  expectType(HEX_64.test(value["envelopeHash"] as string), "/envelopeHash", "64 lower-case hex digits", refuse);
  for (const field of ["extensions", "signature"]) {
    if (Object.hasOwn(value, field)) expectType(isPlainObject(value[field]), `/${field}`, "an object", refuse);
  }
  if (value["signature"] !== undefined) checkSignature(value["signature"] as Fields, refuse);
  if (value["extensions"] === undefined) return;
  checkContexts(value["extensions"] as Fields, refuse);
  checkExchanges(value["extensions"] as Fields, refuse);
  checkWorkspace(value["extensions"] as Fields, refuse);
}

/** Checks the extension that strict replay compares. Most others are kept unchecked. */
function checkContexts(extensions: Fields, refuse: Refuse): void {
  const contexts = extensions["contexts"];
  if (contexts === undefined) return;
  if (!Array.isArray(contexts))
    return refuse("wrong-type", "/extensions/contexts is not a list", "/extensions/contexts");
  contexts.forEach((context: unknown, index) => {
    const here = `/extensions/contexts/${index}`;
    if (!isPlainObject(context)) return refuse("wrong-type", `${here} is not an object`, here);
    expectType(Number.isInteger(context["fromTurn"]), `${here}/fromTurn`, "a whole number", refuse);
    for (const field of ["toolsHash", "settingsHash"]) {
      expectType(typeof context[field] === "string", `${here}/${field}`, "a string", refuse);
    }
    const { tools = [], settings = {} } = context;
    const areObjects = Array.isArray(tools) && tools.every((tool) => isPlainObject(tool));
    expectType(areObjects, `${here}/tools`, "a list of objects", refuse);
    expectType(isPlainObject(settings), `${here}/settings`, "an object", refuse);
  });
}

function checkEntry(entry: unknown, position: number, version: 1 | 2, refuse: Refuse): void {
  const here = `/entries/${position}`;
  if (!isPlainObject(entry)) return refuse("wrong-type", `${here} is not an object`, here);
  refuseUnknown(entry, version === 1 ? V1_ENTRY : V2_ENTRY, here, refuse);
  for (const field of version === 1 ? V1_ENTRY : [...V1_ENTRY, "responseHash"]) {
    if (!Object.hasOwn(entry, field)) refuse("missing-field", `entry ${position} has no ${field}`, `${here}/${field}`);
  }
  expectType(Number.isInteger(entry["turnIndex"]), `${here}/turnIndex`, "a whole number", refuse);
  if (entry["turnIndex"] !== position) {
    refuse("out-of-order", `entry ${position} has turnIndex ${String(entry["turnIndex"])}`, `${here}/turnIndex`);
  }
  for (const field of version === 1 ? ["promptHash"] : ["promptHash", "responseHash"]) {
    const isHash = typeof entry[field] === "string" && HEX_64.test(entry[field]);
    expectType(isHash, `${here}/${field}`, "64 lower-case hex digits", refuse);
  }
  refuseFlaw(findResponseFlaw(entry["response"]), `${here}/response`, refuse);
  if (entry["prompt"] !== undefined) checkPrompt(entry["prompt"], `${here}/prompt`, refuse);
}

function checkPrompt(prompt: unknown, here: string, refuse: Refuse): void {
  if (!isPlainObject(prompt)) return refuse("wrong-type", `${here} is not an object`, here);
  refuseUnknown(prompt, ["keep", "messages"], here, refuse);
  const { keep, messages } = prompt;
  expectType(Number.isInteger(keep) && (keep as number) >= 0, `${here}/keep`, "a whole number of 0 or more", refuse);
  if (!Array.isArray(messages)) return refuse("wrong-type", `${here}/messages is not a list`, `${here}/messages`);
  messages.forEach((message: unknown, index) => {
    refuseFlaw(findMessageFlaw(message), `${here}/messages/${index}`, refuse);
  });
}

/** Every entry must have a prompt, or none. No delta may keep more messages than the prompt before had. */
function checkPromptsTogether(entries: Fields[], refuse: Refuse): void {
  const first = entries[0]?.["prompt"] !== undefined;
  let length = 0;
  entries.forEach((entry, index) => {
    const prompt = entry["prompt"] as { keep: number; messages: unknown[] } | undefined;
    const here = `/entries/${index}/prompt`;
    if ((prompt !== undefined) !== first) {
      const code = first ? "missing-field" : "unknown-field";
      refuse(code, `entry ${index}: either every entry has a prompt or none`, here);
    }
    if (prompt === undefined) return;
    expectType(prompt.keep <= length, `${here}/keep`, `at most ${length}, the length of the prompt before`, refuse);
    length = prompt.keep + prompt.messages.length;
  });
}

/** The envelope hash covers this mark but not the prompts, which could otherwise all be cut out. */
function checkPromptsMark({ entries, extensions }: { entries: Fields[]; extensions?: Fields }, refuse: Refuse): void {
  const mark = extensions?.["prompts"];
  if (mark === undefined) return;
  expectType(typeof mark === "boolean", "/extensions/prompts", "true or false", refuse);
  const odd = entries.findIndex((entry) => (entry["prompt"] !== undefined) !== mark);
  if (odd < 0) return;
  const what = mark
    ? `entry ${odd} has no prompt, though the recording kept them`
    : `entry ${odd} has a prompt, though the recording kept none`;
  refuse(mark ? "missing-field" : "unknown-field", what, `/entries/${odd}/prompt`);
}

/** Checks only the form of a signature. It is verified after the hashes. */
function checkSignature(signature: Fields, refuse: Refuse): void {
  const fields = ["scheme", "keyId", "publicKey", "sig"];
  refuseUnknown(signature, fields, "/signature", refuse);
  for (const field of fields) {
    if (!Object.hasOwn(signature, field)) refuse("missing-field", `/signature has no ${field}`, `/signature/${field}`);
    expectType(typeof signature[field] === "string", `/signature/${field}`, "a string", refuse);
  }
  expectType(signature["scheme"] === "ed25519-dsse", "/signature/scheme", '"ed25519-dsse"', refuse);
}

function refuseUnknown(object: Fields, known: readonly string[], here: string, refuse: Refuse): void {
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const owner = here === "" ? "the cassette" : here;
  refuse("unknown-field", `${owner} has an unknown field: ${JSON.stringify(unknown)}`, `${here}/${unknown}`);
}

function refuseFlaw(flaw: ResponseFlaw | undefined, here: string, refuse: Refuse): void {
  if (flaw !== undefined) expectType(false, here + flaw.pointer, flaw.expected, refuse);
}

function expectType(holds: boolean, pointer: string, expected: string, refuse: Refuse): void {
  if (!holds) refuse("wrong-type", `${pointer} is not ${expected}`, pointer);
}
