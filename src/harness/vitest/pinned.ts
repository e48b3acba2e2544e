// The known-good recording a run is compared with: the path of its file, or the cassette itself. Refused as any other load is.

import { CassetteError, checkCassette, type Cassette, type CassetteStore, type RuleSet } from "../../cassette/index.js";
import { isCassetteLike } from "./carrier.js";
import { misuse } from "./matcher.js";
import { describeValue, shellText } from "./words.js";

/** What the matchers need of the machine. */
export interface MatcherHost {
  readonly load: CassetteStore["load"];
  /** Reads a file of rules; without it `toKeepRules` takes no path. */
  readonly loadRules?: (path: string) => Promise<RuleSet>;
}

export interface Pinned {
  cassette: Cassette;
  /** For a sentence: its path, or "the pinned cassette". */
  name: string;
  /** For a command line. */
  path: string;
}

/** Loads `pinned`. A file that is missing or refused throws, whichever way round the assertion stands. */
export async function loadPinned(
  matcher: string,
  pinned: unknown,
  requireIntegrity: boolean,
  host: MatcherHost,
): Promise<Pinned> {
  if (typeof pinned === "string") {
    assertPath(matcher, pinned);
    const cassette = await named(pinned, () => host.load(pinned, { requireIntegrity }));
    return { cassette, name: pinned, path: shellText(pinned) };
  }
  if (!isCassetteLike(pinned)) {
    throw misuse(
      matcher,
      `it compares with a cassette and was given ${describeValue(pinned)}`,
      "Pass the path of a cassette file, or a cassette.",
    );
  }
  const name = "the pinned cassette";
  return {
    cassette: await named(name, async () => checkCassette(pinned, { requireIntegrity })),
    name,
    path: "<pinned file>",
  };
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
    const { code, message, hint, file, pointer } = error;
    throw new CassetteError(code, `${name} was refused (${code}): ${message}`, {
      cause: error,
      ...(hint === undefined ? {} : { hint }),
      ...(file === undefined ? {} : { file }),
      ...(pointer === undefined ? {} : { pointer }),
    });
  }
}
