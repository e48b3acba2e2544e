// Options that are numbers, and the ones that several commands share.

import { InvalidArgumentError, Option } from "commander";

/** Equal to `MAX_THREADS` of the host, which a declaration must not load; a test compares them. */
export const MAX_JOBS = 64;

/** The default of `--port`. */
export const DEFAULT_PORT = 4747;

/** Node cannot hold a text of more than about 512 Mi characters. */
const MAX_BYTES = 500_000_000;

/** A parser of whole numbers from `min` to `max`. It throws what commander reports as wrong usage. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}

/** The output does not depend on the number of threads. */
export function jobsOption(): Option {
  const meaning = "number of threads; 1 starts no further thread (default: up to one per core, where that is faster)";
  return new Option("--jobs <n>", meaning).argParser(wholeNumber(1, MAX_JOBS));
}

export function maxBytesOption(): Option {
  const meaning = "size limit of a cassette file in bytes (default: 67108864)";
  return new Option("--max-bytes <n>", meaning).argParser(wholeNumber(1, MAX_BYTES));
}

export function portOption(condition = ""): Option {
  const meaning = `${condition}port to listen on; 0 chooses a free one (default: ${DEFAULT_PORT}, or 0 with a command)`;
  return new Option("--port <n>", meaning).argParser(wholeNumber(0, 65_535));
}
