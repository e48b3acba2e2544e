// The lines of a Codex rollout (`~/.codex/sessions/**/rollout-*.jsonl`): items of the Responses API (`response_item`), the settings of
// each turn (`turn_context`), what the program showed (`event_msg`), and replaced histories (`compacted`). Until version 0.3x, a line
// was an item without an envelope, and until 0.2 one JSON document held all items. The output of `codex exec --json` was then events of
// the program, after a line with the settings and one with the prompt. The format is not published.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import { isObject, toList, toObject, toText } from "../foreign-json.js";

/** One line, with its envelope removed. */
export type RolloutLine =
  | { kind: "meta" | "context" | "item" | "compacted"; body: JsonObject }
  | { kind: "event"; type: string; body: JsonObject }
  | { kind: "note" | "unknown" };

const BARE_ITEMS: ReadonlySet<string> = new Set([
  ...["message", "reasoning", "function_call", "function_call_output"],
  ...["local_shell_call", "custom_tool_call", "custom_tool_call_output", "web_search_call"],
]);

/** Recognises a line. An item without an envelope belongs to a rollout only after another line of one. */
export function isCodexLine(record: JsonValue, before?: string): boolean {
  if (!isObject(record) || "messages" in record) return false;
  if (isWholeRollout(record) || isBareMeta(record)) return true;
  const { timestamp, type, payload } = record;
  if (typeof timestamp === "string" && typeof type === "string" && isObject(payload)) return true;
  if (isBareEvent(record) || isExecHead(record)) return true;
  return before === "codex" && ("record_type" in record || isBareItem(record) || isExecPrompt(record));
}

/** The document of the oldest versions: `{session, items}`. */
function isWholeRollout({ session, items }: JsonObject): boolean {
  return isObject(session) && Array.isArray(items) && typeof session["id"] === "string";
}

/** The first line before there were envelopes: `{id, timestamp, instructions, git?}`. */
function isBareMeta({ id, timestamp, type, ...rest }: JsonObject): boolean {
  const isNamed = typeof id === "string" && typeof timestamp === "string" && type === undefined;
  return isNamed && "instructions" in rest;
}

function isBareItem({ type, payload }: JsonObject): boolean {
  return payload === undefined && BARE_ITEMS.has(toText(type));
}

function isBareEvent({ id, msg }: JsonObject): boolean {
  return typeof id === "string" && isObject(msg) && typeof msg["type"] === "string";
}

function isExecHead({ workdir, model, sandbox }: JsonObject): boolean {
  return [workdir, model, sandbox].every((value) => typeof value === "string");
}

function isExecPrompt({ prompt, ...others }: JsonObject): boolean {
  return typeof prompt === "string" && Object.keys(others).length === 0;
}

export function toRolloutLines(record: JsonObject): RolloutLine[] {
  if (isExecHead(record)) {
    const meta: JsonObject = { cwd: record["workdir"] ?? null, originator: "codex_exec" };
    return [
      { kind: "meta", body: meta },
      { kind: "context", body: { model: record["model"] ?? null } },
    ];
  }
  if (!isWholeRollout(record)) return [toRolloutLine(record)];
  const items = toList(record["items"]).map((item): RolloutLine => {
    return isObject(item) ? { kind: "item", body: item } : { kind: "unknown" };
  });
  return [{ kind: "meta", body: toObject(record["session"]) }, ...items];
}

function toRolloutLine(record: JsonObject): RolloutLine {
  const { type, payload, record_type: note } = record;
  if (isObject(payload)) return fromEnvelope(toText(type), payload);
  const { msg } = record;
  if (isObject(msg)) return { kind: "event", type: toText(msg["type"]), body: msg };
  if (isExecPrompt(record)) {
    return { kind: "event", type: "user_message", body: { message: record["prompt"] ?? "" } };
  }
  if (isBareItem(record)) return { kind: "item", body: record };
  if (isBareMeta(record)) return { kind: "meta", body: record };
  return { kind: note === undefined ? "unknown" : "note" };
}

function fromEnvelope(type: string, body: JsonObject): RolloutLine {
  switch (type) {
    case "session_meta":
      return { kind: "meta", body };
    case "turn_context":
      return { kind: "context", body };
    case "response_item":
      // A picture of the files for the program's undo, which the model does not get.
      return body["type"] === "ghost_snapshot" ? { kind: "note" } : { kind: "item", body };
    case "compacted":
      return { kind: "compacted", body };
    case "event_msg":
      return { kind: "event", type: toText(body["type"]), body };
    // What the program knows of the folder, and a second count of the tokens.
    case "world_state":
    case "token_usage_record":
      return { kind: "note" };
    default:
      return { kind: "unknown" };
  }
}

/** True for an item that the model wrote, as opposed to one that it got. */
export function isWritten({ type, role }: JsonObject): boolean {
  const kind = toText(type) || "message";
  if (kind === "message") return role === "assistant";
  return !/_(output|result|response|update)$/.test(kind) && !/compaction/.test(kind);
}
