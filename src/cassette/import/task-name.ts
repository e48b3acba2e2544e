// Names tasks by a pattern, so that runs of sessions that are named by ids can be compared. `{field}` stands for a value of the log, and
// `{field:before*after}` for the part of it between two texts. Runs with the same name are numbered.

import { sha256Hex, type LlmMessage } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { MAX_TASK_VALUE_CHARACTERS } from "../limits.js";
import { createRedactor } from "../redact/redactor.js";
import type { RedactOption } from "../redact/options.js";
import type { LogMessage } from "./log-run.js";
import { toStem, type RunName } from "./path.js";
import type { ReadRun } from "./registry.js";

const FIELDS = ["task", "prompt", "cwd", "branch", "path"] as const;
type Field = (typeof FIELDS)[number];

interface Piece {
  /** Text before the field. */
  literal: string;
  field?: Field;
  before?: string;
  after?: string;
}

/** The names of the runs of one or more logs. */
export interface TaskNames {
  /** Names a run. Throws `import-malformed` for one that does not have what the pattern needs. */
  name(run: ReadRun, own: RunName, log: { path: string; redact: RedactOption | undefined }): RunName;
}

/** Throws `invalid-options` for a pattern that cannot be read. */
export function createTaskNames(pattern: string): TaskNames {
  const pieces = readPattern(pattern);
  const taken = new Map<string, Set<number>>();
  const numberOf = ({ model, task, trial = "" }: RunName): string => {
    const isNumber = /^\d{1,9}$/.test(trial);
    const key = JSON.stringify([model, task, isNumber ? "" : trial]);
    const numbers = taken.get(key) ?? new Set<number>();
    taken.set(key, numbers);
    let number = isNumber && !numbers.has(Number(trial)) ? Number(trial) : numbers.size + 1;
    while (numbers.has(number)) number++;
    numbers.add(number);
    return trial === "" || isNumber ? String(number) : `${trial}.${number}`;
  };
  return {
    name(run, own, { path, redact }) {
      const redactor = createRedactor(redact);
      const values: Record<Field, () => string | undefined> = {
        task: () => own.task,
        prompt: () => promptOf(run),
        cwd: () => run.session?.cwd,
        branch: () => run.session?.branch,
        path: () => path,
      };
      const task = pieces
        .map((piece) => {
          if (piece.field === undefined) return piece.literal;
          const value = values[piece.field]();
          const found = value === undefined ? undefined : between(redactor.json(value), piece);
          const short = found === undefined ? "" : shorten(found);
          if (short === "") throw missing(piece, value);
          return piece.literal + short;
        })
        .join("");
      return { model: own.model, task, trial: numberOf({ ...own, task }) };
    },
  };
}

function readPattern(pattern: string): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (const match of pattern.matchAll(/\{([^{}:]*)(?::([^{}]*))?\}/g)) {
    const [whole, name = "", text] = match;
    const field = FIELDS.find((own) => own === name);
    if (field === undefined) throw invalid(pattern, `{${name}} is not one of them`);
    const [before = "", after = "", ...more] = text?.split("*") ?? [];
    if (text !== undefined && (more.length > 0 || !text.includes("*"))) {
      throw invalid(pattern, `{${name}:${text}} must have one "*"`);
    }
    const literal = pattern.slice(start, match.index);
    pieces.push({ literal, field, ...(text === undefined ? {} : { before, after }) });
    start = match.index + whole.length;
  }
  pieces.push({ literal: pattern.slice(start) });
  if (pieces.some(({ literal }) => /[{}]/.test(literal))) throw invalid(pattern, "a brace is not closed");
  if (pieces.length === 1) throw invalid(pattern, "it has no braces, so all runs would have one name");
  return pieces;
}

function invalid(pattern: string, why: string): CassetteError {
  const fields = FIELDS.map((field) => `{${field}}`).join(", ");
  return new CassetteError("invalid-options", `the task pattern ${JSON.stringify(pattern)} cannot be read: ${why}`, {
    hint: `Fields are ${fields}, and {field:before*after} for the text between two others.`,
  });
}

function missing({ field = "task", before, after }: Piece, value: string | undefined): CassetteError {
  const asked = before === undefined ? `{${field}}` : `{${field}:${before}*${after ?? ""}}`;
  const why = value === undefined ? `this log has no ${field}` : "nothing in this log fits it";
  return new CassetteError("import-malformed", `the task pattern has ${asked}, and ${why}`, {
    hint: "Use another field in the task pattern, or import this log without it.",
  });
}

/** The text that a piece takes: all of it in short, or the text between two others. */
function between(value: string, { field, before, after = "" }: Piece): string | undefined {
  if (before === undefined) return inShort(value, field);
  const start = value.indexOf(before);
  if (start < 0) return undefined;
  const rest = value.slice(start + before.length);
  const end = after === "" ? rest.length : rest.indexOf(after);
  return end < 0 ? undefined : rest.slice(0, end);
}

/** Of a path its last part. */
function inShort(value: string, field: Field | undefined): string {
  if (field === "path") return toStem(value);
  return field === "cwd" ? (value.split(/[\\/]/).findLast((part) => part !== "") ?? "") : value;
}

/** One line, without slashes, which would make folders. What is cut is told apart by a hash. */
function shorten(value: string): string {
  const line = value.trim().replace(/\s+/g, " ").replaceAll("/", "_");
  const characters = Array.from(line);
  if (characters.length <= MAX_TASK_VALUE_CHARACTERS) return line;
  const hash = sha256Hex(line.toWellFormed()).slice(0, 8);
  return `${characters.slice(0, MAX_TASK_VALUE_CHARACTERS).join("")}_${hash}`;
}

/** What the user asked first. Programs put messages and tags of their own before it. */
function promptOf(run: ReadRun): string | undefined {
  const messages = messagesOf(run);
  const asked = messages.flatMap((message) => (message.role === "user" ? [textOf(message.content)] : []));
  return asked.map(withoutTags).find((text) => text !== "" && !/^(# AGENTS\.md instructions|Caveat: )/.test(text));
}

function messagesOf(run: ReadRun): readonly (LogMessage | LlmMessage)[] {
  if ("messages" in run) return run.messages;
  return "calls" in run ? (run.calls[0]?.request ?? []) : (run.turns[0]?.messages ?? []);
}

function textOf(content: string | readonly object[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part && typeof part.text === "string" ? part.text : "")).join("");
}

/** The text after tags of the program, and after what an editor put before the request. */
function withoutTags(text: string): string {
  let rest = text.trim();
  for (;;) {
    const [, tag] = /^<([A-Za-z_][\w-]*)[^<>]*>/.exec(rest) ?? [];
    const end = tag === undefined ? -1 : rest.indexOf(`</${tag}>`);
    if (tag === undefined || end < 0) break;
    rest = rest.slice(end + tag.length + 3).trim();
  }
  return (
    rest
      .split(/^## My request for Codex:\s*$/m)
      .at(-1)
      ?.trim() ?? rest
  );
}
