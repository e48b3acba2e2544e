// The shape of a bundle file, checked before its hash. Unknown fields are refused, as in a cassette.

import { isPlainObject, toPointer } from "../../core/index.js";
import type { Refuse } from "../file/downgrade.js";
import type { BundleFile } from "./format.js";
import { isPlainCassetteName } from "./name.js";
import { findStranger } from "./run.js";

type Fields = Record<string, unknown>;
type Where = readonly (string | number)[];

const HEX_32 = /^[0-9a-f]{32}$/;
const HEX_64 = /^[0-9a-f]{64}$/;
const FIELDS = ["bundleVersion", "path", "ended", "agents", "unasked", "bundleHash"];
const MEMBER = ["cassette", "cassetteId", "envelopeHash", "entries"];

/** Narrows `value` to a bundle whose hash is not checked yet. */
export function checkBundleShape(value: unknown, refuse: Refuse): BundleFile {
  if (!isPlainObject(value)) return refuse("wrong-type", "a bundle must be an object", "");
  checkVersion(value, refuse);
  checkFields(value, FIELDS, ["plan"], [], refuse);
  if (value["plan"] !== undefined) checkPlan(value["plan"], refuse);
  checkTexts(value["path"], ["path"], refuse);
  checkTexts(value["unasked"], ["unasked"], refuse);
  checkEnd(value["ended"], refuse);
  checkMembers(value["agents"], refuse);
  expect(isText(value["bundleHash"], HEX_64), ["bundleHash"], "64 lower-case hex digits", refuse);
  const bundle = value as unknown as BundleFile;
  checkAgents(bundle, refuse);
  return bundle;
}

function checkVersion({ bundleVersion: version }: Fields, refuse: Refuse): void {
  if (version === 1) return;
  const pointer = "/bundleVersion";
  if (typeof version === "number" && Number.isInteger(version) && version > 1) {
    const hint = "Update playhead, or record again with the installed version.";
    refuse("version-newer", `the bundle has version ${version}, and this is a reader of version 1`, pointer, hint);
  }
  refuse("version-malformed", `${JSON.stringify(version) ?? "nothing"} is not a bundle version`, pointer);
}

function checkPlan(plan: unknown, refuse: Refuse): void {
  if (!isPlainObject(plan)) return wrongType(["plan"], "an object", refuse);
  checkFields(plan, ["entry", "edges", "exits"], [], ["plan"], refuse);
  expect(isText(plan["entry"]), ["plan", "entry"], "a string", refuse);
  checkTexts(plan["exits"], ["plan", "exits"], refuse);
  const edges = plan["edges"];
  if (!Array.isArray(edges)) return wrongType(["plan", "edges"], "a list", refuse);
  edges.forEach((edge: unknown, index) => {
    const here = ["plan", "edges", index];
    if (!isPlainObject(edge)) return wrongType(here, "an object", refuse);
    checkFields(edge, ["from", "to", "conditional"], [], here, refuse);
    for (const field of ["from", "to"]) expect(isText(edge[field]), [...here, field], "a string", refuse);
    expect(typeof edge["conditional"] === "boolean", [...here, "conditional"], "true or false", refuse);
  });
}

function checkEnd(ended: unknown, refuse: Refuse): void {
  if (!isPlainObject(ended)) return wrongType(["ended"], "an object", refuse);
  const { kind } = ended;
  expect(["exit", "no-edge", "cycle"].includes(kind as string), ["ended", "kind"], "exit, no-edge or cycle", refuse);
  checkFields(ended, kind === "cycle" ? ["kind", "agentId", "limit"] : ["kind"], [], ["ended"], refuse);
  if (kind !== "cycle") return;
  expect(isText(ended["agentId"]), ["ended", "agentId"], "a string", refuse);
  expect(Number.isSafeInteger(ended["limit"]), ["ended", "limit"], "a whole number", refuse);
}

function checkMembers(agents: unknown, refuse: Refuse): void {
  if (!isPlainObject(agents)) return wrongType(["agents"], "an object", refuse);
  const names = new Set<string>();
  for (const [id, member] of Object.entries(agents)) {
    const here = ["agents", id];
    if (!isPlainObject(member)) return wrongType(here, "an object", refuse);
    checkFields(member, MEMBER, [], here, refuse);
    const { cassette: name, cassetteId, envelopeHash, entries } = member;
    const isPlain = typeof name === "string" && isPlainCassetteName(name);
    expect(isPlain, [...here, "cassette"], "a plain file name that ends in .cassette.json", refuse);
    expect(isText(cassetteId, HEX_32), [...here, "cassetteId"], "32 lower-case hex digits", refuse);
    expect(isText(envelopeHash, HEX_64), [...here, "envelopeHash"], "64 lower-case hex digits", refuse);
    expect(Number.isSafeInteger(entries) && (entries as number) > 0, [...here, "entries"], "a count from 1", refuse);
    const folded = (name as string).toLowerCase();
    if (names.has(folded)) misfit(`two agents have the cassette ${folded}`, [...here, "cassette"], refuse);
    names.add(folded);
  }
}

/** Checks that every agent is listed once, in `agents` or in `unasked`, and that the other fields name only listed agents. */
function checkAgents(bundle: BundleFile, refuse: Refuse): void {
  const { agents, unasked, path } = bundle;
  const asked = Object.keys(agents);
  if (asked.length === 0) misfit("it lists no cassette", ["agents"], refuse);
  const ids = new Set(asked);
  unasked.forEach((id, index) => {
    if (ids.has(id)) misfit(`agent ${quote(id)} is listed twice`, ["unasked", index], refuse);
    ids.add(id);
  });
  const stranger = findStranger(bundle, ids);
  if (stranger !== undefined) misfit(`agent ${quote(stranger.agentId)} is not listed`, stranger.where, refuse);
  const idle = asked.find((id) => !path.includes(id));
  if (idle !== undefined) misfit(`agent ${quote(idle)} has a cassette but was never entered`, ["agents", idle], refuse);
}

function checkFields(
  object: Fields,
  needed: readonly string[],
  optional: readonly string[],
  here: Where,
  refuse: Refuse,
): void {
  const owner = here.length === 0 ? "the bundle" : toPointer(here);
  const unknown = Object.keys(object).find((key) => !needed.includes(key) && !optional.includes(key));
  if (unknown !== undefined) {
    refuse("unknown-field", `${owner} has an unknown field: ${JSON.stringify(unknown)}`, toPointer([...here, unknown]));
  }
  const missing = needed.find((key) => !Object.hasOwn(object, key));
  if (missing !== undefined) refuse("missing-field", `${owner} has no ${missing}`, toPointer([...here, missing]));
}

function checkTexts(value: unknown, here: Where, refuse: Refuse): void {
  expect(Array.isArray(value) && value.every((item) => isText(item)), here, "a list of strings", refuse);
}

function isText(value: unknown, pattern?: RegExp): boolean {
  return typeof value === "string" && (pattern === undefined || pattern.test(value));
}

function expect(holds: boolean, where: Where, expected: string, refuse: Refuse): void {
  if (!holds) wrongType(where, expected, refuse);
}

function wrongType(where: Where, expected: string, refuse: Refuse): never {
  const pointer = toPointer(where);
  return refuse("wrong-type", `${pointer} must be ${expected}`, pointer);
}

function misfit(what: string, where: Where, refuse: Refuse): never {
  return refuse("bundle-mismatch", `the bundle contradicts itself: ${what}`, toPointer(where));
}

function quote(id: string): string {
  return JSON.stringify(id);
}
