// The known-good recording a run is compared with: the path of its file, or the cassette itself. Refused as any other load is.

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
import type { LoadPinnedOptions, MatcherHost } from "../host.js";
import { misuse } from "../matcher.js";
import type { PinOptions } from "./options.js";
import { describeValue } from "../../text/describe.js";
import { shellPath } from "../../text/shell.js";

export interface Pinned {
  cassette: Cassette;
  /** For a sentence: its path, or "the pinned cassette". */
  name: string;
  /** For a command line. */
  path: string;
}

/** Options whose files are read. */
export type PinTerms = LoadPinnedOptions;

/** Throws `CassetteError` for a trust file that is missing or malformed, and for `requireSignature` without `trust`. */
export async function readPinTerms(matcher: string, options: PinOptions, host: MatcherHost): Promise<PinTerms> {
  const { requireIntegrity = true, lock, trust, requireSignature } = options;
  if (requireSignature === true && trust === undefined) {
    const hint = "Say with trust whose signature counts: anybody can sign with a key of their own.";
    throw misuse(matcher, "requireSignature was asked for without trust", hint);
  }
  return {
    requireIntegrity,
    ...defined({ lock }),
    ...(trust === undefined ? {} : { trust: await openTrust(matcher, trust, host) }),
    ...defined({ requireSignature }),
  };
}

/** A trust list from a path or a value. */
export async function openTrust(matcher: string, trust: string | Trust, { files }: MatcherHost): Promise<Trust> {
  if (typeof trust !== "string") return checkTrust(trust);
  if (files !== undefined) return readTrust(files, trust);
  throw misuse(
    matcher,
    "nobody told it how to read a trust file",
    "Pass parseTrust(text), or createMatchers({ files }).",
  );
}

/** Loads `pinned`. A file that is missing or refused throws, whichever way round the assertion stands. */
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
    throw misuse(
      matcher,
      `it compares with a cassette and was given ${describeValue(pinned)}`,
      "Pass the path of a cassette file, or a cassette.",
    );
  }
  const name = "the pinned cassette";
  return { cassette: await named(name, async () => checkPinned(matcher, pinned, terms)), name, path: "<pinned file>" };
}

/** A cassette that is no file has no place in a lock. */
export function checkPinned(matcher: string, value: object, { lock, ...rest }: PinTerms): Cassette {
  if (lock === undefined) return checkCassette(value, rest);
  throw misuse(matcher, "a lock was asked of a cassette that is no file", "Pass the path of its file.");
}

/** Throws for what is the text of a cassette and not where it lies. */
export function assertPath(matcher: string, text: string): void {
  if (text !== "" && !/^\s*[{[]|[\r\n\0]/.test(text)) return;
  const what = text === "" ? "an empty path" : `text that is no path: ${describeValue(text)}`;
  throw misuse(matcher, `it was given ${what}`, "Pass a path, or parseCassette(text) as a cassette.");
}

/** Puts the file and the code into the message of a refusal; a runner may print nothing else. */
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
