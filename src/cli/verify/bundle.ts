// A bundle among the files of `cassette verify`: it holds if its own hash holds and every cassette next to it is the one it lists. Its
// cassettes are read again, even if a folder named them already. Lock and signatures are checked for each cassette on its own.

import { CassetteError, createBundleStore, DEFAULT_MAX_FILE_BYTES, parseBundle } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { pathBeside } from "../../host/index.js";
import { toFailure, type Failure } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { count, type PrintLine } from "../terminal/output.js";
import { recordedTurns, type RecordedTurns } from "./coverage.js";
import type { Recomputed } from "./independent/tally.js";

/** A file that does not hold, or could not be read. */
export interface RefusalVerdict {
  file: string;
  status: "refused" | "unreadable";
  failure: Failure;
}

/** A bundle that holds with all its cassettes. `turns` are those of all its agents. */
export interface BundleVerdict {
  file: string;
  status: "ok";
  bundleVersion: 1;
  agents: number;
  turns: number;
  path: string[];
  bundleHash: string;
  /** With --independent. */
  independent?: Recomputed;
  /** The turns of all its cassettes, for receipts. Not printed. */
  recorded: readonly RecordedTurns[];
}

/** Loads the bundle with its cassettes, each of at most `maxBytes`. A failure is a value. */
export async function verifyBundle(
  files: FilePort,
  file: string,
  maxBytes = DEFAULT_MAX_FILE_BYTES,
): Promise<BundleVerdict | RefusalVerdict> {
  try {
    const { bundle, cassettes } = await createBundleStore(files, pathBeside).load(file, { maxBytes });
    const { bundleVersion, path, bundleHash } = bundle;
    const members = Object.values(bundle.agents);
    const turns = members.reduce((sum, { entries }) => sum + entries, 0);
    const recorded = Object.entries(cassettes).map(([agentId, cassette]) => recordedTurns(cassette, agentId));
    return { file, status: "ok", bundleVersion, agents: members.length, turns, path, bundleHash, recorded };
  } catch (error) {
    return toRefusal(file, toFailure(error, file));
  }
}

/** The paths of the bundle's cassettes. Empty for a bundle that does not load, which gets its own verdict. */
export async function membersOf(files: FilePort, file: string, maxBytes = DEFAULT_MAX_FILE_BYTES): Promise<string[]> {
  const result = await files.read(file, maxBytes);
  if (result.kind !== "read") return [];
  try {
    const { agents } = parseBundle(result.bytes, { file, maxBytes });
    return Object.values(agents).map(({ cassette }) => pathBeside(file, cassette));
  } catch (error) {
    if (error instanceof CassetteError) return [];
    throw error;
  }
}

export function toRefusal(file: string, failure: Failure): RefusalVerdict {
  return { file, status: failure.exitCode === EXIT.integrity ? "refused" : "unreadable", failure };
}

export function printBundle(line: PrintLine, { file, bundleVersion, agents, turns, path, bundleHash }: BundleVerdict) {
  const what = `${count(agents, "agent")}, ${count(turns, "turn")}  ${pathText(path)}  ${bundleHash.slice(0, 8)}`;
  line({ look: "good", text: "ok".padEnd(11) }, file, `  bundle v${bundleVersion}  ${what}`);
}

/** The first steps of a path. */
function pathText(path: readonly string[]): string {
  const [shown, more] = [path.slice(0, 8).join(" → "), path.length - 8];
  return more > 0 ? `${shown} → … ${more} more` : shown;
}
