// A provider that answers from a script, turn by turn. It keeps no requests: a step that needs one is a function.

import { copyJson } from "../canon/copy.js";
import { AgentError, invalidOptions } from "../errors.js";
import type { LlmProviderAdapter, LlmTurnRequest, LlmTurnResponse } from "../model/provider.js";
import { isObject } from "../options.js";
import { plural, showValue } from "../text/show.js";
import { abortedError } from "../http/deadline.js";

/** One turn: a response, or a function that makes it from the request and the number of the turn (0, 1, 2 …). */
export type ScriptStep =
  LlmTurnResponse | ((request: LlmTurnRequest, turnIndex: number) => LlmTurnResponse | Promise<LlmTurnResponse>);

/** A provider that answers from a script. Made by {@link scriptedProvider}. */
export interface ScriptedProvider extends LlmProviderAdapter {
  /** The number of steps that were not used yet. */
  readonly remaining: number;
  /** Throws `script-unused` while steps are left. */
  assertConsumed(): void;
  /** Starts over at the first step. */
  reset(): void;
}

/** Answers each turn with a copy of the next step, so that no runs share one. Throws `AgentError` `invalid-options` for a wrong list. */
export function scriptedProvider(steps: readonly ScriptStep[]): ScriptedProvider {
  assertSteps(steps);
  const script = steps.map((step) => (typeof step === "function" ? step : copyJson(step)));
  let used = 0;

  return {
    name: "scripted",
    async turn(request) {
      if (request.signal?.aborted === true) throw abortedError("scripted", request.signal);
      const step = script[used];
      if (step === undefined) throw exhausted(script.length);
      const turnIndex = used++;
      return copyJson(typeof step === "function" ? await step(request, turnIndex) : step);
    },
    get remaining() {
      return script.length - used;
    },
    assertConsumed() {
      if (used < script.length) throw unused(script.length - used, script.length);
    },
    reset() {
      used = 0;
    },
  };
}

function assertSteps(steps: unknown): void {
  const odd = Array.isArray(steps)
    ? steps.findIndex((step: unknown) => typeof step !== "function" && !isObject(step))
    : -1;
  if (Array.isArray(steps) && odd < 0) return;
  const what = Array.isArray(steps)
    ? `step ${odd} of scriptedProvider is ${showValue(steps[odd])}`
    : `scriptedProvider was given ${showValue(steps)}`;
  throw invalidOptions(what, "Pass a list of responses, { message, stopReason }, and of functions that return one.");
}

function exhausted(length: number): AgentError {
  return new AgentError("script-exhausted", `the script has ${plural(length, "step")} and another turn was requested`, {
    hint: "Add a step for this turn, or find out why the run went on.",
  });
}

function unused(left: number, length: number): AgentError {
  return new AgentError("script-unused", `${left} of ${plural(length, "step")} of the script were not used`, {
    hint: "Remove the last steps, or find out why the run ended early.",
  });
}
