// Mutants of what the model answered: the text of an answer, the arguments and names of its tool calls, why it stopped.

import { toPointer, type LlmToolCall, type LlmTurnResponse, type StopReason } from "../../core/index.js";
import type { CassetteV2 } from "../../cassette/index.js";
import type { Candidate, Choose, MutantKind } from "./mutant.js";
import { textChanges } from "./text.js";
import { valueEdits } from "./values.js";

/** Of the kinds `answer`, `arguments`, `tool` and `stop`. */
export function* responseCandidates(
  cassette: CassetteV2,
  kinds: ReadonlySet<MutantKind>,
  choose: Choose,
): Generator<Candidate> {
  const tools = createToolNames(cassette);
  for (const { turnIndex: turn, response } of cassette.entries) {
    if (kinds.has("answer")) yield* answerCandidates(turn, response, choose);
    for (const [index, call] of (response.message.toolCalls ?? []).entries()) {
      if (kinds.has("arguments")) yield* argumentCandidates(turn, response, call, index, choose);
      if (kinds.has("tool")) yield* toolCandidates(turn, response, call, index, tools(turn), choose);
    }
    if (kinds.has("stop")) yield stopCandidate(turn, response);
  }
  const last = cassette.entries.at(-1);
  if (last === undefined || cassette.entries.length < 2 || !kinds.has("stop")) return;
  const { turnIndex: turn, response } = last;
  yield {
    kind: "stop",
    turn,
    pointer: toPointer(["entries", turn]),
    old: { stopReason: response.stopReason, content: response.message.content },
    sentence: `the recording ends before its last turn ${turn}`,
    edit: () => ({ part: "last-turn", turn }),
  };
}

/** Text beside tool calls is no answer: hardly anybody reads it. */
function* answerCandidates(turn: number, response: LlmTurnResponse, choose: Choose): Generator<Candidate> {
  const { message, finalAnswer } = response;
  if ((message.toolCalls ?? []).length > 0) return;
  const pointer = toPointer(["entries", turn, "response", "message", "content"]);
  for (const { text, says } of textChanges(message.content, pointer, choose)) {
    const isSame = finalAnswer === message.content;
    const other = { ...response, message: { ...message, content: text }, ...(isSame ? { finalAnswer: text } : {}) };
    yield {
      kind: "answer",
      turn,
      pointer,
      old: message.content,
      new: text,
      sentence: `the answer of turn ${turn} ${says}`,
      edit: () => ({ part: "response", turn, response: other }),
    };
  }
}

function* argumentCandidates(
  turn: number,
  response: LlmTurnResponse,
  call: LlmToolCall,
  index: number,
  choose: Choose,
): Generator<Candidate> {
  // What was no JSON object when it came is never run, whatever its arguments are.
  if (call.malformedArguments !== undefined) return;
  const at = callPath(turn, index);
  for (const change of valueEdits(call.arguments, toPointer(at), choose)) {
    const { path, old, toWhole } = change;
    const place = toPointer(path);
    const isGone = change.new === undefined;
    yield {
      kind: "arguments",
      turn,
      pointer: toPointer([...at, "arguments", ...path]),
      old,
      ...(isGone ? {} : { new: change.new }),
      sentence: `turn ${turn} calls ${call.name} ${isGone ? "without" : "with another"} ${place}`,
      edit: () => ({
        part: "response",
        turn,
        response: withCalls(response, index, [{ ...call, arguments: toWhole() }]),
      }),
    };
  }
}

function* toolCandidates(
  turn: number,
  response: LlmTurnResponse,
  call: LlmToolCall,
  index: number,
  tools: readonly string[],
  choose: Choose,
): Generator<Candidate> {
  const at = callPath(turn, index);
  const others = tools.filter((name) => name !== call.name);
  const name = others[choose(`${toPointer(at)} name`, others.length)];
  if (name !== undefined) {
    yield {
      kind: "tool",
      turn,
      pointer: toPointer([...at, "name"]),
      old: call.name,
      new: name,
      sentence: `turn ${turn} calls ${name} instead of ${call.name}`,
      edit: () => ({ part: "response", turn, response: withCalls(response, index, [{ ...call, name }]) }),
    };
  }
  yield {
    kind: "tool",
    turn,
    pointer: toPointer(at),
    old: { name: call.name, arguments: call.arguments },
    sentence: `turn ${turn} does not call ${call.name}`,
    edit: () => ({ part: "response", turn, response: withCalls(response, index, []) }),
  };
}

function stopCandidate(turn: number, response: LlmTurnResponse): Candidate {
  const { stopReason: old } = response;
  const stopReason: StopReason = old === "stop" || old === "toolUse" ? "length" : "stop";
  return {
    kind: "stop",
    turn,
    pointer: toPointer(["entries", turn, "response", "stopReason"]),
    old,
    new: stopReason,
    sentence: `turn ${turn} stops for ${JSON.stringify(stopReason)} instead of ${JSON.stringify(old)}`,
    edit: () => ({ part: "response", turn, response: { ...response, stopReason } }),
  };
}

function callPath(turn: number, index: number): (string | number)[] {
  return ["entries", turn, "response", "message", "toolCalls", index];
}

/** One call replaced or dropped. A model that asks for no tool has answered. */
function withCalls(response: LlmTurnResponse, index: number, calls: readonly LlmToolCall[]): LlmTurnResponse {
  const { toolCalls = [], ...rest } = response.message;
  const left = toolCalls.toSpliced(index, 1, ...calls);
  if (left.length > 0) return { ...response, message: { ...rest, toolCalls: left } };
  return { ...response, message: rest, finalAnswer: rest.content, stopReason: "stop" };
}

/** The tools that a turn could have called: those it was offered, and those that are called anywhere. */
function createToolNames({ entries, extensions }: CassetteV2): (turn: number) => readonly string[] {
  const called = entries.flatMap(({ response }) => (response.message.toolCalls ?? []).map(({ name }) => name));
  const contexts = extensions?.contexts ?? [];
  const offered = contexts.map(({ fromTurn, tools = [] }) => {
    const listed: unknown[] = Array.isArray(tools) ? tools.map((tool) => tool["name"]) : [];
    return { fromTurn, names: listed.filter((name) => typeof name === "string") };
  });
  const everywhere = [...new Set(called)];
  return (turn) => {
    const here = offered.findLast(({ fromTurn }) => fromTurn <= turn)?.names ?? [];
    return [...new Set([...here, ...everywhere])].sort();
  };
}
