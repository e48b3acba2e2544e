// Loads tolerances from text, a file or an object. `cassette.tolerances.json` is kept and reviewed next to the cassettes.

import { copyJson, defined, NotJsonError, type FilePort } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { parseSettings } from "../file/authored-json.js";
import { readWhole } from "../file/read-bytes.js";
import { MAX_TOLERANCES_BYTES } from "../limits.js";
import { readDocument, type Problem } from "./document.js";
import { createTolerances, type Tolerances } from "./tolerances.js";

/** The file that commands read by default. */
export const TOLERANCES_FILE = "cassette.tolerances.json";

const SHOWN_PROBLEMS = 10;
const HINT =
  'A tolerance file is { "version": 1, "tools": { "<tool or *>": { "</arg/path>": <tolerance or list> } } }; ' +
  "docs/diff.md has the kinds.";

export interface TolerancesOptions {
  /** The path for error messages. */
  file?: string;
}

/** Parses the text of a tolerance file. Throws {@link CassetteError} `tolerances-malformed`. */
export function parseTolerances(input: string | Uint8Array, options: TolerancesOptions = {}): Tolerances {
  const what = { what: "tolerances", code: "tolerances-malformed", hint: HINT } as const;
  return checkTolerances(parseSettings(input, { ...options, ...what, maxBytes: MAX_TOLERANCES_BYTES }), options);
}

/** {@link parseTolerances} for a file. Also throws `file-not-found` and `file-unreadable`. */
export async function readTolerances(files: FilePort, path: string): Promise<Tolerances> {
  const missing = "Check the path, or omit the tolerances.";
  const bytes = await readWhole(files, path, { what: "tolerance file", maxBytes: MAX_TOLERANCES_BYTES, missing });
  return parseTolerances(bytes, { file: path });
}

/** {@link parseTolerances} for an object. Throws `tolerances-malformed` with every problem; `pointer` leads to the first. */
export function checkTolerances(value: unknown, { file }: TolerancesOptions = {}): Tolerances {
  const { rules, problems } = readDocument(plain(value, file));
  const [first] = problems;
  if (first !== undefined) throw malformed(first.pointer, problems.map(problemText), file);
  return createTolerances(rules);
}

function plain(value: unknown, file: string | undefined): unknown {
  try {
    return copyJson(value);
  } catch (error) {
    if (error instanceof NotJsonError) throw malformed(error.pointer, [error.message], file);
    throw error;
  }
}

function problemText({ pointer, what }: Problem): string {
  return `${pointer === "" ? "the whole" : pointer} ${what}`;
}

function malformed(pointer: string, problems: readonly string[], file: string | undefined): CassetteError {
  const shown = problems.slice(0, SHOWN_PROBLEMS);
  if (problems.length > shown.length) shown.push(`and ${problems.length - shown.length} more`);
  const text = shown.length === 1 ? ` ${shown.join("")}` : `\n${shown.map((line) => `  - ${line}`).join("\n")}`;
  return new CassetteError("tolerances-malformed", `the tolerances are malformed:${text}`, {
    pointer,
    hint: HINT,
    ...defined({ file }),
  });
}
