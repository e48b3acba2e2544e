// One message through the loop. An invalid answer is sent back with the reason, and later both leave the conversation.

import { seal } from "../../canon/copy.js";
import type { JsonObject, JsonValue } from "../../canon/value.js";
import type { EventBody, EventDetail } from "../../events/event.js";
import { DEFAULT_MAX_RETRIES } from "../../limits.js";
import type { Budget, BudgetCap } from "../../loop/budget.js";
import { runLoop } from "../../loop/loop.js";
import { Pacer, type RunControl } from "../../loop/run-control.js";
import type { PreparedTurn } from "../../loop/turn.js";
import type { LlmMessage } from "../../model/message.js";
import type { LlmProviderAdapter, LlmSettings, LlmTurnResponse } from "../../model/provider.js";
import type { Ports } from "../../ports.js";
import { untilAborted, type Maybe } from "../../time/wait.js";
import { abortError, assertNotAborted } from "../../tools/abort.js";
import type { ToolPolicy } from "../../tools/policy-decision.js";
import type { ToolSet } from "../../tools/registry.js";
import type { ToolSurroundings } from "../../tools/tool.js";
import { debugMessage, debugResponse } from "./debug-log.js";
import { retryText, type OutputVerdict } from "./output.js";
import type { AgentSpec } from "./spec.js";
import { NONE } from "../tools/host.js";

export type Answer =
  | { readonly kind: "output"; readonly value: JsonValue }
  /** No answer matched the output schema. */
  | { readonly kind: "invalid"; readonly reason: string }
  /** The vendor refused or filtered the answer. */
  | { readonly kind: "refused" }
  | { readonly kind: "budget"; readonly cap: BudgetCap };

/** The message in progress. `history` is the conversation with it, and grows. */
export interface Message {
  readonly history: LlmMessage[];
  readonly input: JsonValue;
  readonly budget: Budget;
  readonly signal: AbortSignal;
}

/** The conversation that the message belongs to. */
export interface Talk {
  readonly spec: AgentSpec;
  readonly options: { readonly provider: LlmProviderAdapter; readonly ports: Ports };
  readonly tools: ToolSet;
  readonly policy: ToolPolicy;
  readonly settings: LlmSettings;
  check(answer: string): OutputVerdict;
  prepare(message: Message): Maybe<PreparedTurn | undefined>;
  tell(body: EventBody, detail: EventDetail | undefined): void;
  log(line: JsonObject): void;
}

export async function askModel(talk: Talk, message: Message): Promise<Answer> {
  const { spec } = talk;
  const { history, input } = message;
  const passing = new Set<LlmMessage>();
  const add = (content: string, isRetry: boolean): void => {
    const asked: LlmMessage = seal({ role: "user", content });
    if (isRetry) passing.add(asked);
    history.push(asked);
    for (const line of debugMessage(asked, isRetry)) talk.log(line);
  };
  add(JSON.stringify(input), false);
  for (let retries = spec.max_retries ?? DEFAULT_MAX_RETRIES; ; retries--) {
    const { stop, last } = await runOnce(talk, message);
    if (stop.kind === "budget") return { kind: "budget", cap: stop.cap };
    if (stop.kind === "stopped" || last === undefined || last.stopReason === "contentFilter")
      return { kind: "refused" };
    const verdict = talk.check(stop.finalAnswer);
    for (const line of debugResponse(last, verdict.kind === "invalid")) talk.log(line);
    if (verdict.kind === "valid") {
      // Rounds of tools in between stay, so that each call keeps its result.
      if (passing.size > 0) history.splice(0, Infinity, ...history.filter((asked) => !passing.has(asked)));
      return { kind: "output", value: verdict.value };
    }
    if (retries === 0) return verdict;
    passing.add(history.at(-1) as LlmMessage);
    add(retryText(verdict.reason), true);
  }
}

async function runOnce(talk: Talk, message: Message) {
  const { spec, options, tools, policy, settings } = talk;
  const { history, budget, signal } = message;
  const { provider, ports } = options;
  const control: RunControl = { pacer: new Pacer(ports), closeCalls: undefined };
  let last: LlmTurnResponse | undefined;
  assertNotAborted(signal);
  const running = runLoop({
    ...{ provider, tools, budget, control, ports, history, settings, policies: [policy] },
    streaming: true,
    context: surroundings(spec.name, signal),
    prepare: () => talk.prepare(message),
    emit(_turnIndex, body, detail) {
      if (detail?.kind === "turn") {
        last = detail.response;
        // A final answer is logged once it is known whether it stays.
        if ((last.message.toolCalls ?? []).length > 0) for (const line of debugResponse(last, false)) talk.log(line);
      }
      if (detail?.kind === "tool" && detail.content !== undefined) logResult(talk, detail.call, detail.content, body);
      talk.tell(body, detail);
    },
  });
  try {
    return { stop: await untilAborted(running, signal, abortError), last };
  } catch (error) {
    // Work that an abort leaves behind ends on its own.
    running.catch(() => undefined);
    throw error;
  }
}

function logResult(talk: Talk, { id, name }: { id: string; name: string }, content: string, { type }: EventBody): void {
  const isError = type === "tool-result" ? {} : ({ isError: true } as const);
  for (const line of debugMessage({ role: "tool", toolCallId: id, name, content, ...isError })) talk.log(line);
}

function surroundings(agentId: string, signal: AbortSignal): ToolSurroundings {
  return { agentId, signal, pluck: NONE, memory: NONE };
}
