// A thread of a Gemini CLI chat as a run. An answer has its thoughts, tokens and calls, and each call its result. The log has neither
// the system prompt nor tools.

import { defined, type JsonObject, type JsonValue, type Usage } from "../../../core/index.js";
import type { LogAssistantMessage, LogMessage, LogRun } from "../log-run.js";
import { addRepairs, type RepairLog } from "../repair.js";
import { isObject, toCount, toList, toName, toObject, toText } from "../foreign-json.js";
import { readContent, readResponse, toParts } from "./contents.js";

export function readGeminiCli(record: JsonObject, repairs: RepairLog): LogRun {
  const { session, messages, contents, answers, trial, dropped } = record;
  addRepairs(dropped, repairs);
  if (Array.isArray(contents)) return { messages: contents.flatMap((content) => readContent(content, repairs)) };
  if (Array.isArray(answers)) return readAnswers(answers, repairs);
  const { sessionId, directories } = toObject(session);
  const results = new Set<JsonValue>();
  const read = toList(messages).flatMap((message) => readMessage(toObject(message), results, repairs));
  const models = read.map((message) => (message.role === "assistant" ? message.model : undefined));
  const [model, ...others] = models.filter((name) => name !== undefined);
  repairs.add("model-differs", others.filter((other) => other !== model).length);
  return {
    model,
    task: toName(sessionId),
    trial: toName(trial),
    session: defined({ cwd: toName(toList(directories)[0]), version: "gemini-cli" }),
    messages: read,
  };
}

/** Recorded answers without their prompts. */
function readAnswers(answers: readonly JsonValue[], repairs: RepairLog): LogRun {
  const messages = answers.flatMap((answer): LogMessage[] => {
    const { method, response = null } = toObject(answer);
    if (!toText(method).startsWith("generateContent")) {
      repairs.add("meta-line-dropped");
      return [];
    }
    const message = readResponse(response);
    repairs.add(message === undefined ? "call-unanswered" : "history-missing");
    return message === undefined ? [] : [message];
  });
  return { model: messages.map((message) => ("model" in message ? message.model : undefined)).find(Boolean), messages };
}

/** `results` holds the ids of results that are stored with their calls. A later message may repeat them. */
function readMessage(message: JsonObject, results: Set<JsonValue>, repairs: RepairLog): LogMessage[] {
  const { type, content, parts } = message;
  switch (type) {
    case "user":
      return readUser(content ?? parts, results, repairs);
    case "gemini":
    case "model":
      return readAnswer(message, results, repairs);
    case "error":
      repairs.add("error-exchange-dropped");
      return [];
    default:
      repairs.add(type === "info" || type === "warning" ? "meta-line-dropped" : "line-unknown");
      return [];
  }
}

function readUser(content: JsonValue | undefined, results: ReadonlySet<JsonValue>, repairs: RepairLog): LogMessage[] {
  if (content === undefined || content === null) repairs.add("content-missing");
  if (typeof content === "string") return [{ role: "user", content }];
  const isNew = (part: JsonObject): boolean => !results.has(toObject(part["functionResponse"])["id"] ?? null);
  const parts = toParts(content);
  const own = parts.filter(isNew);
  return own.length < parts.length && own.length === 0 ? [] : readContent({ role: "user", parts: own }, repairs);
}

function readAnswer(message: JsonObject, results: Set<JsonValue>, repairs: RepairLog): LogMessage[] {
  const { content, thoughts, tokens, model } = message;
  const calls = toList(message["toolCalls"]).filter(isObject);
  const parts = withIds(toParts(content ?? message["parts"]), calls);
  const [read] = readContent({ role: "model", parts }, repairs);
  const answer: LogAssistantMessage =
    read?.role === "assistant" ? read : { role: "assistant", content: "", reasoning: [], calls: [] };
  const named = new Set(answer.calls.map(({ id }) => id));
  const others = calls.filter(({ id }) => !named.has(id));
  return [
    {
      ...answer,
      reasoning: [...answer.reasoning, ...(answer.reasoning.length > 0 ? [] : readThoughts(thoughts))],
      calls: [
        ...answer.calls,
        ...others.map(({ id, name, args }) => ({ id, name: toName(name), arguments: toObject(args) })),
      ],
      usage: readUsage(toObject(tokens)),
      model: toName(model),
    },
    ...calls.flatMap((call) => readResult(call, results, repairs)),
  ];
}

/** Gives calls without an id the one that the program gave them. */
function withIds(parts: readonly JsonObject[], calls: readonly JsonObject[]): JsonObject[] {
  const free = [...calls];
  return parts.map((part) => {
    const { functionCall: call } = part;
    if (!isObject(call)) return part;
    const own = call["id"] ?? null;
    const place = free.findIndex(({ id, name }) => (own === null ? name === call["name"] : id === own));
    const [found] = place < 0 ? [] : free.splice(place, 1);
    return own === null && found !== undefined ? { ...part, functionCall: { ...call, id: found["id"] ?? null } } : part;
  });
}

/** Thoughts without the marks that set their subject apart. */
function readThoughts(thoughts: JsonValue | undefined): { type: "text"; text: string }[] {
  return toList(thoughts).map((thought) => {
    const { subject, description } = toObject(thought);
    const texts = [subject, description].map(toText).filter((text) => text !== "");
    return { type: "text", text: texts.join("\n\n") };
  });
}

/** The result of a call, and what came with it. A call that was cancelled may have none. */
function readResult(call: JsonObject, results: Set<JsonValue>, repairs: RepairLog): LogMessage[] {
  const { id: callId, name, status, result, resultDisplay } = call;
  const isError = status === "error" || status === "cancelled";
  const parts = toParts(result);
  if (parts.length === 0) {
    return isError ? [{ role: "tool", callId, name: toName(name), content: toText(resultDisplay), isError }] : [];
  }
  if (callId !== undefined) results.add(callId);
  const read = readContent({ role: "user", parts }, repairs);
  return read.map((message) => {
    if (message.role !== "tool") return message;
    return { ...message, callId: message.callId ?? callId, isError: message.isError || isError };
  });
}

/** Gemini counts thoughts apart from its output, and prompts of tools apart from its input. */
function readUsage({ input, output, cached, thoughts, tool }: JsonObject): Usage | undefined {
  const [prompt, said] = [toCount(input), toCount(output)];
  if (prompt === undefined || said === undefined) return undefined;
  const reasoningTokens = toCount(thoughts);
  return {
    inputTokens: prompt + (toCount(tool) ?? 0),
    outputTokens: said + (reasoningTokens ?? 0),
    ...defined({ cacheReadTokens: toCount(cached), reasoningTokens }),
  };
}
