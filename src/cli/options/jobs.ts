// `--jobs`: how many threads share the files of one command. What it prints is the same for every number.

import { InvalidArgumentError } from "commander";

/** `MAX_THREADS` of the host, which is not loaded to declare a command; a test holds them equal. */
export const MAX_JOBS = 64;

/** The argument of `--jobs`. Throws what commander reports as wrong usage. */
export function parseJobs(text: string): number {
  const jobs = Number(text);
  if (/^[1-9]\d?$/.test(text) && jobs <= MAX_JOBS) return jobs;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${MAX_JOBS}.`);
}
