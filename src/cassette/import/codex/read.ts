// A stretch of a Codex session as a run. Consecutive items that the model wrote are one answer. The tokens of each answer are in an event
// near it, and its model in the last `turn_context`. The log has no tools, and until version 0.8x no instructions.

import { defined, type JsonObject, type Usage } from "../../../core/index.js";
import type { LogAssistantMessage, LogMessage, LogRun, LogSession } from "../log-run.js";
import { addRepairs, type RepairLog } from "../repair.js";
import { toTracedUsage } from "../trace/traced-call.js";
import { isObject, toList, toName, toObject, toText } from "../foreign-json.js";
import { failedCallOf, readAnswer, readGiven } from "./items.js";
import { isWritten } from "./lines.js";
import { isCounted, linesOf } from "./split.js";

export function readCodex(record: JsonObject, repairs: RepairLog): LogRun {
  const { meta, trial, dropped } = record;
  addRepairs(dropped, repairs);
  const head = toObject(meta);
  const messages = readMessages(record, repairs);
  const models = messages.map((message) => (message.role === "assistant" ? message.model : undefined));
  const [model, ...others] = models.filter((name) => name !== undefined);
  repairs.add("model-differs", others.filter((other) => other !== model).length);
  return {
    model: model ?? toName(record["model"]),
    task: toName(head["id"]),
    trial: toName(trial),
    session: toSession(head),
    outcome: readOutcome(record),
    messages: [...readInstructions(head), ...messages],
  };
}

function readInstructions({ base_instructions: base }: JsonObject): LogMessage[] {
  const text = isObject(base) ? toText(base["text"]) : toText(base);
  return text === "" ? [] : [{ role: "system", content: text }];
}

function toSession(meta: JsonObject): LogSession {
  const { git, source, cwd, originator, cli_version: version, forked_from_id: forked } = meta;
  const { branch, commit_hash: commit, repository_url: repository } = toObject(git);
  const { thread_spawn: spawn } = toObject(toObject(source)["subagent"]);
  return defined({
    cwd: toName(cwd),
    branch: toName(branch),
    commit: toName(commit),
    repository: toName(repository),
    version: [toName(originator), toName(version)].filter((name) => name !== undefined).join(" ") || undefined,
    parent: toName(toObject(spawn)["parent_thread_id"]) ?? toName(forked),
  });
}

/** The error of the last turn, if the session ended with it. */
function readOutcome(record: JsonObject): JsonObject | undefined {
  const events = linesOf(record).flatMap((line) => (line.kind === "event" && ENDS.has(line.type) ? [line] : []));
  const last = events.at(-1);
  if (last === undefined || COMPLETE.has(last.type)) return undefined;
  const { message, reason, error } = last.body;
  return { error: toName(message) ?? toName(reason) ?? toName(toObject(error)["message"]) ?? last.type };
}

const COMPLETE: ReadonlySet<string> = new Set(["task_complete", "turn_complete"]);
const ENDS: ReadonlySet<string> = new Set([...COMPLETE, "turn_aborted", "error"]);

