// Paths as arguments. An empty one is what an unset variable leaves behind, and would mean the working folder.

import { InvalidArgumentError } from "commander";

/** An argument or option that is one path. Throws what commander reports as wrong usage. */
export function parsePath(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("Give a path; this one is empty.");
}

/** The same for an argument or option that takes several. */
export function collectPaths(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), parsePath(text)];
}
