// A recording as a reader follows it: the messages that each turn added, and the result of each tool call next to the call. The
// file keeps the result in the prompt of a later turn.

import { extensionsOf, type Cassette, type CassetteEntry } from "../../cassette/index.js";
import { canonicalize, findMessageFlaw, isPlainObject, type LlmMessage, type ToolMessage } from "../../core/index.js";

export type AnyEntry = Omit<CassetteEntry, "responseHash">;

export interface Step {
  entry: AnyEntry;
  /** The messages that the prompt added, without the echo of the previous answer and the results of calls. */
  asked: LlmMessage[];
  /** Set if the prompt does not continue the previous one: the number of messages it kept, and their total. */
  rewritten?: { kept: number; of: number };
  /** Results by the index of the call within its turn. */
  results: Map<number, ToolMessage>;
}

/** The turns, and the messages of an imported log after the last turn. */
export interface Conversation {
  steps: Step[];
  after: LlmMessage[];
}

/** Splits a recording into turns. A result belongs to the newest open call with its id, because a vendor may reuse ids. */
export function toConversation(cassette: Cassette): Conversation {
  const steps: Step[] = [];
  const open: OpenCall[] = [];
  let length = 0;
  for (const entry of cassette.entries as readonly AnyEntry[]) {
    const before = steps.at(-1);
    const { keep = 0, messages = [] } = entry.prompt ?? {};
    const isRewritten = entry.prompt !== undefined && keep < length;
    const step: Step = {
      entry,
      asked: place(messages, before, open),
      ...(isRewritten ? { rewritten: { kept: keep, of: length } } : {}),
      results: new Map(),
    };
    length = keep + messages.length;
    steps.push(step);
    open.unshift(...(entry.response.message.toolCalls ?? []).map(({ id }, index) => ({ id, step, index })));
  }
  return { steps, after: place(trailingOf(cassette), steps.at(-1), open) };
}

interface OpenCall {
  id: string;
  step: Step;
  index: number;
}

/** Assigns each result to its call, and returns the remaining messages. */
function place(messages: readonly LlmMessage[], before: Step | undefined, open: OpenCall[]): LlmMessage[] {
  const answer = before === undefined ? undefined : canonicalize(before.entry.response.message);
  let isEchoed = false;
  return messages.filter((message) => {
    if (message.role === "assistant" && !isEchoed && canonicalize(message) === answer) {
      isEchoed = true;
      return false;
    }
    const at = message.role === "tool" ? open.findIndex(({ id }) => id === message.toolCallId) : -1;
    const [call] = at < 0 ? [] : open.splice(at, 1);
    if (call !== undefined && message.role === "tool") call.step.results.set(call.index, message);
    return call === undefined;
  });
}

/** The messages that an import found after the last answer. Loading does not check them, so invalid ones are dropped here. */
function trailingOf(cassette: Cassette): LlmMessage[] {
  const source: unknown = extensionsOf(cassette)["import"];
  const trailing: unknown = isPlainObject(source) ? source["trailing"] : undefined;
  const listed: unknown[] = Array.isArray(trailing) ? trailing : [];
  return listed.filter((message): message is LlmMessage => findMessageFlaw(message) === undefined);
}
