// Connects tool calls with their results by ids that are unique in the run. The ids of a log may be missing, empty or duplicate. Such a
// call gets the id `call_<turn>_<n>`, the same at every import, and its result gets it too.

import { defined, type LlmMessage, type LlmToolCall } from "../../../core/index.js";
import type { LogCall, LogMessage, LogToolMessage } from "../log-run.js";
import { createRepairLog, type RepairLog } from "../repair.js";
import { toName } from "../foreign-json.js";
import { createOpenCalls, UNKNOWN_TOOL } from "./open-calls.js";

/** The messages of a run in our shape, one for one. Repairs are counted for new messages; by default all are new. */
export function toLlmMessages(
  log: readonly LogMessage[],
  counted: RepairLog,
  isNew: (message: LogMessage) => boolean = () => true,
): LlmMessage[] {
  const issueId = createIssuer(log);
  const open = createOpenCalls();
  let turn = 0;
  let batch = 0;
  return log.map((message, index) => {
    const repairs = isNew(message) ? counted : createRepairLog();
    switch (message.role) {
      case "system":
      case "user": {
        const { wire, ...plain } = message;
        return wire === undefined ? message : { ...plain, ...wire };
      }
      case "assistant": {
        if (log[index - 1]?.role !== "assistant") batch++;
        const calls = message.calls.map((call, n) =>
          toCall(call, issueId(call, `call_${turn}_${n}`, repairs), repairs),
        );
        calls.forEach((call, n) => open.add(call, toName(message.calls[n]?.id), batch));
        turn++;
        const { content, reasoning, wire } = message;
        return {
          role: "assistant",
          content,
          ...(calls.length > 0 ? { toolCalls: calls } : {}),
          ...(reasoning.length > 0 ? { reasoning } : {}),
          ...wire,
        };
      }
      case "tool":
        return toToolMessage(
          message,
          open.take(toName(message.callId), message.name, batch),
          () => issueId(undefined, `result_${index}`, repairs),
          repairs,
        );
    }
  });
}

function toCall(call: LogCall, id: string, repairs: RepairLog): LlmToolCall {
  if (call.name === undefined) repairs.add("tool-name-missing");
  return {
    id,
    name: call.name ?? UNKNOWN_TOOL,
    arguments: call.arguments,
    ...defined({ malformedArguments: call.malformedArguments }),
  };
}

function toToolMessage(
  result: LogToolMessage,
  call: LlmToolCall | undefined,
  issueId: () => string,
  repairs: RepairLog,
): LlmMessage {
  if (call === undefined) repairs.add("tool-result-unpaired");
  else if (result.name !== undefined && result.name !== call.name) repairs.add("tool-name-differs");
  const name = call?.name ?? result.name;
  if (name === undefined) repairs.add("tool-name-missing");
  return {
    role: "tool",
    toolCallId: call?.id ?? toName(result.callId) ?? issueId(),
    name: name ?? UNKNOWN_TOOL,
    content: result.content,
    ...(result.isError ? { isError: true } : {}),
    ...result.wire,
  };
}

/** Keeps a call's own id if it is free. If not, gives it a synthetic id that differs from all ids of the log. */
function createIssuer(
  log: readonly LogMessage[],
): (call: LogCall | undefined, synthetic: string, repairs: RepairLog) => string {
  const ofLog = new Set(log.flatMap(idsOf));
  const issued = new Set<string>();
  return (call, synthetic, repairs) => {
    const own = toName(call?.id);
    if (call !== undefined) countId(call, own !== undefined && issued.has(own), repairs);
    let id = own !== undefined && !issued.has(own) ? own : synthetic;
    while (id !== own && (issued.has(id) || ofLog.has(id))) id += "_";
    issued.add(id);
    return id;
  };
}

function idsOf(message: LogMessage): (string | undefined)[] {
  if (message.role === "assistant") return message.calls.map((call) => toName(call.id));
  return message.role === "tool" ? [toName(message.callId)] : [];
}

function countId(call: LogCall, isRepeated: boolean, repairs: RepairLog): void {
  if (isRepeated) repairs.add("call-id-repeated");
  else if (call.id === "") repairs.add("call-id-empty");
  else if (toName(call.id) === undefined) {
    if (call.legacy !== true) repairs.add("call-id-missing");
  } else if (typeof call.id !== "string") repairs.add("call-id-not-text");
}
