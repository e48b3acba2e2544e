// A stretch of a Copilot CLI session as a run. The log has each answer's calls, but tokens only in sum, and no tools. Sessions of the
// oldest versions are one document with OpenAI's messages in `chatMessages`.

import { defined, type JsonObject, type Reasoning } from "../../../core/index.js";
import { readOpenAiMessages } from "../formats/openai.js";
import type { LogAssistantMessage, LogMessage, LogRun, LogSession } from "../log-run.js";
import { readCalls, type CallWords } from "../message/calls.js";
import { countValue, joinToolError } from "../message/message.js";
import { addRepairs, createRepairLog, type RepairLog } from "../repair.js";
import { isObject, toList, toName, toObject, toText } from "../foreign-json.js";
import { dataOf } from "./events.js";

export function readCopilot(record: JsonObject, repairs: RepairLog): LogRun {
  const { chatMessages, sessionId, trial, dropped, asked, model } = record;
  addRepairs(dropped, repairs);
  if (Array.isArray(chatMessages)) {
    return { model: toName(model), task: toName(sessionId), messages: readOpenAiMessages(chatMessages, repairs) };
  }
  const session = toObject(record["session"]);
  const events = toList(record["events"]).filter(isObject);
  const history = toList(record["history"]).filter(isObject);
  if (asked === undefined && toText(trial).startsWith("agent-")) repairs.add("history-missing");
  const start: LogMessage[] = typeof asked === "string" ? [{ role: "user", content: asked }] : [];
  const reader = createReader(modelsIn([...history, ...events]), start);
  for (const event of history) reader.take(event, createRepairLog());
  const known = reader.messages.map((message) =>
    message.role === "assistant" ? { ...message, notModel: true } : message,
  );
  reader.messages.splice(0, Infinity, ...known);
  for (const event of events) reader.take(event, repairs);
  const { messages } = reader;
  const models = messages.map((message) => (message.role === "assistant" ? message.model : undefined));
  const [first, ...others] = models.filter((name) => name !== undefined);
  repairs.add("model-differs", others.filter((other) => other !== first).length);
  return {
    model: first,
    task: toName(session["sessionId"]),
    trial: toName(trial),
    session: toSession(session),
    messages,
  };
}

function toSession({ context, copilotVersion }: JsonObject): LogSession {
  const { cwd, branch, headCommit, repository } = toObject(context);
  const version = toName(copilotVersion);
  return defined({
    cwd: toName(cwd),
    branch: toName(branch),
    commit: toName(headCommit),
    repository: toName(repository),
    version: version === undefined ? undefined : `copilot-cli ${version}`,
  });
}

/** The model of each turn is noted at the results of its calls, and at changes of the session. */
function modelsIn(events: readonly JsonObject[]): Map<string, string> {
  const ofCalls = events.map((event) => dataOf(event)).filter(({ toolCallId }) => typeof toolCallId === "string");
  return new Map(
    ofCalls.flatMap(({ toolCallId, model }) => {
      const name = toName(model);
      return name === undefined ? [] : [[toolCallId as string, name] as const];
    }),
  );
}

const CALL: CallWords = {
  id: "toolCallId",
  name: "name",
  arguments: "arguments",
  // What the program shows of a call.
  ignored: ["type", "intentionSummary", "toolTitle", "mcpServerName", "mcpToolName"],
};
/** Notes of the program by the beginning of their type. */
const NOTES = /^(session|hook|subagent|skill|permission|external_tool|command|user_input|elicitation|mcp|sampling)\b/;
const REPEATING: ReadonlySet<string> = new Set([
  ...["assistant.turn_start", "assistant.turn_end", "assistant.message_delta", "assistant.reasoning_delta"],
  ...["assistant.streaming_delta", "tool.execution_progress", "tool.execution_partial_result"],
  ...["assistant.intent", "assistant.usage", "session.start", "session.model_change"],
]);

