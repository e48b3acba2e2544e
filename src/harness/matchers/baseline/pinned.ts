// Loads the recording that a run is compared with: a file or a cassette. It passes the same checks as any other load.

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

/** Checks of the pinned cassette. `lock` and `trust` add to the check of its hashes. */
export interface PinOptions {
  /** Refuses version 1 cassettes, for the run too. Default true. */
  readonly requireIntegrity?: boolean;
  /** The path of a lock file that must confirm the cassette. The cassette must then be given as a path too. */
  readonly lock?: string;
  /** The path of a trust file, or its list. A cassette signed by another key is refused. */
  readonly trust?: string | Trust;
  /** Also refuses an unsigned cassette. Requires `trust`. Default false. */
  readonly requireSignature?: boolean;
}

export const PIN_KINDS = {
  requireIntegrity: "a boolean",
  lock: "a non-empty string",
  trust: "a path or a trust list",
  requireSignature: "a boolean",
} as const satisfies OptionKinds;

export interface Pinned {
  cassette: Cassette;
  /** Its path, or "the pinned cassette". */
  name: string;
  /** Its path, quoted for a shell, or a placeholder. */
  path: string;
}

/** Throws for `requireSignature` without `trust`, and `CassetteError` for a missing or malformed trust file. */
export async function readPinTerms(matcher: string, options: PinOptions, host: MatcherHost): Promise<PinTerms> {
  const { requireIntegrity = true, lock, trust, requireSignature } = options;
  if (requireSignature === true && trust === undefined) {
    throw misuse(matcher, "requireSignature needs trust", "Set trust too, because anyone can sign with their own key.");
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

/** Loads `pinned`. Throws for a missing or refused file, even with `.not`. */
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
    throw misfit(
      matcher,
      "it needs a cassette to compare with",
      pinned,
      "Pass the path of a cassette file, or a cassette.",
    );
  }
  const name = "the pinned cassette";
  return { cassette: await named(name, async () => checkPinned(matcher, pinned, terms)), name, path: "<pinned file>" };
}

/** Checks a cassette in memory. Throws if a lock is given, because a lock confirms only files. */
export function checkPinned(matcher: string, value: object, { lock, ...rest }: PinTerms): Cassette {
  if (lock === undefined) return checkCassette(value, rest);
  throw misuse(matcher, "a lock needs the path of a cassette file", "Pass the path instead of the cassette.");
}

/** Throws if `text` is the text of a cassette, not a path. */
export function assertPath(matcher: string, text: string): void {
  if (text !== "" && !/^\s*[{[]|[\r\n\0]/.test(text)) return;
  const what = text === "" ? "an empty path" : `text instead of a path: ${describeValue(text)}`;
  throw misuse(matcher, `it was given ${what}`, "Pass a path, or parseCassette(text) as a cassette.");
}

/** Adds the file and the code to the message of a refusal, because a runner may print only the message. */
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
