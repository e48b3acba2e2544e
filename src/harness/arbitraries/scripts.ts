// Arbitrary scripts for `scriptedProvider`, as data, so that a counterexample can be read and pasted into a test.

import fc from "fast-check";
import { assertKnownOptions, type LlmTurnResponse, type ScriptStep } from "../../core/index.js";
import { answerOf } from "./cassettes.js";
import { providerFault, toFaultError, type ProviderFault } from "./faults.js";
import { text } from "./text.js";
import { callBody } from "./tools.js";
import { answerFigures } from "./usage.js";

export interface ScriptOptions {
  /** Names of tools to call. Default `look`, `send_mail` and sometimes any text. */
  readonly tools?: readonly string[];
  /** Most turns that call tools. Default 4. */
  readonly maxTurns?: number;
}

const SCRIPT_OPTIONS = ["tools", "maxTurns"];

/** The answers of one run: turns with one to three calls, then one without. Ids of calls are unique. Shrinks to one empty answer. */
export function providerScript(options: ScriptOptions = {}): fc.Arbitrary<LlmTurnResponse[]> {
  assertKnownOptions("providerScript", options, SCRIPT_OPTIONS);
  const { tools = [], maxTurns: maxLength = 4 } = options;
  const asking = fc.tuple(text(), fc.array(callBody(tools), { minLength: 1, maxLength: 3 }), answerFigures());
  const last = fc.tuple(text(), answerFigures());
  return fc.tuple(fc.array(asking, { maxLength }), last).map(([turns, [content, figures]]) => {
    let used = 0;
    return [
      ...turns.map(([said, bodies, reported]) => {
        const toolCalls = bodies.map((body) => ({ id: `call-${used++}`, ...body }));
        return { ...answerOf({ role: "assistant", content: said, toolCalls }), ...reported };
      }),
      { ...answerOf({ role: "assistant", content }), ...figures },
    ];
  });
}

/** A turn of a script: an answer, or a failure in its place. */
export type ScriptTurn = { kind: "answer"; response: LlmTurnResponse } | { kind: "fault"; fault: ProviderFault };

/** A script with failures between its answers, at most two in a row. Shrinks to one without. */
export function faultyScript(options: ScriptOptions = {}): fc.Arbitrary<ScriptTurn[]> {
  assertKnownOptions("faultyScript", options, SCRIPT_OPTIONS);
  const { maxTurns = 4 } = options;
  const before = fc.array(
    providerFault().map((fault): ScriptTurn => ({ kind: "fault", fault })),
    { maxLength: 2 },
  );
  return fc
    .tuple(providerScript(options), fc.array(before, { maxLength: maxTurns + 1 }))
    .map(([script, faults]) =>
      script.flatMap((response, index): ScriptTurn[] => [...(faults[index] ?? []), { kind: "answer", response }]),
    );
}

/** The steps that `scriptedProvider` takes. */
export function toScriptSteps(turns: readonly ScriptTurn[]): ScriptStep[] {
  return turns.map((turn) => {
    if (turn.kind === "answer") return turn.response;
    return () => {
      throw toFaultError(turn.fault);
    };
  });
}
