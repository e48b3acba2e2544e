// A recording as a reader follows it: what each turn added to the conversation, and beside each tool call its result, which the
// file keeps in the prompt of a later turn.

import { extensionsOf, type Cassette, type CassetteEntry } from "../../cassette/index.js";
import { canonicalize, findMessageFlaw, isPlainObject, type LlmMessage, type ToolMessage } from "../../core/index.js";

export type AnyEntry = Omit<CassetteEntry, "responseHash">;

export interface Step {
  entry: AnyEntry;
  /** What the prompt added and stands nowhere else: no echo of the answer before, no result of a call. */
  asked: LlmMessage[];
  /** Set where the prompt does not go on from the one before: how many of its messages were kept, of how many. */
  rewritten?: { kept: number; of: number };
  /** By the place of the call among the turn's calls. */
  results: Map<number, ToolMessage>;
}

/** The turns, and the messages that a log had after the last of them. */
export interface Conversation {
  steps: Step[];
  after: LlmMessage[];
}

/** Results are told by their call's id, the newest open call first: a vendor may use an id again. */
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

/** Gives each result to its call, and back what is left. */
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

/** What an import found after the last answer. Nothing checks it on loading, so what is no message is left out. */
function trailingOf(cassette: Cassette): LlmMessage[] {
  const source: unknown = extensionsOf(cassette)["import"];
  const trailing: unknown = isPlainObject(source) ? source["trailing"] : undefined;
  const listed: unknown[] = Array.isArray(trailing) ? trailing : [];
  return listed.filter((message): message is LlmMessage => findMessageFlaw(message) === undefined);
}
