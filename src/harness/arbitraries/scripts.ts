// Arbitrary scripts of a model: what it says turn after turn, for `scriptedProvider`. As data, so that a counterexample can be
// read and pasted into a test.

import fc from "fast-check";
import { assertKnownOptions, type LlmTurnResponse, type ScriptStep } from "../../core/index.js";
import { answerOf } from "./cassettes.js";
import { providerFault, toFaultError, type ProviderFault } from "./faults.js";
import { text } from "./text.js";
import { callBody } from "./tools.js";
import { answerFigures } from "./usage.js";

/** The options of the arbitraries of scripts. An unknown one is `AgentError` `invalid-options`. */
export interface ScriptOptions {
  /** Names of tools that are asked for. Default `look`, `send_mail` and now and then any text. */
  readonly tools?: readonly string[];
  /** Turns that ask for tools, the most. Default 4. */
  readonly maxTurns?: number;
}

const SCRIPT_OPTIONS = ["tools", "maxTurns"];

/**
 * The answers of one run: turns that ask for one to three tools, then one that asks for none. Ids of calls are unique. Shrinks to
 * one empty answer.
 */
export function providerScript(options: ScriptOptions = {}): fc.Arbitrary<LlmTurnResponse[]> {
  assertKnownOptions("providerScript", options, SCRIPT_OPTIONS);
  const { tools = [], maxTurns: maxLength = 4 } = options;
  const asking = fc.tuple(text(), fc.array(callBody(tools), { minLength: 1, maxLength: 3 }), answerFigures());
  const last = fc.tuple(text(), answerFigures());
  return fc.tuple(fc.array(asking, { maxLength }), last).map(([turns, [content, figures]]) => {
    let used = 0;
    return [
      ...turns.map(([said, bodies, reported]) => ({
        ...answerOf({
          role: "assistant",
          content: said,
          toolCalls: bodies.map((body) => ({ id: `call-${used++}`, ...body })),
        }),
        ...reported,
      })),
      { ...answerOf({ role: "assistant", content }), ...figures },
    ];
  });
}

/** A turn of a script: an answer, or a failure in its place. */
export type ScriptTurn = { kind: "answer"; response: LlmTurnResponse } | { kind: "fault"; fault: ProviderFault };

/** A script with failures between its answers, two in a row at the most. Shrinks to one without. */
export function faultyScript(options: ScriptOptions = {}): fc.Arbitrary<ScriptTurn[]> {
  assertKnownOptions("faultyScript", options, SCRIPT_OPTIONS);
  const { maxTurns = 4 } = options;
  const before = fc.array(providerFault(), { maxLength: 2 });
  const faults = fc.array(before, { maxLength: maxTurns + 1 });
  return fc
    .tuple(providerScript(options), faults)
    .map(([script, given]) =>
      script.flatMap((response, index): ScriptTurn[] => [
        ...(given[index] ?? []).map((fault): ScriptTurn => ({ kind: "fault", fault })),
        { kind: "answer", response },
      ]),
    );
}

/** The steps that `scriptedProvider` takes. */
export function toScriptSteps(turns: readonly ScriptTurn[]): ScriptStep[] {
  return turns.map((turn) => {
    switch (turn.kind) {
      case "answer":
        return turn.response;
      case "fault":
        return () => {
          throw toFaultError(turn.fault);
        };
    }
  });
}
