// A run read from a log, made into a cassette. The turn before each assistant message is rebuilt as its prompt, so the
// cassette replays like a recorded one; what the log knows beyond that goes to `extensions.import`.

import {
  hashJson,
  seal,
  type JsonObject,
  type JsonValue,
  type LlmMessage,
  type LlmToolDefinition,
  type LlmTurnResponse,
  type Usage,
} from "../../core/index.js";
import { buildCassette, CREATED_WITH, type BuiltTurn } from "../build.js";
import type { CassetteExtensions, CassetteV2, ContextExtension } from "../format.js";
import { createPromptChain } from "../prompt.js";
import type { ImportFormat } from "./detect.js";
import type { LogMessage, LogRun } from "./log.js";
import type { RunName } from "./path.js";
import type { Repair, RepairKind, RepairLog } from "./repair.js";
import { toLlmMessages } from "./thread.js";

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
  run: LogRun,
  context: RunContext,
  log: RepairLog,
): { cassette: CassetteV2; repairs: Repair[] } {
  const { format, model, task, trial } = context;
  const messages = toLlmMessages(run.messages, log).map((message) => seal(message));
  const turns = toTurns(messages, run.messages);
  if (turns.length === 0) log.add("no-assistant-message");
  const trailing = messages.slice(messages.findLastIndex((message) => message.role === "assistant") + 1);
  const repairs = log.list();
  const extensions: CassetteExtensions = {
    createdWith: CREATED_WITH,
    prompts: true,
    ...(run.tools === undefined ? {} : { contexts: [toContext(run.tools)] }),
    import: toExtension(run, context, repairs, trailing),
  };
  const cassetteId = hashJson({ format, model, task, trial: trial ?? null, messages }).slice(0, 32);
  const head = {
    recordedAt: context.recordedAt,
    recordedProvider: `import:${format}:${model}`,
    cassetteId,
    extensions,
  };
  return { cassette: buildCassette(head, turns), repairs };
}

/** One turn for each assistant message; its prompt is everything before it, so each prompt only adds to the one before. */
function toTurns(messages: readonly LlmMessage[], log: readonly LogMessage[]): BuiltTurn[] {
  const chain = createPromptChain();
  const turns: BuiltTurn[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const keep = chain.messages.length;
    const added = messages.slice(keep, index);
    const promptHash = chain.advance(keep, added);
    const source = log[index];
    const usage = source?.role === "assistant" ? source.usage : undefined;
    turns.push({ promptHash, prompt: { keep, messages: added }, response: toResponse(message, usage) });
  }
  return turns;
}

function toResponse(message: Extract<LlmMessage, { role: "assistant" }>, usage: Usage | undefined): LlmTurnResponse {
  const asksTools = message.toolCalls !== undefined;
  return {
    message,
    ...(asksTools ? {} : { finalAnswer: message.content }),
    stopReason: asksTools ? "toolUse" : "stop",
    ...(usage === undefined ? {} : { usage }),
  };
}

function toContext(tools: LlmToolDefinition[]): ContextExtension {
  const listed = tools.map(({ name, description, schema }) => ({ name, description, schema }));
  return { fromTurn: 0, toolsHash: hashJson(listed), settingsHash: hashJson({}), tools: listed };
}

function toExtension(
  run: LogRun,
  context: RunContext,
  repairs: readonly Repair[],
  trailing: LlmMessage[],
): ImportExtension {
  const { format, source, model, task, trial } = context;
  return {
    format,
    source,
    ...(run.origin === undefined ? {} : { origin: run.origin }),
    model,
    task,
    ...(trial === undefined ? {} : { trial }),
    ...(run.outcome === undefined ? {} : { outcome: run.outcome }),
    ...(run.expected === undefined ? {} : { expected: run.expected }),
    repairs: Object.fromEntries(repairs.map(({ kind, count }) => [kind, count])),
    ...(trailing.length === 0 ? {} : { trailing }),
  };
}
