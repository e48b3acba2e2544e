// The formats we read, one line each, in the order in which a record is asked whether it is one of them. The formats with
// the plainest shape come last: many a record has a list of messages.

import type { JsonObject, JsonValue } from "../../core/index.js";
import { isAgentDojo, readAgentDojo } from "./formats/agentdojo.js";
import { isAtif, readAtif, splitAtif } from "./formats/atif.js";
import { isClaudeCodeLine } from "./claude-code/lines.js";
import { readClaudeCode, splitClaudeCode } from "./claude-code/read.js";
import type { LogCalls } from "./trace/model-calls.js";
import { isHar, readHar } from "./http/har.js";
import { isNockCall, readNock } from "./http/nock.js";
import { readConversation } from "./http/read.js";
import { splitRecording } from "./http/split.js";
import { isVcr, readVcr } from "./http/vcr.js";
import { isInspect, readInspect, splitInspect } from "./formats/inspect.js";
import { isLangfuse, readLangfuse, splitLangfuse } from "./formats/langfuse.js";
import type { LogRun } from "./log.js";
import { detectMessages, readMessageLog } from "./formats/message-log.js";
import { isMiniSweAgent, readMiniSweAgent } from "./formats/mini-swe-agent.js";
import type { RepairLog } from "./repair.js";
import { isSweAgent, readSweAgent, splitSweAgent } from "./formats/swe-agent.js";
import { readTrace, splitEndedSpans, splitOtlp } from "./formats/otlp.js";
import { isEndedSpan, isOtlp } from "./trace/span.js";
import { isTauBench, readTauBench } from "./formats/tau-bench.js";
import type { LogTurns } from "./turns.js";

/** How one format is recognised and read. */
export interface LogFormat {
  /** True for a record, parsed but not yet cleaned, that is in this format by its shape. */
  readonly detect: (record: JsonValue) => boolean;
  /**
   * The runs of a record that holds several, each made a record of its own for `read`. Throws `import-malformed` where it
   * holds none. Absent where a record is a run.
   */
  readonly split?: (record: JsonValue) => JsonObject[];
  /** All records of a text together are one, and `split` gets their list: a run may lie across several of them. */
  readonly gathers?: true;
  /** Reads one run. A list of messages comes as `{messages}`. */
  readonly read: (record: JsonObject, repairs: RepairLog) => LogRun | LogCalls | LogTurns;
}

const TABLE = {
  har: { detect: isHar, split: (record) => splitRecording(readHar(record)), read: readConversation },
  vcr: { detect: isVcr, split: (record) => splitRecording(readVcr(record)), read: readConversation },
  nock: {
    detect: isNockCall,
    gathers: true,
    split: (record) => splitRecording(readNock(record)),
    read: readConversation,
  },
  "claude-code": { detect: isClaudeCodeLine, gathers: true, split: splitClaudeCode, read: readClaudeCode },
  atif: { detect: isAtif, split: splitAtif, read: readAtif },
  "swe-agent": { detect: isSweAgent, split: splitSweAgent, read: readSweAgent },
  "mini-swe-agent": { detect: isMiniSweAgent, read: readMiniSweAgent },
  "tau-bench": { detect: isTauBench, read: readTauBench },
  agentdojo: { detect: isAgentDojo, read: readAgentDojo },
  otlp: { detect: isOtlp, split: splitOtlp, gathers: true, read: readTrace },
  "otel-spans": { detect: isEndedSpan, split: splitEndedSpans, gathers: true, read: readTrace },
  langfuse: { detect: isLangfuse, split: splitLangfuse, read: readLangfuse },
  inspect: { detect: isInspect, split: splitInspect, read: readInspect },
  "ai-sdk-messages": {
    detect: (record) => detectMessages(record) === "ai-sdk-messages",
    read: (record, repairs) => readMessageLog(record, "ai-sdk-messages", repairs),
  },
  "anthropic-messages": {
    detect: (record) => detectMessages(record) === "anthropic-messages",
    read: (record, repairs) => readMessageLog(record, "anthropic-messages", repairs),
  },
  "openai-messages": {
    detect: (record) => detectMessages(record) === "openai-messages",
    read: (record, repairs) => readMessageLog(record, "openai-messages", repairs),
  },
} satisfies Record<string, LogFormat>;

/** The name of a format that can be imported; docs/convert.md says what each is. */
export type ImportFormat = keyof typeof TABLE;

/** Every format by its name. */
export const FORMATS: Readonly<Record<ImportFormat, LogFormat>> = TABLE;

/** The formats `parseImport` reads, for a help text. */
export const IMPORT_FORMATS = Object.keys(FORMATS) as readonly ImportFormat[];
