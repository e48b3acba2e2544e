// The tape: the tool results of a recorded run, read back from the prompts that showed them to the model. A call of turn t is
// answered where a later prompt repeats turn t's message, followed by a tool message with the call's id.

import {
  canonicalize,
  defined,
  scrubArguments,
  TOOL_UNAVAILABLE,
  type JsonObject,
  type LlmMessage,
  type ToolMessage,
} from "../../core/index.js";
import { callKey } from "../diff/calls/calls.js";
import { CassetteError } from "../errors.js";
import type { Cassette } from "../file/format.js";

/** One recorded tool call, with the result that the model read. */
export interface TapeResult {
  /** Index of the turn that made the call. */
  readonly turn: number;
  readonly callId: string;
  readonly name: string;
  /** The arguments in the form that a tool receives. */
  readonly arguments: JsonObject;
  /** `name(canonicalArguments)`. */
  readonly key: string;
  /** True if the model did not write an arguments object. The key then contains its text. */
  readonly isMalformed?: boolean;
  /** The result's text. Undefined if no later prompt shows it, because the run ended with the call. */
  readonly content?: string;
  /** The message with the result, including a framework's own fields. Undefined like `content`. */
  readonly message?: ToolMessage;
  readonly isError: boolean;
  /** False for the result of a call that never reached a tool, such as an unknown one. */
  readonly isToolsOwn: boolean;
}

interface OpenCall {
  call: Omit<TapeResult, "content" | "message" | "isError" | "isToolsOwn">;
  isMalformed: boolean;
  answer?: ToolMessage;
}

/** The calls of one turn, until a prompt repeats them. */
interface Batch {
  calls: OpenCall[];
  isSeen: boolean;
}

/** Every call of the recording in order. Throws `invalid-options` for a recording with calls but without prompts. */
export function readTape(cassette: Cassette, file?: string): TapeResult[] {
  const batches = createBatches();
  const all: OpenCall[] = [];
  const prompt: (Batch | undefined)[] = [];
  for (const entry of cassette.entries) {
    const delta = "prompt" in entry ? entry.prompt : undefined;
    if (delta === undefined && all.length > 0) throw noPrompts(file);
    prompt.length = delta?.keep ?? 0;
    const find = batches.finder(delta?.messages ?? []);
    for (const message of delta?.messages ?? []) prompt.push(readMessage(message, prompt.at(-1), find));
    const calls = openCalls(entry.turnIndex, entry.response.message);
    for (const call of calls) all.push(call);
    if (calls.length > 0) batches.add(entry.response.message, { calls, isSeen: false });
  }
  const hasPrompts = cassette.entries.every((entry) => "prompt" in entry && entry.prompt !== undefined);
  if (!hasPrompts && all.length > 0) throw noPrompts(file);
  return all.map(toResult);
}

/** The calls that are open after a message. */
function readMessage(
  message: LlmMessage,
  before: Batch | undefined,
  find: (message: LlmMessage) => Batch | undefined,
): Batch | undefined {
  if (hasCalls(message)) return find(message);
  if (message.role === "tool") {
    const open = before?.calls.find(({ call, answer }) => call.callId === message.toolCallId && answer === undefined);
    if (open !== undefined) open.answer = message;
  }
  return before;
}

/** Finds turns that no prompt has repeated yet, by their calls. If a filter rewrote the arguments, it finds them by ids and names. */
function createBatches() {
  const queues = new Map<string, Batch[]>();
  const keyOf = (message: LlmMessage): string => {
    const [exact, loose] = keysOf(message);
    return queues.has(exact) ? exact : loose;
  };
  return {
    add(message: LlmMessage, batch: Batch): void {
      for (const key of keysOf(message)) {
        queues.set(key, [...(queues.get(key) ?? []).filter(({ isSeen }) => !isSeen), batch]);
      }
    },
    /** For the messages of a prompt that are new, or listed again. Of equal calls, only the last ones can be those of new turns. */
    finder(messages: readonly LlmMessage[]): (message: LlmMessage) => Batch | undefined {
      const left = new Map<string, number>();
      for (const message of messages.filter(hasCalls)) left.set(keyOf(message), (left.get(keyOf(message)) ?? 0) + 1);
      return (message) => {
        const key = keyOf(message);
        const open = (queues.get(key) ?? []).filter(({ isSeen }) => !isSeen);
        const places = left.get(key) ?? 0;
        left.set(key, places - 1);
        if (places > open.length) return undefined;
        const [found] = open;
        if (found !== undefined) found.isSeen = true;
        return found;
      };
    },
  };
}

function hasCalls(message: LlmMessage): boolean {
  return message.role === "assistant" && (message.toolCalls ?? []).length > 0;
}

function keysOf(message: LlmMessage): [exact: string, loose: string] {
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  return [canonicalize(calls), JSON.stringify(calls.map(({ id, name }) => [id, name]))];
}

function openCalls(turn: number, message: LlmMessage): OpenCall[] {
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  return calls.map((call) => {
    const { id: callId, name } = call;
    const isMalformed = call.malformedArguments !== undefined;
    const args = isMalformed ? call.arguments : scrubbed(call.arguments);
    const key = callKey(isMalformed ? call : { name, arguments: args });
    return { call: { turn, callId, name, arguments: args, key }, isMalformed };
  });
}

/** Converts arguments to the form that a tool receives. Arguments that no tool can receive stay as they are. */
function scrubbed(args: JsonObject): JsonObject {
  try {
    return scrubArguments(args);
  } catch {
    return args;
  }
}

function toResult({ call, isMalformed, answer }: OpenCall): TapeResult {
  const isError = answer?.isError ?? false;
  const isMasked = isError && answer?.content === TOOL_UNAVAILABLE;
  return {
    ...call,
    ...(isMalformed ? { isMalformed } : {}),
    ...defined({ content: answer?.content, message: answer }),
    isError,
    isToolsOwn: answer !== undefined && !isMalformed && !isMasked,
  };
}

function noPrompts(file: string | undefined): CassetteError {
  const what = "the cassette stores only hashes of its prompts, so it has no tool results";
  return new CassetteError("invalid-options", what, {
    hint: "Record it again without prompts: false.",
    ...defined({ file }),
  });
}
