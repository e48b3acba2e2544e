// The port that our servers listen on.

import { InvalidArgumentError } from "commander";

/** Taken where the command line names none. */
export const DEFAULT_PORT = 4747;

/** An argument of `--port`. Throws what commander reports as wrong usage. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("Give a number from 0 to 65535.");
}