function createReader(ofCalls: ReadonlyMap<string, string>, messages: LogMessage[]) {
  const started = new Map<string, JsonObject>();
  const asked = new Set<string>();
  let system = "";
  let model: string | undefined;
  let thought: JsonObject = {};

  function takeAnswer(data: JsonObject, repairs: RepairLog): void {
    const { toolRequests: requests, outputTokens } = data;
    for (const request of toList(requests)) asked.add(toText(toObject(request)["toolCallId"]));
    const ids = toList(requests).map((request) => toText(toObject(request)["toolCallId"]));
    model = toName(data["model"]) ?? ids.map((id) => ofCalls.get(id)).find((name) => name !== undefined) ?? model;
    // The tokens of the prompt are not in the log.
    countValue(outputTokens, repairs);
    messages.push(readAnswer({ ...thought, ...data }, model, repairs));
    thought = {};
  }

  function takeResult(data: JsonObject, repairs: RepairLog): void {
    const id = toText(data["toolCallId"]);
    const { toolName, arguments: args } = started.get(id) ?? {};
    // Run without a request of the model.
    if (!asked.has(id)) countValue(args, repairs);
    messages.push(readResult(data, toName(toolName), repairs));
  }

  function take(event: JsonObject, repairs: RepairLog): void {
    const data = dataOf(event);
    const { content, transformedContent, attachments } = data;
    const type = toText(event["type"]);
    switch (type) {
      case "system.message":
        // Repeated for every message of the user.
        if (toText(content) !== system) messages.push({ role: "system", content: toText(content) });
        system = toText(content);
        return;
      case "user.message":
        countValue(attachments, repairs);
        messages.push({ role: "user", content: toText(transformedContent) || toText(content) });
        return;
      case "assistant.reasoning":
        thought = { reasoningText: content ?? null };
        return;
      case "assistant.message":
        takeAnswer(data, repairs);
        return;
      case "tool.execution_start":
        started.set(toText(data["toolCallId"]), data);
        return;
      case "tool.execution_complete":
        takeResult(data, repairs);
        return;
      default:
        model = toName(data["newModel"]) ?? toName(data["selectedModel"]) ?? model;
        countNote(type, messages.at(-1), repairs);
    }
  }
  return { messages, take };
}

function countNote(type: string, last: LogMessage | undefined, repairs: RepairLog): void {
  if (REPEATING.has(type)) return;
  if (type === "session.error") repairs.add("error-exchange-dropped");
  else if (type === "session.truncation") repairs.add("history-missing");
  else if (type === "abort") repairs.add(last?.role === "assistant" ? "meta-line-dropped" : "call-unanswered");
  else repairs.add(NOTES.test(type) ? "meta-line-dropped" : "line-unknown");
}

function readAnswer(data: JsonObject, model: string | undefined, repairs: RepairLog): LogAssistantMessage {
  const { content, toolRequests, reasoningText, reasoningOpaque, encryptedContent } = data;
  const signature = toName(reasoningOpaque) ?? toName(encryptedContent);
  const text = toText(reasoningText);
  const reasoning: Reasoning[] =
    text !== ""
      ? [{ type: "text", text, ...defined({ signature }) }]
      : signature === undefined
        ? []
        : [{ type: "redacted", data: signature }];
  return {
    role: "assistant",
    content: toText(content),
    reasoning,
    calls: readCalls(toolRequests, CALL, repairs),
    model,
  };
}

/** `content` is what the model got, and `detailedContent` what the user saw. */
function readResult(data: JsonObject, name: string | undefined, repairs: RepairLog): LogMessage {
  const { toolCallId: callId, success, result, error } = data;
  const { content } = toObject(result);
  const said = typeof result === "string" ? result : toText(content);
  const failure = toText(toObject(error)["message"]) || toText(error);
  const isError = success === false;
  return { role: "tool", callId, name, content: isError ? joinToolError(said, failure, repairs) : said, isError };
}
