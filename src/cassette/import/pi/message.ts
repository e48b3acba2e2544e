// One message of a pi session. Its content is text or a list of `text`, `thinking`, `image` and `toolCall` blocks.

import type { JsonObject, JsonValue, Usage } from "../../../core/index.js";
import type { EarlyStop, LogMessage } from "../log-run.js";
import { readCall, takeCallBlocks, type CallWords } from "../message/calls.js";
import { readAssistantContent, readText, readUserContent } from "../message/content.js";
import { keepUnknown, type ContentRules } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { isObject, toCount, toList, toName, toObject, toText } from "../foreign-json.js";

/** `partialJson` repeats the arguments as they were streamed. */
const CALL: CallWords = {
  id: "id",
  name: "name",
  arguments: "arguments",
  ignored: ["type", "partialJson", "thoughtSignature"],
};

/** True for an answer that was aborted or ended in an error. */
export function isFailed({ role, stopReason: reason }: JsonObject): boolean {
  return role === "assistant" && (reason === "error" || reason === "aborted");
}

export function readPiMessage(
  message: JsonObject,
  hasResult: (id: JsonValue | undefined) => boolean,
  repairs: RepairLog,
): LogMessage[] {
  const rules: ContentRules = { repairs, listIsNative: true };
  const { role, summary, toolCallId: callId, toolName, isError } = message;
  const content = toBlocks(message["content"]);
  switch (role) {
    case "user":
    case "custom":
    case "hookMessage":
      return [{ role: "user", content: readUserContent(content, rules) }];
    case "assistant":
      return readAnswer(message, content, hasResult, rules);
    case "toolResult":
      return [
        { role: "tool", callId, name: toName(toolName), content: readText(content, rules), isError: isError === true },
      ];
    case "branchSummary":
    case "compactionSummary":
      return [{ role: "user", content: toText(summary) }];
    case "bashExecution":
      // A command that the user ran. Its words in the prompt are the program's own.
      if (message["excludeFromContext"] !== true) return [keepUnknown(message, repairs)];
      repairs.add("meta-line-dropped");
      return [];
    default:
      return [keepUnknown(message, repairs)];
  }
}

function readAnswer(
  message: JsonObject,
  content: JsonValue | undefined,
  hasResult: (id: JsonValue | undefined) => boolean,
  rules: ContentRules,
): LogMessage[] {
  const { calls, others } = takeCallBlocks(content, "toolCall", rules.repairs);
  if (isFailed(message)) {
    rules.repairs.add("error-exchange-dropped");
    if (!calls.some(({ id }) => hasResult(id))) return [];
  }
  const { total } = toObject(toObject(message["usage"])["cost"]);
  return [
    {
      role: "assistant",
      ...readAssistantContent(others, rules),
      calls: calls.map((call) => readCall(call, CALL, rules.repairs)),
      usage: readUsage(toObject(message["usage"])),
      // pi writes 0 where it knows no price.
      costUsd: toCount(total) || undefined,
      model: toName(message["model"]),
      stopReason: STOPS.get(toText(message["stopReason"])),
    },
  ];
}

const STOPS: ReadonlyMap<string, EarlyStop> = new Map([
  ["length", "length"],
  ["error", "error"],
  ["aborted", "error"],
]);

/** pi counts cached tokens apart from `input`. */
function readUsage({ input, output, cacheRead, cacheWrite }: JsonObject): Usage | undefined {
  const [fresh, outputTokens] = [toCount(input), toCount(output)];
  if (fresh === undefined || outputTokens === undefined) return undefined;
  const [read = 0, written = 0] = [toCount(cacheRead), toCount(cacheWrite)];
  return {
    inputTokens: fresh + read + written,
    outputTokens,
    cacheReadTokens: read,
    cacheWriteTokens: written,
  };
}

/** The blocks with the fields that content is read by. */
function toBlocks(content: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(content)) return content;
  return toList(content).map((block) => {
    if (!isObject(block)) return block;
    const { type, text, thinking, thinkingSignature: signature = null, redacted = null, data, mimeType } = block;
    if (type === "text") return { type, text: text ?? "" };
    if (type === "image" && typeof data === "string") {
      return { type, source: { type: "base64", media_type: mimeType ?? "", data } };
    }
    return type === "thinking" ? { type, thinking: thinking ?? "", signature, redacted } : block;
  });
}
