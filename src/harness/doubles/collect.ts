// A run, or a stream of one answer, taken to its end and looked at as a value: what happened, what was said, how it ended. What
// it failed with is a part of that value, so nothing here rejects.

import {
  isThenable,
  showValue,
  type AgentEvent,
  type EventListener,
  type LlmStreamDelta,
  type LlmStreamEvent,
  type LlmTurnResponse,
  type RunResult,
} from "../../core/index.js";
import { HarnessError } from "../errors.js";

interface CollectedEvents {
  /** In order. Where the run was given as a function, `llm-delta` events too, and those of a run that failed. */
  readonly events: readonly AgentEvent[];
  /** What models said, in order: one text for each message that has one. Of a failed run, what its deltas told. */
  readonly texts: readonly string[];
}

/** A run that is over: its events, and its result or what it rejected with. */
export type CollectedRun =
  | (CollectedEvents & { readonly kind: "ended"; readonly result: RunResult })
  | (CollectedEvents & { readonly kind: "failed"; readonly error: unknown });

interface CollectedDeltas {
  readonly deltas: readonly LlmStreamDelta[];
  /** The text deltas in one. */
  readonly text: string;
}

/** A stream that is over: its deltas in order, and its answer or what it threw. */
export type CollectedStream =
  | (CollectedDeltas & { readonly kind: "answered"; readonly response: LlmTurnResponse })
  /** It ended without a response. */
  | (CollectedDeltas & { readonly kind: "unfinished" })
  | (CollectedDeltas & { readonly kind: "failed"; readonly error: unknown });

/** Starts a run whose runtime has this listener as `onEvent`. */
export type StartRun = (onEvent: EventListener) => Promise<RunResult>;

/**
 * Waits for a run, or reads a stream to its end. A run given as a function is told from its first event on, whatever its end:
 * `collect((onEvent) => createRuntime({ agents, onEvent }).run({ goal }))`. Of a promise that rejects there are no events.
 * Throws `HarnessError` `double-unclear` for what is neither; a run that gives no result is a failed one with that error.
 */
export function collect(stream: AsyncIterable<LlmStreamEvent>): Promise<CollectedStream>;
export function collect(run: Promise<RunResult> | StartRun): Promise<CollectedRun>;
export function collect(
  source: AsyncIterable<LlmStreamEvent> | Promise<RunResult> | StartRun,
): Promise<CollectedStream | CollectedRun> {
  if (typeof source === "function") return collectRun(source);
  if (typeof source === "object" && source !== null) {
    if (Symbol.asyncIterator in source) return collectStream(source);
    if (isThenable(source)) return collectRun(source);
  }
  throw unclear(`collect was given ${showValue(source)}`);
}

async function collectRun(source: Promise<RunResult> | StartRun): Promise<CollectedRun> {
  const heard: AgentEvent[] = [];
  try {
    const result: unknown = await (typeof source === "function" ? source((event) => void heard.push(event)) : source);
    if (!isResult(result)) throw unclear(`the run that collect waited for gave ${showValue(result)}, no result`);
    const texts = result.visits.flatMap(({ messages }) =>
      messages.flatMap((message) => (message.role === "assistant" && message.content !== "" ? message.content : [])),
    );
    return { kind: "ended", events: heard.length === 0 ? result.events : heard, texts, result };
  } catch (error) {
    return { kind: "failed", events: heard, texts: toldTexts(heard), error };
  }
}

function isResult(value: unknown): value is RunResult {
  const { visits, events } = (value ?? {}) as Partial<Record<keyof RunResult, unknown>>;
  return Array.isArray(visits) && Array.isArray(events);
}

function unclear(message: string): HarnessError {
  const hint =
    "Give the promise of a run, a function that takes a listener and starts a run, or what `stream` of a provider gives.";
  return new HarnessError("double-unclear", message, hint);
}

/** The text deltas, those of one turn in one. */
function toldTexts(events: readonly AgentEvent[]): string[] {
  const texts: string[] = [];
  let isOpen = false;
  for (const event of events) {
    if (event.type === "turn-start") isOpen = false;
    if (event.type !== "llm-delta" || event.kind !== "text") continue;
    if (isOpen) texts.push((texts.pop() ?? "") + event.text);
    else texts.push(event.text);
    isOpen = true;
  }
  return texts;
}

async function collectStream(stream: AsyncIterable<LlmStreamEvent>): Promise<CollectedStream> {
  const deltas: LlmStreamDelta[] = [];
  const told = () => ({
    deltas,
    text: deltas.map((delta) => (delta.type === "text-delta" ? delta.text : "")).join(""),
  });
  try {
    for await (const event of stream) {
      if (event.type === "response") return { kind: "answered", ...told(), response: event.response };
      deltas.push(event);
    }
  } catch (error) {
    return { kind: "failed", ...told(), error };
  }
  return { kind: "unfinished", ...told() };
}
