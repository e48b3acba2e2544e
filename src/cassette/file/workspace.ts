// The shape of `extensions.workspace`: the files that a coding agent changed while it was recorded. A replay compares its own files with
// them, so an unknown field is refused.

import { isPlainObject } from "../../core/index.js";
import type { Refuse } from "./downgrade.js";
import { checkFields, count, hash, matches, text, wrong, type Check, type Field, type Fields } from "./fields.js";
import { extensionsOf, type Cassette } from "./format.js";

/** A file, or a symbolic link, which is not followed. A file without `sha256` was too large or could not be read. */
export interface FileState {
  /** In bytes. */
  size?: number;
  /** In hex. */
  sha256?: string;
  /** The target of a symbolic link. */
  link?: string;
  /** The text of the file, if the recording keeps contents. */
  contents?: string;
}

/** A change of one file. `before` is absent for a new file, `after` for a deleted one. */
export interface WorkspaceChange {
  /** Counts the moments of a run at which files had changed, over all of its conversations. */
  step: number;
  /** The turn of this cassette whose tools had run. */
  turn: number;
  /** Below the working folder, with `/`. */
  path: string;
  before?: FileState;
  after?: FileState;
}

export interface WorkspaceExtension {
  /** The coding agent, as `--agent` names it. */
  agent: string;
  /** The repository at the start. Absent outside a repository. */
  git?: { commit?: string; branch?: string; changed: string[] };
  changes: WorkspaceChange[];
  /** What could not be looked at. */
  notes?: string[];
}

/** The files that the recording notes. The cassette must have passed the check of its shape. */
export function workspaceOf(cassette: Cassette): WorkspaceExtension | undefined {
  return extensionsOf(cassette)["workspace"] as WorkspaceExtension | undefined;
}

const isTexts: Check = (value) => Array.isArray(value) && value.every((item) => typeof item === "string");
const texts: Field = { expected: "a list of texts", check: isTexts };
const object: Field = { expected: "an object", check: isPlainObject };

const WORKSPACE: Record<string, Field> = {
  agent: { ...text, required: true },
  git: object,
  changes: {
    expected: "a list of objects",
    check: (value) => Array.isArray(value) && value.every(isPlainObject),
    required: true,
  },
  notes: texts,
};
const GIT: Record<string, Field> = {
  commit: { expected: "a commit in hex", check: matches(/^[0-9a-f]{40,64}$/) },
  branch: text,
  changed: { ...texts, required: true },
};
const CHANGE: Record<string, Field> = {
  step: { ...count, required: true },
  turn: { ...count, required: true },
  path: { ...text, required: true },
  before: object,
  after: object,
};
const STATE: Record<string, Field> = { size: count, sha256: hash, link: text, contents: text };

/** Refuses notes that no recorder writes. Names the place by its JSON pointer. */
export function checkWorkspace({ workspace }: Fields, refuse: Refuse): void {
  if (workspace === undefined) return;
  const here = ["extensions", "workspace"];
  if (!isPlainObject(workspace)) {
    wrong(here, "an object", refuse);
    return;
  }
  checkFields(workspace, WORKSPACE, here, refuse);
  const { git, changes } = workspace as { git?: Fields; changes: Fields[] };
  if (git !== undefined) checkFields(git, GIT, [...here, "git"], refuse);
  changes.forEach((change, index) => {
    const place = [...here, "changes", index];
    checkFields(change, CHANGE, place, refuse);
    for (const side of ["before", "after"]) {
      if (change[side] !== undefined) checkFields(change[side] as Fields, STATE, [...place, side], refuse);
    }
  });
}
