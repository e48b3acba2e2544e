// Turns a run from a log into a cassette that replays like a recorded one. Other information in the log goes to `extensions.import`.

import { defined, hashJson, seal, type JsonObject, type JsonValue, type LlmMessage } from "../../core/index.js";
import { buildCassette, CREATED_WITH, type BuiltTurn } from "../file/build.js";
import type { CassetteV2, RecordedExchange } from "../file/format.js";
import { createPromptChain } from "../prompt/prompt-delta.js";
import type { LogAssistantMessage, LogMessage, LogRun } from "./log-run.js";
import { toLlmMessages } from "./message/call-ids.js";
import type { RunName } from "./path.js";
import type { ImportFormat, ReadRun } from "./registry.js";
import type { Repair, RepairKind, RepairLog } from "./repair.js";
import { toCallTurns, toContext, toResponse, type CallTurns } from "./trace/model-calls.js";
import { toRecordedTurns } from "./turns.js";

/** `extensions.import` of an imported cassette. */
export interface ImportExtension {
  format: ImportFormat;
  /** The path of the log, as given by the caller. */
  source: string;
  /** The origin that the record itself names. */
  origin?: string;
  session?: Record<string, string>;
  model: string;
  task: string;
  trial?: string;
  outcome?: JsonObject;
  expected?: JsonValue[];
  repairs: Partial<Record<RepairKind, number>>;
  /** The messages after the last assistant message, which no prompt contains. */
  trailing?: LlmMessage[];
}

/** Builds the cassette of one run, with all its repairs. The same log gives the same bytes, since the id comes from the content. */
export function toCassette(
  run: ReadRun,
  context: RunName & { format: ImportFormat; source: string; recordedAt: string },
  log: RepairLog,
): { cassette: CassetteV2; repairs: Repair[] } {
  const { format, source, recordedAt, model, task, trial } = context;
  const { turns, contexts, trailing, identity, exchanges = [] } = toRunTurns(run, log);
  if (turns.length + exchanges.length === 0) log.add("no-assistant-message");
  const repairs = log.list();
  const facts: ImportExtension = {
    format,
    source,
    ...defined({ origin: run.origin, session: run.session && defined({ ...run.session }) }),
    model,
    task,
    ...defined({ trial, outcome: run.outcome, expected: run.expected }),
    repairs: Object.fromEntries(repairs.map(({ kind, count }) => [kind, count])),
    ...(trailing.length === 0 ? {} : { trailing }),
  };
  const head = {
    recordedAt,
    recordedProvider: `import:${format}:${model}`,
    cassetteId: hashJson({ format, model, task, trial: trial ?? null, ...identity }).slice(0, 32),
    extensions: {
      createdWith: CREATED_WITH,
      prompts: true,
      ...(contexts.length === 0 ? {} : { contexts }),
      ...(exchanges.length === 0 ? {} : { exchanges }),
      import: facts,
    },
  };
  return { cassette: buildCassette(head, turns), repairs };
}

interface RunTurns extends CallTurns {
  /** Distinguishes this run from another with the same name. */
  identity: { messages: LlmMessage[] } | { calls: object[]; exchanges?: RecordedExchange[] };
  exchanges?: RecordedExchange[];
}

function toRunTurns(run: ReadRun, log: RepairLog): RunTurns {
  if ("messages" in run) return fromConversation(run, log);
  const built = "calls" in run ? toCallTurns(run, log) : toRecordedTurns(run.turns);
  const calls = built.turns.map(({ promptHash, response }) => ({ promptHash, response }));
  const others = "turns" in run ? defined({ exchanges: run.exchanges }) : {};
  return { ...built, ...others, identity: { calls, ...others } };
}

/** Creates one turn for each assistant message. Its prompt is everything before it, so each prompt only adds to the previous one. */
function fromConversation(run: LogRun, log: RepairLog): RunTurns {
  const messages = toLlmMessages(run.messages, log).map((message) => seal(message));
  const chain = createPromptChain();
  const turns: BuiltTurn[] = [];
  for (const [index, message] of messages.entries()) {
    const answer = run.messages[index];
    if (message.role !== "assistant" || !isTurn(answer)) continue;
    const keep = chain.messages.length;
    const added = messages.slice(keep, index);
    const promptHash = chain.advance(keep, added);
    turns.push({ promptHash, prompt: { keep, messages: added }, response: toResponse(message, { response: answer }) });
  }
  return {
    turns,
    contexts: run.tools === undefined ? [] : [toContext(0, run.tools, {})],
    trailing: messages.slice(run.messages.findLastIndex(isTurn) + 1),
    identity: { messages },
  };
}

/** True for an answer of a model, which a demonstration is not. */
function isTurn(message: LogMessage | undefined): message is LogAssistantMessage {
  return message?.role === "assistant" && message.notModel !== true;
}
