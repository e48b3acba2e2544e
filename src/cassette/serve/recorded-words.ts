// A request over a wire in the words of the recording. A wire loses some of what a recording has, so both sides are compared as it leaves
// them.

import { defined, hashJson, throughWire, type LlmMessage, type LlmTurnRequest } from "../../core/index.js";
import type { ContextExtension } from "../file/format.js";
import { contextAt } from "../offer/context.js";
import { fieldsOfOtherWires, type WireFieldCheck } from "../offer/wire-fields.js";
import type { ReplayFilter } from "../prompt/noted-filters.js";
import type { Asked, Nearness } from "./asked.js";

/** How tools and settings are compared. */
export interface ContextRules {
  readonly fields: WireFieldCheck;
  readonly filterTools: ReplayFilter["filterTools"];
}

/** True if tools and settings are the recorded ones, as far as the wire carries them, or if none were recorded. */
export function fits(recorded: ContextExtension | undefined, asked: Asked, rules: ContextRules): boolean {
  const [tools, settings] = contextOf(recorded, asked, rules);
  return recorded === undefined || (tools !== undefined && settings !== undefined);
}

/** The recorded tools and settings, each only if the wire makes no difference between them and the request's. */
function contextOf(
  recorded: ContextExtension | undefined,
  { wire, request: { settings: given, ...asked } }: Asked,
  { fields, filterTools }: ContextRules,
): [LlmTurnRequest["tools"], LlmTurnRequest["settings"]] {
  const request = { ...asked, settings: fields.known(given) };
  const { model, ...rest } = request.settings;
  const own = { tools: filterTools(request.tools ?? []), settings: rest };
  if (recorded === undefined) return [undefined, undefined];
  const tools = recorded.tools as LlmTurnRequest["tools"] | undefined;
  const settings = recorded.settings as LlmTurnRequest["settings"] | undefined;
  const isTools = recorded.toolsHash === hashJson(own.tools);
  const isSettings = recorded.settingsHash === hashJson(own.settings);
  if (isTools && isSettings) return [tools ?? own.tools, settings ?? own.settings];
  if (tools === undefined || settings === undefined) {
    return [isTools ? own.tools : undefined, isSettings ? own.settings : undefined];
  }
  const theirs = throughWire({ messages: [], tools, settings }, wire, request);
  const ours = throughWire({ ...request, tools: own.tools, messages: [] }, wire, request);
  return [
    isTools || hashJson(theirs?.tools ?? []) === hashJson(ours?.tools ?? []) ? tools : undefined,
    isSettings || hashJson(theirs?.settings ?? null) === hashJson(ours?.settings ?? {}) ? settings : undefined,
  ];
}

export interface Recorded extends ContextRules {
  prompts: readonly LlmMessage[][] | undefined;
  contexts: readonly ContextExtension[];
}

/** The request with its matching parts in the words of the recording, so that a miss names a real difference. */
export function recordedWords(
  asked: Asked,
  near: Nearness | undefined,
  { prompts, contexts, ...rules }: Recorded,
): LlmTurnRequest {
  const { wire, request } = asked;
  if (near === undefined) return request;
  const recorded = prompts?.[near.turnIndex] ?? request.messages;
  const context = contextAt(contexts, near.turnIndex);
  const [tools = request.tools, same] = contextOf(context, asked, rules);
  // Fields of other wires could not come over this one, so they are not reported as differences.
  const settings = same ?? { ...fieldsOfOtherWires(context?.settings, wire.name), ...request.settings };
  // A wire may join or drop messages. Then indexes of the two sides do not correspond.
  const isAligned = () => asked.digests().length === request.messages.length;
  const messages = near.isPrompt
    ? recorded
    : isAligned()
      ? withRecordedStart(recorded.slice(0, near.length), request.messages)
      : request.messages;
  return { messages, ...defined({ tools }), settings };
}

/** The messages after their recorded start. Results of calls in the start get the recorded ids, since ids are compared by order. */
function withRecordedStart(start: readonly LlmMessage[], messages: readonly LlmMessage[]): LlmMessage[] {
  const recorded = callIds(start);
  const ids = new Map(callIds(messages.slice(0, start.length)).map((id, index) => [id, recorded[index] ?? id]));
  const rest = messages
    .slice(start.length)
    .map((message) =>
      message.role === "tool" ? { ...message, toolCallId: ids.get(message.toolCallId) ?? message.toolCallId } : message,
    );
  return [...start, ...rest];
}

function callIds(messages: readonly LlmMessage[]): string[] {
  return messages
    .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
    .map(({ id }) => id);
}
