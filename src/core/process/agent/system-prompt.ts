// The system messages of an agent process: its prompt, its documents, and what its answer must be. The runtime context changes with
// every turn, so it goes behind the conversation.

import type { JsonObject } from "../../canon/value.js";

export interface PromptDocument {
  /** The name as the spec has it. */
  readonly id: string;
  readonly text: string;
}

export interface PromptSource {
  readonly prompt?: string;
  readonly documents?: readonly PromptDocument[];
  readonly output?: JsonObject;
}

/** Each part becomes a system message of its own. The last one does not change, so a vendor may cache up to it. */
export function systemParts({ prompt, documents = [], output }: PromptSource): string[] {
  return [
    ...(prompt === undefined ? [] : [prompt]),
    ...documents.map(
      ({ id, text }) => `<doc id="${id.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">\n${text}\n</doc>`,
    ),
    outputInstruction(output),
  ];
}

function outputInstruction(output: JsonObject | undefined): string {
  const rule = "Answer with one JSON value and nothing else: no explanation and no Markdown.";
  return output === undefined ? rule : `${rule} The value must match this JSON Schema:\n${JSON.stringify(output)}`;
}

/** What an agent process counts. */
export interface RuntimeFigures {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly apiCalls: number;
  readonly maxTokens: number;
  readonly historyMessages: number;
  readonly pinnedDocuments: number;
}

/** The system message behind the conversation, from which an agent learns what it has used. */
export function runtimeContext(figures: RuntimeFigures, nowMs: number): string {
  return `[Runtime context]
Time: ${new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z")}
Session input tokens: ${figures.inputTokens}
Session output tokens: ${figures.outputTokens}
API calls: ${figures.apiCalls}
Max output tokens per turn: ${figures.maxTokens}
History messages: ${figures.historyMessages}
Pinned documents: ${figures.pinnedDocuments}`;
}
