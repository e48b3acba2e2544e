// Loading a cassette: refuse, never normalise. What this returns has the right shape, and in version 2 every hash in it was
// recomputed from the values it carries.

import { copyJson, NotJsonError, systemPorts, toVisible, type Ports } from "../core/index.js";
import { hashEnvelope, hashResponse } from "./build.js";
import { CassetteError } from "./errors.js";
import type { Cassette, CassetteV2 } from "./format.js";
import { parseStrictJson, type StrictJsonOptions } from "./json.js";
import { createPromptChain } from "./prompt.js";
import { checkShape, type Refuse } from "./shape.js";

export interface CheckOptions {
  /** Named in every message. */
  file?: string;
  /** Refuses version 1, whose contents nothing proves. Default false; recommended in CI. */
  requireIntegrity?: boolean;
  /** Where the one warning about version 1 goes. */
  ports?: Pick<Ports, "warn">;
}

export type ParseOptions = CheckOptions & StrictJsonOptions;

/** A cassette from the text or bytes of its file. Throws {@link CassetteError} with a `LoadErrorCode`. */
export function parseCassette(input: string | Uint8Array, options: ParseOptions = {}): Cassette {
  return check(parseStrictJson(input, options), options);
}

/** A cassette from an object, copied so that a later change to `value` cannot reach it. Throws like `parseCassette`. */
export function checkCassette(value: unknown, options: CheckOptions = {}): Cassette {
  return check(copyOrRefuse(value, options), options);
}

function copyOrRefuse(value: unknown, options: CheckOptions): unknown {
  try {
    return copyJson(value);
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    return refuseWith(options)("not-json", toVisible(error.message), error.pointer);
  }
}

function check(value: unknown, options: CheckOptions): Cassette {
  const refuse = refuseWith(options);
  const cassette = checkShape(value, refuse);
  if (cassette.version === 2) verifyHashes(cassette, refuse);
  else admitVersion1(options, refuse);
  return cassette;
}

function refuseWith({ file }: CheckOptions): Refuse {
  return (code, message, pointer, hint = "Restore the file from version control, or record it again.") => {
    throw new CassetteError(code, message, { pointer, hint, ...(file === undefined ? {} : { file }) });
  };
}

function verifyHashes(cassette: CassetteV2, refuse: Refuse): void {
  const prompts = createPromptChain();
  for (const entry of cassette.entries) {
    const { turnIndex, prompt, promptHash, response, responseHash } = entry;
    const here = `/entries/${turnIndex}`;
    if (prompt !== undefined && prompts.advance(prompt.keep, prompt.messages) !== promptHash) {
      refuse(
        "prompt-hash",
        `turn ${turnIndex}: the prompt does not match its promptHash; one of them was changed`,
        here,
      );
    }
    if (hashResponse(cassette.cassetteId, turnIndex, promptHash, response) !== responseHash) {
      refuse(
        "response-hash",
        `turn ${turnIndex}: the response, its place, its prompt or the cassetteId was changed after it was recorded`,
        here,
      );
    }
  }
  if (hashEnvelope(cassette) !== cassette.envelopeHash) {
    refuse(
      "envelope-hash",
      "the envelope, or the number or order of its entries, was changed after it was recorded",
      "/envelopeHash",
    );
  }
}

const warned = new WeakSet<object>();

/** Version 1 is let in with one warning per process (per `warn` function), and not at all under `requireIntegrity`. */
function admitVersion1({ requireIntegrity = false, ports = systemPorts, file }: CheckOptions, refuse: Refuse): void {
  if (requireIntegrity) {
    refuse(
      "integrity-required",
      "the cassette has version 1, which proves nothing about its contents, and integrity is required",
      "/version",
      "Record it again: recordings are version 2.",
    );
  }
  if (warned.has(ports.warn)) return;
  warned.add(ports.warn);
  ports.warn(
    `playhead: ${file ?? "a cassette"} has version 1, whose contents nothing proves. Record it again to get version 2.`,
  );
}
