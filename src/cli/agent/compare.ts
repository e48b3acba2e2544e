// Compares the files that a replay changed with those that its recording changed.

import {
  workspaceOf,
  type FileState,
  type Shelf,
  type ShelfItem,
  type Cassette,
  type WorkspaceChange,
  type WorkspaceExtension,
} from "../../cassette/index.js";
import { count, type PrintLine } from "../terminal/output.js";
import type { AgentSession } from "./session.js";
import { changedPaths, isSame } from "./workspace.js";
import type { Files } from "./files.js";

/** A file that differs from the recording at the end. Absent for a file that does not exist. */
export interface FileDifference {
  readonly path: string;
  readonly recorded?: FileState;
  readonly replayed?: FileState;
}

export interface FileComparison {
  /** The files that the recording changed. */
  readonly compared: number;
  readonly differences: readonly FileDifference[];
}

/** Compares the files now with those of the cassettes of which the shelf used a turn. Undefined if none of them notes files. */
export async function compareWith(
  { workspace }: AgentSession,
  shelf: Shelf,
  items: readonly (ShelfItem & { cassette: Cassette })[],
): Promise<FileComparison | undefined> {
  await workspace.look();
  const used = new Set(shelf.counts().flatMap(({ file, used }) => (used > 0 ? [file] : [])));
  const recorded = items.filter(({ file }) => used.has(file)).flatMap(({ cassette }) => workspaceOf(cassette) ?? []);
  return recorded.length === 0 ? undefined : compareFiles(recorded, workspace.start, workspace.now);
}

export function printComparison({ compared, differences }: FileComparison, print: PrintLine): void {
  for (const difference of differences) print({ look: "bad", text: "file differs: " }, differenceText(difference));
  if (differences.length > 0) return;
  const files =
    compared === 0 ? "no file was changed, as in the recording" : `${count(compared, "file")} ended as recorded`;
  print({ look: "good", text: files });
}

/** `until` compares with the files as they were before this step. Default: the end. */
export function compareFiles(
  recorded: readonly WorkspaceExtension[],
  start: Files,
  end: Files,
  until = Infinity,
): FileComparison {
  const expected = lastStates(recorded, until);
  const paths = [...expected.keys(), ...changedPaths(start, end).filter((path) => !expected.has(path))];
  const differences = paths.flatMap((path) => {
    // The recording left other files as they were.
    const recorded = withoutText(expected.has(path) ? expected.get(path) : start.get(path));
    const replayed = end.get(path);
    if (isSame(recorded, replayed)) return [];
    return [{ path, ...(recorded && { recorded }), ...(replayed && { replayed }) }];
  });
  return { compared: expected.size, differences };
}

/** True if a conversation saw the file in the state that it has now. When it did, as seen from another one, is not recorded. */
export function hadState({ changes }: WorkspaceExtension, { path, replayed }: FileDifference): boolean {
  const states = changes.filter((change) => change.path === path).flatMap(({ before, after }) => [before, after]);
  return states.some((state) => isSame(state, replayed));
}

function lastStates(recorded: readonly WorkspaceExtension[], until: number): Map<string, FileState | undefined> {
  const changes = recorded.flatMap((workspace) => workspace.changes).filter(({ step }) => step < until);
  return new Map(changes.sort(byStep).map(({ path, after }) => [path, after]));
}

function byStep(left: WorkspaceChange, right: WorkspaceChange): number {
  return left.step - right.step;
}

function withoutText(state: FileState | undefined): FileState | undefined {
  if (state === undefined) return undefined;
  const { contents: _, ...rest } = state;
  return rest;
}

/** "note.txt has 6 bytes, recorded 8 bytes" */
export function differenceText({ path, recorded, replayed }: FileDifference): string {
  const isOther = recorded?.size === replayed?.size && recorded?.size !== undefined;
  const [left, right] = isOther
    ? [`has other contents (${replayed?.sha256?.slice(0, 12)})`, recorded?.sha256?.slice(0, 12)]
    : [stateText(replayed), stateText(recorded)];
  return `${path} ${left}, recorded: ${right}`;
}

function stateText(state: FileState | undefined): string {
  if (state === undefined) return "does not exist";
  if (state.link !== undefined) return `is a link to ${state.link}`;
  return state.size === undefined ? "cannot be read" : `has ${count(state.size, "byte")}`;
}
