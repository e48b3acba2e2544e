// toBeVerifiedCassette: the file or object passes every check of a load. A refused cassette passes with `.not`. A file that
// cannot be read always throws.

import { plural } from "../../core/index.js";
import { CassetteError, type Cassette } from "../../cassette/index.js";
import { isCassetteLike } from "./carrier.js";
import { assertOptions, misfit, type MatcherResult } from "./matcher.js";
import type { MatcherHost, PinTerms } from "./host.js";
import { assertPath, checkPinned, PIN_KINDS, readPinTerms, type PinOptions } from "./baseline/pinned.js";

const NAME = "toBeVerifiedCassette";

/** The options of `toBeVerifiedCassette`. */
export type VerifiedCassetteOptions = PinOptions;

/**
 * Checks the shape, every hash, and that a signature is valid under its own key. `lock` also requires the locked cassette.
 * `trust` also checks who signed it.
 */
export function createVerifiedCassette(host: MatcherHost) {
  return async (received: unknown, options?: unknown): Promise<MatcherResult> => {
    assertOptions(NAME, options, PIN_KINDS);
    const terms = await readPinTerms(NAME, options ?? {}, host);
    const name = typeof received === "string" ? received : "the cassette";
    try {
      return verifiedResult(name, await verify(received, terms, host), terms);
    } catch (error) {
      if (!(error instanceof CassetteError) || isUnread(error, terms)) throw error;
      return refusedResult(name, error);
    }
  };
}

async function verify(received: unknown, terms: PinTerms, host: MatcherHost): Promise<Cassette> {
  if (typeof received === "string") {
    assertPath(NAME, received);
    return host.load(received, terms);
  }
  if (isCassetteLike(received)) return checkPinned(NAME, received, terms);
  const hint = "For a recorder pass recorder.toCassette(), for a replaying provider its .cassette.";
  throw misfit(NAME, "it needs the path of a cassette file or a cassette", received, hint);
}

/** True for an unreadable file or a faulty lock. Such an error says nothing about the cassette itself. */
function isUnread({ code, file }: CassetteError, { lock }: PinTerms): boolean {
  return code === "file-not-found" || code === "file-unreadable" || (lock !== undefined && file === lock);
}

function verifiedResult(name: string, { version, entries }: Cassette, { lock, trust }: PinTerms): MatcherResult {
  const hashes = version === 2 ? "every hash matches" : "no hashes to check";
  const checks = [
    ...(lock === undefined ? [] : ["the lock confirms it"]),
    ...(trust === undefined ? [] : ["no other key signed it"]),
  ];
  const found = [hashes, ...checks].join(", ");
  const message = () =>
    `expected ${name} to be refused, but it verified: version ${version}, ${plural(entries.length, "turn")}, ${found}.\n` +
    "Remove .not, or check that this is the changed cassette.";
  return { pass: true, message };
}

function refusedResult(name: string, { code, summary, hint, pointer }: CassetteError): MatcherResult {
  const place = pointer === undefined || pointer === "" ? "" : `\n  at ${pointer}`;
  const message = () =>
    `expected ${name} to be a verified cassette, but it was refused (${code}): ${summary}${place}\n` +
    (hint ?? "Restore the file from version control, or record it again with CASSETTE_MODE=refresh.");
  return { pass: false, message };
}
