// Loads a cassette: refuse, never normalise. Checks shape, hashes and signature, and lock and trust list if given.

import {
  copyJson,
  defined,
  isSealed,
  NotJsonError,
  systemPorts,
  toVisible,
  type DsseEnvelope,
  type Ports,
} from "../../core/index.js";
import { hashEnvelope, hashResponse } from "../file/hashes.js";
import { CassetteError } from "../errors.js";
import type { Cassette, CassetteV2 } from "../file/format.js";
import { parseStrictJson, type StrictJsonOptions } from "../file/json.js";
import { checkLocked, type LockPlace } from "./lock.js";
import { migrationOf } from "../file/migrate.js";
import { createPromptChain } from "../prompt/prompt-delta.js";
import type { Refuse } from "../file/downgrade.js";
import { checkShape } from "../file/shape.js";
import { describeFinding, judgeSignatures } from "./signed-by.js";
import { checkTrust, type Trust } from "./trust.js";

/** Requirements for a cassette; the options of {@link checkCassette}. */
export interface CheckOptions {
  /** The path for error messages. */
  file?: string;
  /** Refuses version 1 and cassettes migrated from it, whose contents are not proven. Default false. Recommended in CI. */
  requireIntegrity?: boolean;
  /** The lowest accepted version: 2 refuses version 1. Default 1. */
  minVersion?: 1 | 2;
  /** Refuses a cassette that this lock does not confirm. */
  lock?: LockPlace;
  /** Refuses a signed cassette without a signature by a key of this list. Allows unsigned ones: see `requireSignature`. */
  trust?: Trust;
  /** Refuses an unsigned cassette. Needs `trust`, since anybody can sign with a key of their own. */
  requireSignature?: boolean;
  /** Further signatures, from the `.dsse` file next to the cassette. The `load` of a store reads them if `trust` is given. */
  envelope?: DsseEnvelope;
  /** `warn` prints the one warning about version 1. `now` is the clock for the validity of keys. */
  ports?: Partial<Pick<Ports, "warn" | "now">>;
}

export type ParseOptions = CheckOptions & StrictJsonOptions;

/** Parses and checks a cassette from the text or bytes of its file. Throws {@link CassetteError} with a `LoadErrorCode`. */
export function parseCassette(input: string | Uint8Array, options: ParseOptions = {}): Cassette {
  return check(parseStrictJson(input, options), options);
}

/** Checks an object as a cassette. Copies it unless it is sealed, so that later changes to `value` have no effect. Throws like `parseCassette`. */
export function checkCassette(value: unknown, options: CheckOptions = {}): Cassette {
  return check(copyOrRefuse(value, options), options);
}

function copyOrRefuse(value: unknown, options: CheckOptions): unknown {
  if (typeof value === "object" && value !== null && isSealed(value)) return value;
  try {
    return copyJson(value);
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    return refuseWith(options)("not-json", toVisible(error.message), error.pointer);
  }
}

function check(value: unknown, options: CheckOptions): Cassette {
  const refuse = refuseWith(options);
  const { lock, trust, requireSignature = false } = options;
  if (requireSignature && trust === undefined) {
    throw new CassetteError("invalid-options", "requireSignature needs the option trust", {
      hint: "Pass the trusted keys as trust, since anybody can sign with a key of their own.",
    });
  }
  const cassette = checkShape(value, refuse);
  if (cassette.version === 2) {
    verifyHashes(cassette, refuse);
    verifySignatures(cassette, options, refuse);
  } else if (requireSignature) {
    refuse("signature-missing", "the cassette has version 1, which cannot be signed", "/version", SIGN_HINT);
  }
  requireVersion(cassette, options, refuse);
  if (lock !== undefined) checkLocked(cassette, lock, refuse);
  if (cassette.version === 1) warnOfVersion1(options);
  return cassette;
}

function refuseWith({ file }: CheckOptions): Refuse {
  return (code, message, pointer, hint = "Restore the file from version control, or record it again.") => {
    throw new CassetteError(code, message, { pointer, hint, ...defined({ file }) });
  };
}

function verifyHashes(cassette: CassetteV2, refuse: Refuse): void {
  const prompts = createPromptChain();
  for (const entry of cassette.entries) {
    const { turnIndex, prompt, promptHash, response, responseHash } = entry;
    const here = `/entries/${turnIndex}`;
    if (prompt !== undefined && prompts.advance(prompt.keep, prompt.messages) !== promptHash) {
      const what = "the prompt does not match its promptHash; one of them was changed";
      refuse("prompt-hash", `turn ${turnIndex}: ${what}`, here);
    }
    if (hashResponse(cassette.cassetteId, turnIndex, promptHash, response) !== responseHash) {
      const what = "the response, its place, its prompt or the cassetteId was changed after it was recorded";
      refuse("response-hash", `turn ${turnIndex}: ${what}`, here);
    }
  }
  if (hashEnvelope(cassette) !== cassette.envelopeHash) {
    const what = "the envelope, or the number or order of its entries, was changed after it was recorded";
    refuse("envelope-hash", what, "/envelopeHash");
  }
}

const SIGN_HINT = "Sign it with cassette sign, with a key of the trust list.";

function verifySignatures(cassette: CassetteV2, options: CheckOptions, refuse: Refuse): void {
  const { trust, requireSignature = false, envelope, ports } = options;
  const verdict = judgeSignatures(cassette, {
    now: ports?.now?.() ?? systemPorts.now(),
    ...(trust === undefined ? {} : { trust: checkTrust(trust) }),
    ...(trust === undefined || envelope === undefined ? {} : { envelope }),
  });
  switch (verdict.kind) {
    case "invalid":
      return refuse("signature-invalid", `the signature is not valid: ${verdict.what}`, "/signature");
    case "unsigned":
      if (requireSignature) refuse("signature-missing", "the cassette is not signed", "", SIGN_HINT);
      return;
    case "untrusted": {
      if (trust === undefined) return;
      const what = `no trusted key signed the cassette: ${toVisible(verdict.signatures.map(describeFinding).join("; "))}`;
      return refuse("signature-untrusted", what, "/signature", SIGN_HINT);
    }
    case "trusted":
  }
}

/** Checks the version. A cassette migrated from version 1 proves as little as the original, since its hashes cover the copy. */
function requireVersion(cassette: Cassette, { requireIntegrity, minVersion }: CheckOptions, refuse: Refuse): void {
  const isMigrated = migrationOf(cassette) !== undefined;
  const hint = "Record it again: recordings are version 2.";
  if (cassette.version === 1 && (requireIntegrity === true || minVersion === 2)) {
    const message = "integrity is required, but the cassette has version 1, which has no hashes to prove its contents";
    refuse("integrity-required", message, "/version", hint);
  }
  if (isMigrated && requireIntegrity === true) {
    const message = "integrity is required, but the cassette was migrated from version 1, which had no hashes";
    refuse("integrity-required", message, "/extensions/migrated", hint);
  }
}

/** Version 1 is allowed with one warning per process (per `warn` function). */
const warned = new WeakSet<object>();

function warnOfVersion1({ ports, file }: CheckOptions): void {
  const port = { ...systemPorts, ...ports };
  if (warned.has(port.warn)) return;
  warned.add(port.warn);
  port.warn(
    `playhead: ${file ?? "a cassette"} has version 1, which has no hashes to prove its contents. Record it again to get version 2.`,
  );
}
