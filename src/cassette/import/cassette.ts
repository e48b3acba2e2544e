// A run read from a log, made into a cassette. A run that is one conversation has what stands before each assistant message
// as its prompt, one that is a list of model calls the prompts that were sent, so that it replays like a recorded one; what
// the log knows beyond that goes to `extensions.import`.

import { defined, hashJson, seal, type JsonObject, type JsonValue, type LlmMessage } from "../../core/index.js";
import { buildCassette, CREATED_WITH, type BuiltTurn } from "../file/build.js";
import type { CassetteExtensions, CassetteV2 } from "../file/format.js";
import { createPromptChain } from "../prompt/prompt.js";
import { toCallTurns, toContext, toResponse, type CallTurns, type LogCalls } from "./trace/model-calls.js";
import type { ImportFormat } from "./registry.js";
import type { LogAssistantMessage, LogFacts, LogMessage, LogRun } from "./log.js";
import type { RunName } from "./path.js";
import type { Repair, RepairKind, RepairLog } from "./repair.js";
import { toLlmMessages } from "./message/call-ids.js";
import { toRecordedTurns, type LogTurns } from "./turns.js";

/** `extensions.import` of an imported cassette. */
export interface ImportExtension {
  format: ImportFormat;
  /** The file it was read from, as the caller named it. */
  source: string;
  /** Where the record itself says it came from. */
  origin?: string;
  model: string;
  task: string;
  trial?: string;
  outcome?: JsonObject;
  expected?: JsonValue[];
  repairs: Partial<Record<RepairKind, number>>;
  /** The messages after the last assistant message, which are part of no prompt. */
  trailing?: LlmMessage[];
}

export interface RunContext extends RunName {
  format: ImportFormat;
  source: string;
  recordedAt: string;
}

/** The cassette of one run, and all the repairs it took. The same log gives the same bytes: its id comes from its content. */
export function toCassette(
  run: LogRun | LogCalls | LogTurns,
  context: RunContext,
  log: RepairLog,
): { cassette: CassetteV2; repairs: Repair[] } {
  const { format, model, task, trial } = context;
  const { turns, contexts, trailing, identity } = toRunTurns(run, log);
  if (turns.length === 0) log.add("no-assistant-message");
  const repairs = log.list();
  const extensions: CassetteExtensions = {
    createdWith: CREATED_WITH,
    prompts: true,
    ...(contexts.length === 0 ? {} : { contexts }),
    import: toExtension(run, context, repairs, trailing),
  };
  const cassetteId = hashJson({ format, model, task, trial: trial ?? null, ...identity }).slice(0, 32);
  const head = {
    recordedAt: context.recordedAt,
    recordedProvider: `import:${format}:${model}`,
    cassetteId,
    extensions,
  };
  return { cassette: buildCassette(head, turns), repairs };
}

interface RunTurns extends CallTurns {
  /** What makes this run another than one of the same name. */
  identity: { messages: LlmMessage[] } | { calls: object[] };
}

function toRunTurns(run: LogRun | LogCalls | LogTurns, log: RepairLog): RunTurns {
  if ("calls" in run) return fromTurns(toCallTurns(run, log));
  return "turns" in run ? fromTurns(toRecordedTurns(run.turns)) : fromThread(run, log);
}

function fromTurns(built: CallTurns): RunTurns {
  const identity = { calls: built.turns.map(({ promptHash, response }) => ({ promptHash, response })) };
  return { ...built, identity };
}

/** One turn for each assistant message; its prompt is everything before it, so each prompt only adds to the one before. */
function fromThread(run: LogRun, log: RepairLog): RunTurns {
  const messages = toLlmMessages(run.messages, log).map((message) => seal(message));
  const chain = createPromptChain();
  const turns: BuiltTurn[] = [];
  for (const [index, message] of messages.entries()) {
    const said = run.messages[index];
    if (message.role !== "assistant" || !isTurn(said)) continue;
    const keep = chain.messages.length;
    const added = messages.slice(keep, index);
    const promptHash = chain.advance(keep, added);
    const response = toResponse(message, { response: said });
    turns.push({ promptHash, prompt: { keep, messages: added }, response });
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

function toExtension(
  run: LogFacts,
  context: RunContext,
  repairs: readonly Repair[],
  trailing: LlmMessage[],
): ImportExtension {
  const { format, source, model, task, trial } = context;
  return {
    format,
    source,
    ...defined({ origin: run.origin }),
    model,
    task,
    ...defined({ trial, outcome: run.outcome, expected: run.expected }),
    repairs: Object.fromEntries(repairs.map(({ kind, count }) => [kind, count])),
    ...(trailing.length === 0 ? {} : { trailing }),
  };
}
