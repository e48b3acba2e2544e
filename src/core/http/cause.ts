// What a transport threw, as an error of our own. The object itself is never kept: undici hangs the bytes of the answer on it,
// a client of the caller's its request with the key in a header, and either may have getters that throw.

import { thrownText } from "../text/thrown.js";

/** The name, the words and the code of a failure, each quoted; nothing else of it. */
export interface SafeCause extends Error {
  code?: string;
}

/** `quote` masks the key. Never throws. */
export function toSafeCause(thrown: unknown, quote: (text: string) => string): SafeCause {
  const below = readField(thrown, "cause");
  const words = [thrownText(thrown), below === undefined ? "" : `(${wordsOf(below)})`];
  const cause: SafeCause = new Error(quote(words.join(" ")));
  const name = readField(thrown, "name");
  cause.name = typeof name === "string" ? quote(name) : "Error";
  const code = [readField(thrown, "code"), readField(below, "code")].find((value) => typeof value === "string");
  if (code !== undefined) cause.code = quote(code);
  return cause;
}

/** An AggregateError of several addresses has a code and no words. */
function wordsOf(below: unknown): string {
  const said = thrownText(below);
  return said === "" ? String(readField(below, "code")) : said;
}

/** A field of something foreign; undefined where it cannot be read. */
export function readField(value: unknown, key: "cause" | "code" | "name"): unknown {
  try {
    return (value as Partial<Record<typeof key, unknown>> | null | undefined)?.[key];
  } catch {
    return undefined;
  }
}
