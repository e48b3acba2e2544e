// Checks bundles: refuse, never normalise. A cassette belongs to a bundle only if its agent, id, envelope and length are the listed ones.
// This reveals a cassette that was swapped, cut or moved to another agent.

import { copyJson, defined, hashJson, isPlainObject, NotJsonError, toPointer, toVisible } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { Cassette, CassetteV2 } from "../file/format.js";
import { parseStrictJson, type StrictJsonOptions } from "../file/json.js";
import { checkCassette } from "../trust/load-cassette.js";
import type { Refuse } from "../file/downgrade.js";
import type { AgentBundle, BundleFile } from "./format.js";
import { checkBundleShape } from "./shape.js";

const RESTORE = "Restore the bundle and its cassettes together from version control, or record again.";

/** Parses the text or bytes of a bundle file, without its cassettes. Throws `CassetteError` with a `LoadErrorCode`. */
export function parseBundle(input: string | Uint8Array, options: StrictJsonOptions = {}): BundleFile {
  return check(parseStrictJson(input, options), options.file);
}

/** Copies and checks a bundle with its cassettes, given as objects. Throws like `parseBundle`. */
export function checkBundle(value: unknown): AgentBundle {
  const refuse = refuseWith(undefined);
  if (!isPlainObject(value))
    return refuse("wrong-type", "a bundle with its cassettes must be an object { bundle, cassettes }", "");
  const bundle = check(copyOrRefuse(value["bundle"], refuse), undefined);
  const { cassettes } = value;
  if (!isPlainObject(cassettes)) return refuse("wrong-type", "/cassettes must be an object", "/cassettes");
  const extra = Object.keys(cassettes).find((id) => !Object.hasOwn(bundle.agents, id));
  if (extra !== undefined) {
    refuse("bundle-mismatch", `the bundle does not list a cassette of agent ${JSON.stringify(extra)}`, "/cassettes");
  }
  const checked = Object.keys(bundle.agents).map((id): [string, CassetteV2] => {
    if (!Object.hasOwn(cassettes, id)) {
      refuse("bundle-mismatch", `the cassette of agent ${JSON.stringify(id)} is missing`, toPointer(["cassettes", id]));
    }
    return [id, assertMember(bundle, id, checkCassette(cassettes[id], { requireIntegrity: true }))];
  });
  return { bundle, cassettes: Object.fromEntries(checked) };
}

export function hashBundle({ bundleHash, ...covered }: BundleFile): string {
  return hashJson(covered);
}

/** Returns the cassette if it is the one that the bundle lists for this agent. Throws `bundle-mismatch`. */
export function assertMember(bundle: BundleFile, agentId: string, cassette: Cassette, file?: string): CassetteV2 {
  const member = bundle.agents[agentId];
  const refuse = refuseWith(file);
  const differs = (field: string, is: unknown, listed: unknown) =>
    refuse(
      "bundle-mismatch",
      `it is not the cassette that the bundle lists for agent ${JSON.stringify(agentId)}: its ${field} is ` +
        `${JSON.stringify(is) ?? "absent"}, not ${JSON.stringify(listed) ?? "known"}`,
      field === "number of entries" ? "/entries" : `/${field}`,
    );
  if (cassette.version !== 2 || member === undefined) return differs("version", cassette.version, 2);
  if (cassette.agentId !== agentId) differs("agentId", cassette.agentId, agentId);
  if (cassette.cassetteId !== member.cassetteId) differs("cassetteId", cassette.cassetteId, member.cassetteId);
  if (cassette.entries.length !== member.entries) differs("number of entries", cassette.entries.length, member.entries);
  if (cassette.envelopeHash !== member.envelopeHash) {
    differs("envelopeHash", cassette.envelopeHash, member.envelopeHash);
  }
  return cassette;
}

function check(value: unknown, file: string | undefined): BundleFile {
  const refuse = refuseWith(file);
  const bundle = checkBundleShape(value, refuse);
  if (hashBundle(bundle) !== bundle.bundleHash) {
    refuse("bundle-hash", "the bundle was changed after it was written", "/bundleHash");
  }
  return bundle;
}

function copyOrRefuse(value: unknown, refuse: Refuse): unknown {
  try {
    return copyJson(value);
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    return refuse("not-json", toVisible(error.message), error.pointer);
  }
}

function refuseWith(file: string | undefined): Refuse {
  return (code, message, pointer, hint = RESTORE) => {
    throw new CassetteError(code, message, { pointer, hint, ...defined({ file }) });
  };
}
