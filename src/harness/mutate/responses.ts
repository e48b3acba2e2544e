// Mutants of the model's answers: the text of an answer, the arguments and names of its tool calls, the stop reason.

import { defined, toPointer, type JsonValue, type LlmToolCall, type LlmTurnResponse } from "../../core/index.js";
import type { CassetteV2 } from "../../cassette/index.js";
import type { Candidate, Choose, MutantKind } from "./mutant.js";
import { textChanges } from "./text.js";
import { valueEdits } from "./values.js";

export function* responseCandidates(
  cassette: CassetteV2,
  kinds: ReadonlySet<MutantKind>,
  choose: Choose,
): Generator<Candidate> {
  const tools = createToolNames(cassette);
  for (const { turnIndex: turn, response } of cassette.entries) {
    const places: Place[] = (response.message.toolCalls ?? []).map((call, index) => {
      const path = ["entries", turn, "response", "message", "toolCalls", index];
      return { turn, response, call, index, path };
    });
    if (kinds.has("answer")) yield* answerCandidates(turn, response, choose);
    for (const place of places) {
      if (kinds.has("arguments")) yield* argumentCandidates(place, choose);
      if (kinds.has("tool")) yield* toolCandidates(place, tools(turn), choose);
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

type Path = readonly (string | number)[];

interface Place {
  readonly turn: number;
  readonly response: LlmTurnResponse;
  readonly call: LlmToolCall;
  readonly index: number;
  readonly path: Path;
}

interface Change {
  readonly old: JsonValue;
  readonly new?: JsonValue | undefined;
  readonly sentence: string;
  readonly response: () => LlmTurnResponse;
}

function toCandidate(kind: MutantKind, turn: number, path: Path, { response, ...change }: Change): Candidate {
  const { old, new: other, sentence } = change;
  const edit = () => ({ part: "response" as const, turn, response: response() });
  return { kind, turn, pointer: toPointer(path), old, ...defined({ new: other }), sentence, edit };
}

/** Lists changes of an answer. Text in a turn with tool calls is not an answer, and hardly any test reads it. */
function* answerCandidates(turn: number, response: LlmTurnResponse, choose: Choose): Generator<Candidate> {
  const { message, finalAnswer } = response;
  if ((message.toolCalls ?? []).length > 0) return;
  const path = ["entries", turn, "response", "message", "content"];
  for (const { text, says } of textChanges(message.content, toPointer(path), choose)) {
    const isSame = finalAnswer === message.content;
    const other = { ...response, message: { ...message, content: text }, ...(isSame ? { finalAnswer: text } : {}) };
    const sentence = `the answer of turn ${turn} ${says}`;
    yield toCandidate("answer", turn, path, { old: message.content, new: text, sentence, response: () => other });
  }
}

function* argumentCandidates({ turn, response, call, index, path }: Place, choose: Choose): Generator<Candidate> {
  // Malformed arguments never run, whatever they contain.
  if (call.malformedArguments !== undefined) return;
  for (const change of valueEdits(call.arguments, toPointer(path), choose)) {
    const how = change.new === undefined ? "without" : "with another";
    yield toCandidate("arguments", turn, [...path, "arguments", ...change.path], {
      old: change.old,
      new: change.new,
      sentence: `turn ${turn} calls ${call.name} ${how} ${toPointer(change.path)}`,
      response: () => withCalls(response, index, [{ ...call, arguments: change.toWhole() }]),
    });
  }
}

function* toolCandidates(
  { turn, response, call, index, path }: Place,
  tools: readonly string[],
  choose: Choose,
): Generator<Candidate> {
  const others = tools.filter((name) => name !== call.name);
  const name = others[choose(`${toPointer(path)} name`, others.length)];
  if (name !== undefined) {
    yield toCandidate("tool", turn, [...path, "name"], {
      old: call.name,
      new: name,
      sentence: `turn ${turn} calls ${name} instead of ${call.name}`,
      response: () => withCalls(response, index, [{ ...call, name }]),
    });
  }
  yield toCandidate("tool", turn, path, {
    old: { name: call.name, arguments: call.arguments },
    sentence: `turn ${turn} does not call ${call.name}`,
    response: () => withCalls(response, index, []),
  });
}

function stopCandidate(turn: number, response: LlmTurnResponse): Candidate {
  const { stopReason: old } = response;
  const stopReason = old === "stop" || old === "toolUse" ? "length" : "stop";
  return toCandidate("stop", turn, ["entries", turn, "response", "stopReason"], {
    old,
    new: stopReason,
    sentence: `turn ${turn} stops for ${JSON.stringify(stopReason)} instead of ${JSON.stringify(old)}`,
    response: () => ({ ...response, stopReason }),
  });
}

/** Replaces or drops one call. A response without calls becomes a final answer. */
function withCalls(response: LlmTurnResponse, index: number, calls: readonly LlmToolCall[]): LlmTurnResponse {
  const { toolCalls = [], ...rest } = response.message;
  const left = toolCalls.toSpliced(index, 1, ...calls);
  if (left.length > 0) return { ...response, message: { ...rest, toolCalls: left } };
  return { ...response, message: rest, finalAnswer: rest.content, stopReason: "stop" };
}

/** The tools that a turn could have called: those offered to it, and those called in any turn. */
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
