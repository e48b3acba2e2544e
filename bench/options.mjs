// The command lines of the benchmarks. A wrong command line prints one line and exits 2 before anything is measured. A
// run takes minutes, so its results must have a place to go.

import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";

/**
 * Reads `options`, in the form of `parseArgs` of `node:util`, and at most `words` other words. `--help` prints `usage` and exits.
 * An option that is given twice is refused, because one of the two would be ignored silently.
 */
export function readOptions(command, options, { usage, words = 0 }) {
  const { values, positionals, tokens } = parse(command, {
    options: { ...options, help: { type: "boolean", short: "h", default: false } },
    allowPositionals: words > 0,
    tokens: true,
  });
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  const names = tokens.filter(({ kind }) => kind === "option").map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) fail(command, `--${twice} is given twice`);
  if (positionals.length > words) fail(command, `${JSON.stringify(positionals[words])} is one word too many`);
  return { ...values, words: positionals };
}

function parse(command, config) {
  try {
    return parseArgs(config);
  } catch (error) {
    return fail(command, error.message);
  }
}

export function readCount(command, name, text, least, most) {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= least && count <= most) return count;
  return fail(command, `--${name} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
}

/** Fails if a file of that name could not be written. Does not touch the file. */
export function assertWritable(command, name, file) {
  const why = whyNotWritable(file);
  if (why !== undefined) fail(command, `--${name} cannot be written to ${JSON.stringify(file)}: ${why}`);
}

function whyNotWritable(file) {
  if (file === "") return "the name is empty";
  try {
    const there = statSync(file, { throwIfNoEntry: false });
    if (there?.isDirectory()) return "it is a folder";
    accessSync(there === undefined ? dirname(resolve(file)) : file, constants.W_OK);
    return undefined;
  } catch (error) {
    return error.message;
  }
}

/** The value of a JSON file. */
export function readJson(command, file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const what = error instanceof SyntaxError ? `${file} is not JSON: ${error.message}` : error.message;
    return fail(command, what);
  }
}

export function fail(command, message) {
  console.error(`${command}: ${message}`);
  process.exit(2);
}
