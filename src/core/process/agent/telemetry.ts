// What an agent process reports about its work. A projection of the events of the loop, the same for every transport.

import { canonicalize } from "../../canon/json.js";
import type { JsonValue } from "../../canon/value.js";
import { defined } from "../../defined.js";
import type { EventBody, EventDetail } from "../../events/event.js";
import { MAX_SUMMARY_SOURCE_CHARACTERS, MAX_TELEMETRY_SUMMARY } from "../../limits.js";
import { maskSecrets } from "../../text/mask.js";
import { shorten } from "../../text/show.js";
import { TOOL_UNAVAILABLE } from "../../tools/tool.js";

export type TelemetryEvent =
  | {
      kind: "config";
      model?: string;
      provider?: string;
      max_tokens: number;
      thinking_budget?: number;
      tools?: readonly string[];
    }
  | {
      kind: "usage";
      prompt_tokens: number;
      completion_tokens: number;
      cache_read_tokens?: number;
      cache_creation_tokens?: number;
    }
  | { kind: "thinking"; thinking: string; signature?: string }
  | { kind: "tool_call"; id: string; name: string; arguments: string; summary: string; is_error: boolean }
  | { kind: "pin_state"; action: "pin" | "unpin"; count: number; keys: readonly string[] }
  | { kind: "output"; content: JsonValue }
  /** Events that a slow reader missed. */
  | { kind: "dropped"; count: number };

/** The telemetry of one event of the loop. Most have none. */
export function toTelemetry(body: EventBody, detail: EventDetail | undefined): TelemetryEvent[] {
  switch (body.type) {
    case "llm-turn":
      return detail?.kind === "turn" ? [...toUsage(body), ...toThinking(detail)] : toUsage(body);
    case "tool-result":
      return toToolCall(detail, "ok", false);
    case "tool-failed":
      return toToolCall(detail, body.masked === true ? TOOL_UNAVAILABLE : body.message, true);
    case "tool-rejected":
      return toToolCall(detail, TOOL_UNAVAILABLE, true);
    case "tool-denied":
      return toToolCall(detail, body.message, true);
    default:
      return [];
  }
}

function toUsage({ usage }: Extract<EventBody, { type: "llm-turn" }>): TelemetryEvent[] {
  if (usage === undefined) return [];
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return [
    {
      kind: "usage",
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      ...defined({ cache_read_tokens: cacheReadTokens, cache_creation_tokens: cacheWriteTokens }),
    },
  ];
}

function toThinking({ response }: Extract<EventDetail, { kind: "turn" }>): TelemetryEvent[] {
  return (response.message.reasoning ?? []).flatMap((thought) =>
    thought.type === "text"
      ? [{ kind: "thinking", thinking: thought.text, ...defined({ signature: thought.signature }) } as const]
      : [],
  );
}

function toToolCall(detail: EventDetail | undefined, summary: string, isError: boolean): TelemetryEvent[] {
  if (detail?.kind !== "tool") return [];
  const { id, name, arguments: args } = detail.call;
  const text = shorten(maskSecrets(summary.slice(0, MAX_SUMMARY_SOURCE_CHARACTERS)), MAX_TELEMETRY_SUMMARY);
  return [{ kind: "tool_call", id, name, arguments: canonicalize(args), summary: text, is_error: isError }];
}
