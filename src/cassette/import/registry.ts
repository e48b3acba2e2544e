// The formats we read, one row each. A record belongs to the first format that recognises it, so the formats with the plainest
// shape come last: many records have a list of messages.

import type { JsonObject, JsonValue } from "../../core/index.js";
import { isClaudeCodeLine } from "./claude-code/lines.js";
import { readClaudeCode, splitClaudeCode } from "./claude-code/read.js";
import { isCodexLine } from "./codex/lines.js";
import { readCodex } from "./codex/read.js";
import { splitCodex } from "./codex/split.js";
import { isCopilotEvent, splitCopilot } from "./copilot-cli/events.js";
import { readCopilot } from "./copilot-cli/read.js";
import { isAgentDojo, readAgentDojo } from "./formats/agentdojo.js";
import { isAtif, readAtif, splitAtif } from "./formats/atif.js";
import { isCodexExecEvent, readCodexExec, splitCodexExec } from "./codex/exec.js";
import { isInspect, readInspect, splitInspect } from "./formats/inspect.js";
import { isLangfuse, readLangfuse, splitLangfuse } from "./formats/langfuse.js";
import { detectMessages, readMessageLog, type MessageFormat } from "./formats/message-log.js";
import { isMiniSweAgent, readMiniSweAgent } from "./formats/mini-swe-agent.js";
import { readTrace, splitEndedSpans, splitOtlp } from "./formats/otlp.js";
import { isSweAgent, readSweAgent, splitSweAgent } from "./formats/swe-agent.js";
import { isTauBench, readTauBench } from "./formats/tau-bench.js";
import type { HttpRecording } from "./http/exchange.js";
import { isHar, readHar } from "./http/har.js";
import { isNockCall, readNock } from "./http/nock.js";
import { readConversation } from "./http/read.js";
import { splitRecording } from "./http/split.js";
import { isVcr, readVcr } from "./http/vcr.js";
import type { LogRun } from "./log-run.js";
import { isPiLine, readPi, splitPi } from "./pi/read.js";
import type { RepairLog } from "./repair.js";
import type { LogCalls } from "./trace/model-calls.js";
import { isEndedSpan, isOtlp } from "./trace/span.js";
import type { LogTurns } from "./turns.js";

export type ReadRun = LogRun | LogCalls | LogTurns;

interface LogFormat {
  /** Recognises a record by its shape; it is parsed, but not yet cleaned. `before` is the format of the record before it. */
  readonly detect: (record: JsonValue, before?: string) => boolean;
  /** Splits a record into its runs, each a record for `read`. Throws `import-malformed` for none. Absent for one run. */
  readonly split?: (record: JsonValue, keepErrors?: boolean) => JsonObject[];
  /** Set where a run may be spread over several records: `split` then gets the list of all records of a text. */
  readonly gathers?: true;
  /** Reads one run. A list of messages comes as `{messages}`. */
  readonly read: (record: JsonObject, repairs: RepairLog) => ReadRun;
}

const TABLE = {
  har: httpFormat(isHar, readHar),
  vcr: httpFormat(isVcr, readVcr),
  nock: { ...httpFormat(isNockCall, readNock), gathers: true },
  "claude-code": { detect: isClaudeCodeLine, gathers: true, split: splitClaudeCode, read: readClaudeCode },
  codex: { detect: isCodexLine, gathers: true, split: splitCodex, read: readCodex },
  "codex-exec": { detect: isCodexExecEvent, gathers: true, split: splitCodexExec, read: readCodexExec },
  "copilot-cli": { detect: isCopilotEvent, gathers: true, split: splitCopilot, read: readCopilot },
  pi: { detect: isPiLine, gathers: true, split: splitPi, read: readPi },
  atif: { detect: isAtif, split: splitAtif, read: readAtif },
  "swe-agent": { detect: isSweAgent, split: splitSweAgent, read: readSweAgent },
  "mini-swe-agent": { detect: isMiniSweAgent, read: readMiniSweAgent },
  "tau-bench": { detect: isTauBench, read: readTauBench },
  agentdojo: { detect: isAgentDojo, read: readAgentDojo },
  otlp: { detect: isOtlp, split: splitOtlp, gathers: true, read: readTrace },
  "otel-spans": { detect: isEndedSpan, split: splitEndedSpans, gathers: true, read: readTrace },
  langfuse: { detect: isLangfuse, split: splitLangfuse, read: readLangfuse },
  inspect: { detect: isInspect, split: splitInspect, read: readInspect },
  "ai-sdk-messages": messageFormat("ai-sdk-messages"),
  "anthropic-messages": messageFormat("anthropic-messages"),
  "openai-messages": messageFormat("openai-messages"),
} satisfies Record<string, LogFormat>;

function httpFormat(detect: LogFormat["detect"], readRecording: (record: JsonValue) => HttpRecording): LogFormat {
  return {
    detect,
    split: (record, keepErrors) => splitRecording(readRecording(record), keepErrors),
    read: readConversation,
  };
}

function messageFormat(name: MessageFormat): LogFormat {
  return {
    detect: (record) => detectMessages(record) === name,
    read: (record, repairs) => readMessageLog(record, name, repairs),
  };
}

/** The name of a format that can be imported. docs/convert.md describes each. */
export type ImportFormat = keyof typeof TABLE;

export const FORMATS: Readonly<Record<ImportFormat, LogFormat>> = TABLE;

/** The formats that `parseImport` reads, for a help text. */
export const IMPORT_FORMATS = Object.keys(FORMATS) as readonly ImportFormat[];