/** Events that repeat what the items say, or that only say when something began and ended. */
const REPEATING: ReadonlySet<string> = new Set([
  ...["user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "raw_response_item"],
  ...["exec_command_begin", "exec_command_end", "patch_apply_begin", "patch_apply_end", "mcp_tool_call_begin"],
  ...["mcp_tool_call_end", "web_search_begin", "web_search_end", "view_image_tool_call", "image_generation_end"],
  ...["task_started", "turn_started", "task_complete", "turn_complete", "context_compacted", "token_count"],
]);
/** Other notes of the program, which no prompt contains. */
const NOTES: ReadonlySet<string> = new Set([
  ...["agent_reasoning_section_break", "entered_review_mode", "exited_review_mode", "turn_diff", "plan_update"],
  ...["background_event", "item_started", "item_completed", "session_configured", "thread_goal_updated", "warning"],
  ...["thread_name_updated", "sub_agent_activity", "thread_settings_applied", "shutdown_complete", "guardian_warning"],
]);

function readMessages(record: JsonObject, repairs: RepairLog): LogMessage[] {
  const lines = linesOf(record);
  const failed = new Set(lines.flatMap((line) => (line.kind === "event" ? (failedCallOf(line.body) ?? []) : [])));
  const messages = readHistory(record, failed, repairs);
  const usages = createUsages(record["isCountedFirst"] === true, repairs);
  const settings = new Set<string>();
  let model = toName(record["model"]);
  let written: JsonObject[] = [];
  const flush = (): void => {
    const answer = written.length === 0 ? undefined : readAnswer(written, repairs);
    written = [];
    if (answer !== undefined) messages.push(usages.answer({ ...answer, model }));
  };
  for (const line of lines) {
    switch (line.kind) {
      case "item":
        if (isWritten(line.body)) {
          written.push(line.body);
          break;
        }
        flush();
        messages.push(readGiven(line.body, failed, repairs));
        break;
      case "context":
        if (written.length === 0) model = toName(line.body["model"]) ?? model;
        for (const name of ["effort", "summary"]) if ((line.body[name] ?? null) !== null) settings.add(name);
        break;
      case "event":
        if (!isCounted(line.type, line.body)) countEvent(line, messages, written.length > 0, repairs);
        else if (usages.take(toObject(line.body["info"]), written.length > 0)) flush();
        break;
      default:
        repairs.add(line.kind === "unknown" ? "line-unknown" : "meta-line-dropped");
    }
  }
  flush();
  usages.end();
  repairs.add("setting-dropped", settings.size);
  return messages;
}

/** The messages that a compaction or a rollback left. Their answers are turns of the stretch before. */
function readHistory(record: JsonObject, failed: ReadonlySet<string>, repairs: RepairLog): LogMessage[] {
  const messages: LogMessage[] = [];
  let written: JsonObject[] = [];
  const flush = (): void => {
    const answer = written.length === 0 ? undefined : readAnswer(written, repairs);
    if (answer !== undefined) messages.push({ ...answer, notModel: true });
    written = [];
  };
  for (const item of toList(record["history"]).filter(isObject)) {
    if (isWritten(item)) {
      written.push(item);
      continue;
    }
    flush();
    messages.push(readGiven(item, failed, repairs));
  }
  flush();
  return messages;
}

function countEvent(
  { type, body }: { type: string; body: JsonObject },
  messages: readonly LogMessage[],
  isAnswering: boolean,
  repairs: RepairLog,
): void {
  // Tokens without those of the last answer. An event without any is about the account's limits.
  if (type === "token_count" && isObject(body["info"])) repairs.add("field-dropped");
  if (REPEATING.has(type)) return;
  if (type === "error" || type === "stream_error") repairs.add("error-exchange-dropped");
  else if (type === "turn_aborted") {
    const isUnanswered = !isAnswering && messages.at(-1)?.role !== "assistant";
    repairs.add(isUnanswered ? "call-unanswered" : "meta-line-dropped");
  } else repairs.add(NOTES.has(type) ? "meta-line-dropped" : "line-unknown");
}

/** Gives each answer its tokens. An event may come again, with the same total. */
function createUsages(isCountedFirst: boolean, repairs: RepairLog) {
  let last: LogAssistantMessage | undefined;
  let pending: Usage | undefined;
  let total = "";
  const end = (): void => {
    if (pending !== undefined) repairs.add("field-dropped");
    pending = undefined;
  };
  return {
    /** Takes the tokens of an event. True if they end the answer that is being read. */
    take(info: JsonObject, isAnswering: boolean): boolean {
      const now = JSON.stringify(info["total_token_usage"] ?? info);
      const usage = readUsage(toObject(info["last_token_usage"]));
      if (now === total || usage === undefined) return false;
      total = now;
      if (!isCountedFirst && !isAnswering && last?.usage === undefined && last !== undefined) {
        last.usage = usage;
        return false;
      }
      end();
      pending = usage;
      return !isCountedFirst && isAnswering;
    },
    answer(answer: LogAssistantMessage): LogAssistantMessage {
      last = { ...answer, usage: pending };
      pending = undefined;
      return last;
    },
    end,
  };
}

/** Undefined for an estimate, which names no tokens of an answer. */
function readUsage(usage: JsonObject): Usage | undefined {
  const found = toTracedUsage({
    input: usage["input_tokens"],
    output: usage["output_tokens"],
    cached: usage["cached_input_tokens"],
    reasoning: usage["reasoning_output_tokens"],
  });
  return found !== undefined && found.inputTokens + found.outputTokens > 0 ? found : undefined;
}
