// What an importer had to change to fit a foreign log into our message shape. Nothing is changed without being counted
// here, and nothing of a conversation is left out without being counted either.

/** One closed word for each thing a log can have that a cassette cannot. */
export type RepairKind =
  /** Further answers to one prompt (`n` above 1): the first stands. */
  | "answer-alternative-dropped"
  /** An assistant message that no model wrote (a demonstration, a notice of the program): part of prompts, but no turn. */
  | "answer-not-model"
  /** Argument text that is no JSON, or that holds what a cassette cannot. Kept in `malformedArguments`. */
  | "arguments-malformed"
  | "arguments-missing"
  /** Arguments that are JSON but no object. Kept in `malformedArguments`. */
  | "arguments-not-object"
  /** OpenAI's arguments are text; here they were an object already. */
  | "arguments-not-text"
  /** A text that stands apart from its message, and is not there: its name stays in its place. */
  | "attachment-missing"
  /** A message of a branch of a transcript that no model answered. Left out. */
  | "branch-unanswered"
  | "call-id-empty"
  | "call-id-missing"
  | "call-id-not-text"
  | "call-id-repeated"
  /** A model call that failed, or whose answer the log does not have: it is no turn. */
  | "call-unanswered"
  /** A list of parts became one text. Where lists are the format's own (Anthropic), only when it had several. */
  | "content-list-joined"
  | "content-missing"
  | "content-not-text"
  | "content-null"
  /** A call that failed: HTTP status 400 and above, or a program's note of one. Never kept as an answer. */
  | "error-exchange-dropped"
  /** An exchange of recorded HTTP that asks no model for a turn: embeddings, a list of models, another host. Left out. */
  | "exchange-not-model-call"
  /** A field of a message that has no place in ours (`name` of a user, `audio`, …), with a value in it. */
  | "field-dropped"
  /** OpenAI's `function_call` and role `function`, from before `tool_calls`. */
  | "function-call-legacy"
  /** A line of a transcript, or a call of a trace word for word, that was there before, by its id. Left out. */
  | "line-repeated"
  /** Half a UTF-16 pair, which UTF-8 cannot hold, became U+FFFD. One for each text it was in. */
  | "lone-surrogate-replaced"
  /** A line of a transcript that is part of no prompt: a summary, a snapshot of files, `/clear`. Left out. */
  | "meta-line-dropped"
  /** A turn that another model answered than the run's first; a cassette is filed under one. */
  | "model-differs"
  | "no-assistant-message"
  /** What came back without a call to answer became a user message, as an agent without tools is told it. */
  | "observation-as-user"
  /** A line of a transcript without the line it follows; the line before it was taken for that. */
  | "parent-missing"
  /** A content part with no place in ours, kept as its canonical JSON text. */
  | "part-unsupported"
  /** AgentDojo's `placeholder_args` with a value: only its ground-truth agents have them, no model wrote them. */
  | "placeholder-args-dropped"
  | "refusal-joined"
  | "role-developer"
  /** A message of a role we do not know, kept as a user message that holds its canonical JSON text. */
  | "role-unknown"
  /** A setting of a model call with no place in ours (`top_k`, `frequency_penalty`, …). */
  | "setting-dropped"
  /** A thread of a transcript that shares its beginning with an earlier one, which is kept in both. */
  | "thread-forked"
  /** Text that came after a tool call in one assistant message now stands before it. */
  | "text-order-lost"
  | "tool-calls-not-list"
  | "tool-calls-null"
  /** A tool that is no function, kept with its canonical JSON text as description. */
  | "tool-definition-unsupported"
  /** A tool result with both content and an error: the error was put on a line of its own after the content. */
  | "tool-error-joined"
  /** A tool result that names another tool than the call with its id. The call's name stands. */
  | "tool-name-differs"
  | "tool-name-missing"
  | "tool-result-unpaired";

/** How often one kind of repair was needed in one run. */
export interface Repair {
  kind: RepairKind;
  count: number;
}

/** Counts the repairs of one run. */
export interface RepairLog {
  add(kind: RepairKind, times?: number): void;
  /** By kind, in alphabetical order. */
  list(): Repair[];
}

/** A new count for one run. */
export function createRepairLog(): RepairLog {
  const counts = new Map<RepairKind, number>();
  return {
    add: (kind, times = 1) => void counts.set(kind, (counts.get(kind) ?? 0) + times),
    list: () => [...counts].map(([kind, count]) => ({ kind, count })).sort((a, b) => (a.kind < b.kind ? -1 : 1)),
  };
}
