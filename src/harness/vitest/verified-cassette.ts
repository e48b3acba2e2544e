// toBeVerifiedCassette: the file or object loads with every check. A refusal is the answer here, so under `.not` it passes;
// a file that cannot be read at all is no answer and always throws.

import { CassetteError, checkCassette, type Cassette } from "../../cassette/index.js";
import { isCassetteLike } from "./carrier.js";
import { assertOptions, misuse, type MatcherResult } from "./matcher.js";
import { assertPath, type MatcherHost } from "./pinned.js";
import { countText, describeValue } from "./words.js";

const NAME = "toBeVerifiedCassette";

export interface VerifiedCassetteOptions {
  /** False lets version 1 in, whose contents nothing proves. Default true. */
  readonly requireIntegrity?: boolean;
}

/** Shape, every hash, and a signature under its own key. Not the lock and not whose key it is: `cassette verify` does those. */
export function createVerifiedCassette(host: MatcherHost) {
  return async (received: unknown, options?: VerifiedCassetteOptions): Promise<MatcherResult> => {
    assertOptions(NAME, options, { requireIntegrity: "a boolean" });
    const requireIntegrity = options?.requireIntegrity ?? true;
    const name = typeof received === "string" ? received : "the cassette";
    try {
      return verifiedResult(name, await verify(received, requireIntegrity, host));
    } catch (error) {
      if (!(error instanceof CassetteError) || isUnread(error)) throw error;
      return refusedResult(name, error);
    }
  };
}

async function verify(received: unknown, requireIntegrity: boolean, host: MatcherHost): Promise<Cassette> {
  if (typeof received === "string") {
    assertPath(NAME, received);
    return host.load(received, { requireIntegrity });
  }
  if (isCassetteLike(received)) return checkCassette(received, { requireIntegrity });
  throw misuse(
    NAME,
    `it needs the path of a cassette file or a cassette and was given ${describeValue(received)}`,
    "For a recorder pass recorder.toCassette(), for a replaying provider its .cassette.",
  );
}

function isUnread({ code }: CassetteError): boolean {
  return code === "file-not-found" || code === "file-unreadable";
}

function verifiedResult(name: string, { version, entries }: Cassette): MatcherResult {
  const found = version === 2 ? "and every hash in it holds" : "which has no hashes to check";
  return {
    pass: true,
    message: () =>
      `expected ${name} to be refused, but it verified: version ${version}, ${countText(entries.length, "turn")}, ${found}.\n` +
      "Take .not away, or make sure that this is the changed cassette.",
  };
}

function refusedResult(name: string, { code, summary, hint, pointer }: CassetteError): MatcherResult {
  const place = pointer === undefined || pointer === "" ? "" : `\n  at ${pointer}`;
  return {
    pass: false,
    message: () =>
      `expected ${name} to be a verified cassette, but it was refused (${code}): ${summary}${place}\n` +
      (hint ?? "Restore the file from version control, or record it again with CASSETTE_MODE=refresh."),
  };
}
