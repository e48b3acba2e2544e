// A complete host in memory: every port of the core, files and a memory. It reaches nothing outside, and is the same in every run.

import {
  assertKnownOptions,
  createInMemoryRuntimeMemory,
  showValue,
  type Ports,
  type RuntimeMemory,
} from "../../core/index.js";
import { HarnessError } from "../errors.js";
import { fixedClock, type FixedClock } from "./clock.js";
import { memoryFiles, type MemoryFiles } from "./files.js";
import { assertSeed, countingIds, seededBytes, type CountingIds } from "./ids.js";
import { refuseValue } from "./unclear.js";

export interface MemoryHostOptions {
  /** First time of the clock, in milliseconds since the Unix epoch. Default 2026-01-01. */
  readonly start?: number;
  /** Seed of the random bytes, a whole number. Default 0. */
  readonly seed?: number;
  /** Texts of files by path. Default: no files. */
  readonly files?: Readonly<Record<string, string>>;
  /** The network. Default: fails like a machine without a network. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface MemoryHost {
  /** For everything that takes `ports`. */
  readonly ports: Ports;
  /** The clock behind `ports.now` and `ports.timer`. */
  readonly clock: FixedClock;
  readonly files: MemoryFiles;
  readonly ids: CountingIds;
  /** For the `memory` of a runtime. */
  readonly memory: RuntimeMemory;
  /** Messages of `ports.warn`, in order. */
  readonly warnings: readonly string[];
}

const OPTIONS = ["start", "seed", "files", "fetch"];

/**
 * A complete host in memory: ports, files, ids and a memory. It reaches nothing outside, and is the same in every run. Throws
 * `AgentError` `invalid-options` for an unknown option, and `HarnessError` `double-unclear` for a malformed value.
 */
export function memoryHost(options: MemoryHostOptions = {}): MemoryHost {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    const message = `the options of memoryHost are ${showValue(options)}`;
    throw new HarnessError("double-unclear", message, `The options are ${OPTIONS.join(", ")}.`);
  }
  assertKnownOptions("memoryHost", options, OPTIONS);
  const { start, seed = 0, files = {}, fetch = noNetwork } = options;
  assertSeed("seed of memoryHost", seed);
  if (typeof fetch !== "function") refuseValue("fetch of memoryHost", fetch, "Give a function.");
  const clock = fixedClock(start);
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  return {
    ports: { now: clock.now, timer: clock.timer, randomBytes: seededBytes(seed), fetch, warn },
    clock,
    files: memoryFiles(files),
    ids: countingIds(),
    memory: createInMemoryRuntimeMemory(),
    warnings,
  };
}

/** Rejects as fetch does for an unknown host. */
const noNetwork: typeof globalThis.fetch = async (input) => {
  const { host } = new URL(input instanceof Request ? input.url : input);
  const cause = Object.assign(new Error(`${host} was not found, because a memory host has no network`), {
    code: "ENOTFOUND",
  });
  throw new TypeError("fetch failed", { cause });
};
