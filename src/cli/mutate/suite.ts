// Finds the cassettes to mutate: the named ones that the test command loads.

import { realpath } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { createCassetteStore, type CassetteV2 } from "../../cassette/index.js";
import { isWithin } from "../../host/index.js";
import { noCassettesIn } from "../errors.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { findFiles, loadRecording } from "../options/recordings.js";

export interface Member {
  /** The path as named, or relative to the working folder. */
  file: string;
  /** The absolute paths by which the command loads it. */
  paths: string[];
  envelopeHash: string;
}

export interface Suite {
  members: Member[];
  /** Named cassettes that the command does not load. */
  unused: string[];
  leftOut: { file: string; why: string }[];
}

/** Calls `visit` with each member and its cassette, so that one at a time is in memory. */
export async function findSuite(
  paths: readonly string[],
  seen: ReadonlySet<string>,
  visit: (member: Member, cassette: CassetteV2) => void,
  io: CommandIo,
): Promise<Suite> {
  const files = filesAt(io);
  const byRealPath = await groupByRealPath(seen);
  const { found, empty } = await findFiles(files, paths, io.cwd);
  if (empty[0] !== undefined) throw noCassettesIn(empty[0]);
  const suite: Suite = { members: [], unused: [], leftOut: [] };
  const store = createCassetteStore(files);
  for (const file of paths.length > 0 ? found : [...byRealPath.keys()].map((path) => nameFrom(io.cwd, path)).sort()) {
    const loaded = await loadRecording(store, file);
    const known = byRealPath.get(await toRealPath(resolve(io.cwd, file)));
    if (loaded.kind === "failed") suite.leftOut.push({ file, why: loaded.failure.message });
    else if (known === undefined) suite.unused.push(file);
    else if (loaded.cassette.version === 1) suite.leftOut.push({ file, why: "it has version 1; record it again" });
    else {
      const member = { file, paths: known, envelopeHash: loaded.cassette.envelopeHash };
      suite.members.push(member);
      visit(member, loaded.cassette);
    }
  }
  return suite;
}

/** Several links may lead to one cassette. */
async function groupByRealPath(paths: ReadonlySet<string>): Promise<Map<string, string[]>> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const real = await toRealPath(path);
    groups.set(real, [...(groups.get(real) ?? []), path]);
  }
  return groups;
}

async function toRealPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function nameFrom(cwd: string, path: string): string {
  return path !== cwd && isWithin(cwd, path) ? relative(cwd, path) : path;
}
