// `--max-bytes`: cassettes larger than the 64 MiB that are read unasked.

import { InvalidArgumentError } from "commander";

/** A text of more characters than some 512 Mi is none that Node can hold. */
const MOST = 500_000_000;

/** What the help says of it. */
export const MAX_BYTES_HELP = "read cassettes of up to this many bytes (67108864)";

/** The argument of `--max-bytes`. Throws what commander reports as wrong usage. */
export function parseMaxBytes(text: string): number {
  const bytes = Number(text);
  if (/^[1-9]\d{0,8}$/.test(text) && bytes <= MOST) return bytes;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${MOST}.`);
}
