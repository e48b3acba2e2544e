// The changes that an importer makes to fit a foreign log into our message shape. Every change and every omission is counted.

import { isPlainObject, type JsonObject, type JsonValue } from "../../core/index.js";
import { createTally, type Tallied, type Tally } from "../count/tally.js";

/** A property of a log that a cassette cannot have. docs/convert.md lists them. */
export type RepairKind =
  /** Further answers to one prompt (`n` above 1). The first was kept. */
  | "answer-alternative-dropped"
  /** An assistant message that no model wrote, such as a demonstration. Prompts keep it, but it is not a turn. */
  | "answer-not-model"
  /** Argument text that is not JSON, or that a cassette cannot hold. Kept in `malformedArguments`. */
  | "arguments-malformed"
  | "arguments-missing"
  /** Arguments that are JSON but not an object. Kept in `malformedArguments`. */
  | "arguments-not-object"
  /** Arguments that were already an object. OpenAI writes them as text. */
  | "arguments-not-text"
  /** A text stored apart from its message that is missing. Its name stays in its place. */
  | "attachment-missing"
  /** A message of a transcript branch that no model answered. Left out. */
  | "branch-unanswered"
  | "call-id-empty"
  | "call-id-missing"
  | "call-id-not-text"
  | "call-id-repeated"
  /** A call that failed or was redirected, or whose answer is not in the log. Left out. */
  | "call-unanswered"
  /** A list of parts became one text. Where lists are native (Anthropic), counted only for several parts. */
  | "content-list-joined"
  | "content-missing"
  | "content-not-text"
  | "content-null"
  /** A failed call: HTTP status 400 or above, or a program's note of one. Never kept as an answer. */
  | "error-exchange-dropped"
  /** A recorded HTTP exchange that a browser adds, such as a file of a page or a preflight. Left out. */
  | "exchange-not-model-call"
  /** A recorded HTTP exchange with a body that is missing, packed in an unknown way, or beyond a limit. Left out. */
  | "exchange-unreadable"
  /** A message field with a value that our messages have no place for (`name` of a user, `audio`, …). */
  | "field-dropped"
  /** OpenAI's `function_call` and role `function`, which `tool_calls` replaced. */
  | "function-call-legacy"
  /** A compaction that does not note the history that the model got after it. Its summary begins the thread. */
  | "history-missing"
  /** A coding agent's log without the model's items. Its messages were read from what the program showed. */
  | "items-missing"
  /** A transcript line with an id seen before, or a trace call repeated word for word. Left out. */
  | "line-repeated"
  /** A log line of a type that the importer does not know. Left out. */
  | "line-unknown"
  /** Half a UTF-16 pair, which UTF-8 cannot hold, became U+FFFD. Counted once for each text. */
  | "lone-surrogate-replaced"
  /** A transcript line that no prompt contains: a summary, a snapshot of files, `/clear`. Left out. */
  | "meta-line-dropped"
  /** A turn answered by another model than the run's first. A cassette is filed under one model. */
  | "model-differs"
  | "no-assistant-message"
  /** An observation without a call became a user message, as an agent without tools reads it. */
  | "observation-as-user"
  /** A transcript line whose parent is missing. The line before it was taken as its parent. */
  | "parent-missing"
  /** A content part that our messages have no place for, kept as its canonical JSON text. */
  | "part-unsupported"
  /** AgentDojo's `placeholder_args` with a value. Its ground-truth agents write them, never a model. */
  | "placeholder-args-dropped"
  | "refusal-joined"
  | "role-developer"
  /** A message with an unknown role, kept as a user message with its canonical JSON text. */
  | "role-unknown"
  /** A model setting that ours have no place for (`top_k`, `frequency_penalty`, …). */
  | "setting-dropped"
  /** A transcript thread that shares its beginning with an earlier one. Both keep it. */
  | "thread-forked"
  /** Text after a tool call in one assistant message was moved before it. */
  | "text-order-lost"
  | "tool-calls-not-list"
  | "tool-calls-null"
  /** A tool that is not a function, kept with its canonical JSON text as description. */
  | "tool-definition-unsupported"
  /** A tool result with both content and an error. The error follows the content on its own line. */
  | "tool-error-joined"
  /** A tool result that names another tool than the call with its id. The call's name was kept. */
  | "tool-name-differs"
  | "tool-name-missing"
  | "tool-result-unpaired"
  /** A turn that a cassette cannot hold as one, such as one with a file. Kept as an exchange. */
  | "turn-as-exchange";

/** How often one kind of repair was needed in one run. */
export type Repair = Tallied<RepairKind>;

export type RepairLog = Tally<RepairKind>;
export const createRepairLog = createTally<RepairKind>;

/** Writes repairs as a field of the first run that a record was split into, so that they are counted there. */
export function writeRepairs(repairs: RepairLog): JsonObject {
  return Object.fromEntries(repairs.list().map(({ kind, count }) => [kind, count]));
}

/** Adds the repairs that `writeRepairs` put into a record. */
export function addRepairs(written: JsonValue | undefined, repairs: RepairLog): void {
  if (!isPlainObject(written)) return;
  for (const [kind, count] of Object.entries(written)) repairs.add(kind as RepairKind, Number(count));
}
