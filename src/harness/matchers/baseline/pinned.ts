// The recording that a run is compared with: the path of its file, or the cassette itself. It is checked as in any other load.

import { defined } from "../../../core/index.js";
import {
  CassetteError,
  checkCassette,
  checkTrust,
  readTrust,
  type Cassette,
  type Trust,
} from "../../../cassette/index.js";
import { isCassetteLike } from "../carrier.js";
import type { MatcherHost, PinTerms } from "../host.js";
import { misfit, misuse, type OptionKinds } from "../matcher.js";
import { describeValue } from "../../text/describe.js";
import { shellPath } from "../../text/shell.js";

/** Checks of the pinned side. A lock and a trust list are checked in addition to the hashes. */
export interface PinOptions {
  /** Refuses version 1 cassettes, also for the run. Default true. */
  readonly requireIntegrity?: boolean;
  /** The path of a lock file that must confirm the cassette, which must be a path as well. */
  readonly lock?: string;
  /** The path of a trust file, or its list. A cassette signed by another key is refused. */
  readonly trust?: string | Trust;
  /** Also refuses an unsigned cassette. Only with `trust`. Default false. */
  readonly requireSignature?: boolean;
}

export const PIN_KINDS = {
  requireIntegrity: "a boolean",
  lock: "a text that is not empty",
  trust: "a path or a trust list",
  requireSignature: "a boolean",
} as const satisfies OptionKinds;

export interface Pinned {
  cassette: Cassette;
  /** Its path, or "the pinned cassette". */
  name: string;
  /** For a command line. */
  path: string;
}

/** Throws `CassetteError` for a trust file that is missing or malformed, and for `requireSignature` without `trust`. */
export async function readPinTerms(matcher: string, options: PinOptions, host: MatcherHost): Promise<PinTerms> {
  const { requireIntegrity = true, lock, trust, requireSignature } = options;
  if (requireSignature === true && trust === undefined) {
    throw misuse(
      matcher,
      "requireSignature needs trust",
      "Set trust as well: anybody can sign with a key of their own.",
    );
  }
  return {
    requireIntegrity,
    ...defined({ lock }),
    ...(trust === undefined ? {} : { trust: await openTrust(matcher, trust, host) }),
    ...defined({ requireSignature }),
  };
}

export async function openTrust(matcher: string, trust: string | Trust, { files }: MatcherHost): Promise<Trust> {
  if (typeof trust !== "string") return checkTrust(trust);
  if (files !== undefined) return readTrust(files, trust);
  throw misuse(matcher, "it cannot read a trust file", "Pass parseTrust(text), or createMatchers({ files }).");
}

/** Loads `pinned`. Throws for a file that is missing or refused, also for a negated assertion. */
export async function loadPinned(
  matcher: string,
  pinned: unknown,
  terms: PinTerms,
  host: MatcherHost,
): Promise<Pinned> {
  if (typeof pinned === "string") {
    assertPath(matcher, pinned);
    const cassette = await named(pinned, () => host.load(pinned, terms));
    return { cassette, name: pinned, path: shellPath(pinned) };
  }
  if (!isCassetteLike(pinned)) {
    throw misfit(matcher, "it compares with a cassette", pinned, "Pass the path of a cassette file, or a cassette.");
  }
  const name = "the pinned cassette";
  return { cassette: await named(name, async () => checkPinned(matcher, pinned, terms)), name, path: "<pinned file>" };
}

/** Checks a cassette in memory, which a lock cannot confirm. */
export function checkPinned(matcher: string, value: object, { lock, ...rest }: PinTerms): Cassette {
  if (lock === undefined) return checkCassette(value, rest);
  throw misuse(matcher, "a lock needs the path of a cassette file", "Pass the path instead of the cassette.");
}

/** Throws for the text of a cassette instead of its path. */
export function assertPath(matcher: string, text: string): void {
  if (text !== "" && !/^\s*[{[]|[\r\n\0]/.test(text)) return;
  const what = text === "" ? "an empty path" : `text instead of a path: ${describeValue(text)}`;
  throw misuse(matcher, `it was given ${what}`, "Pass a path, or parseCassette(text) as a cassette.");
}

/** Adds the file and the code to the message of a refusal, since a runner may print nothing else. */
async function named<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    const { code, summary, hint, file, pointer } = error;
    throw new CassetteError(code, `${name} was refused (${code}): ${summary}`, {
      cause: error,
      ...defined({ hint, file, pointer }),
    });
  }
}
