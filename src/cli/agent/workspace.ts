// Notes which files each turn of a coding agent changed. The folder is scanned before a request goes out, when the tools of the turn
// before have run.

import { defined } from "../../core/index.js";
import type { FileState, WorkspaceChange, WorkspaceExtension } from "../../cassette/index.js";
import { createScanner, readRepository, readText, type Files, type FileScan } from "./files.js";

export interface Workspace {
  /** Scans the folder, so that the next turn to be opened notes what changed. */
  look(): Promise<void>;
  /** Notes the changes that `look` found with the last answered turn of the conversation. `answered` is the number of its turns so far. */
  opened(conversation: number, answered: number): void;
  /** The notes of a conversation. */
  extensionOf(conversation: number): WorkspaceExtension;
  /** Scans the folder a last time. Resolves to the conversation whose notes changed. */
  end(): Promise<number | undefined>;
  /** The files at the start, and at the last scan. */
  readonly start: Files;
  readonly now: Files;
  readonly notes: readonly string[];
}

export interface WorkspaceOptions {
  readonly agent: string;
  readonly folder: string;
  /** Paths that are left out, such as the folder of the recordings. */
  readonly except: readonly string[];
  /** Keeps the texts of changed files, except those for which it returns false. */
  readonly keepsText?: (text: string) => boolean;
}

type Change = Omit<WorkspaceChange, "turn">;

/** Scans the folder for the first time. */
export async function watchWorkspace({ agent, folder, except, keepsText }: WorkspaceOptions): Promise<Workspace> {
  const scan = createScanner(folder, except);
  const git = await readRepository(folder);
  const start = await scan();
  const notes = new Set(start.notes);
  const changes = new Map<number, WorkspaceChange[]>();
  let last: FileScan = start;
  let pending: Change[] = [];
  let step = 0;
  /** The turn that was requested last. */
  let latest: { conversation: number; turn: number } | undefined;
  let looking: Promise<void> = Promise.resolve();

  const withText = async (path: string, state: FileState | undefined): Promise<FileState | undefined> => {
    if (keepsText === undefined || state?.sha256 === undefined) return state;
    const contents = await readText(folder, path);
    if (contents !== undefined && keepsText(contents)) return { ...state, contents };
    notes.add(
      `the contents of ${path} are left out: ${contents === undefined ? "they are not UTF-8" : "they look like a secret"}`,
    );
    return state;
  };

  async function lookNow(): Promise<void> {
    const next = await scan();
    for (const text of next.notes) notes.add(text);
    const changed = changedPaths(last.files, next.files);
    if (changed.length > 0) step++;
    for (const path of changed) {
      const before = last.files.get(path);
      const after = await withText(path, next.files.get(path));
      pending.push({ step, path, ...defined({ before, after }) });
    }
    last = next;
  }

  const look = (): Promise<void> => (looking = looking.then(lookNow));

  function noteWith(conversation: number, turn: number): void {
    const noted = changes.get(conversation) ?? [];
    changes.set(conversation, [...noted, ...pending.map(({ step, ...change }) => ({ step, turn, ...change }))]);
    pending = [];
  }

  return {
    look,
    opened(conversation, answered) {
      // The first turn of a conversation has run no tool. Changes before it belong to another one.
      if (pending.length > 0 && answered > 0) noteWith(conversation, answered - 1);
      latest = { conversation, turn: answered };
    },
    extensionOf: (conversation) => ({
      ...{ agent, ...defined({ git }) },
      changes: changes.get(conversation) ?? [],
      ...(notes.size === 0 ? {} : { notes: [...notes] }),
    }),
    async end() {
      await look();
      if (pending.length === 0 || latest === undefined) return undefined;
      noteWith(latest.conversation, latest.turn);
      return latest.conversation;
    },
    start: start.files,
    get now() {
      return last.files;
    },
    get notes() {
      return [...notes];
    },
  };
}

/** The paths whose state differs, sorted. */
export function changedPaths(before: Files, after: Files): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => !isSame(before.get(path), after.get(path))).sort();
}

/** Compares hashes, or sizes where a file was too large to be hashed. */
export function isSame(left: FileState | undefined, right: FileState | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.size === right.size && left.sha256 === right.sha256 && left.link === right.link;
}
