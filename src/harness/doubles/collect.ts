// Reads a run, or the stream of one answer, to its end. A failure is part of the result, so nothing here rejects.

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
  /** In order. For a run given as a function, `llm-delta` events too, and the events of a failed run. */
  readonly events: readonly AgentEvent[];
  /** Texts of models, in order, one for each message with text. For a failed run, the texts of its deltas. */
  readonly texts: readonly string[];
}

/** A run that is over: its events, and its result or error. */
export type CollectedRun =
  | (CollectedEvents & { readonly kind: "ended"; readonly result: RunResult })
  | (CollectedEvents & { readonly kind: "failed"; readonly error: unknown });

interface CollectedDeltas {
  readonly deltas: readonly LlmStreamDelta[];
  /** The text deltas joined. */
  readonly text: string;
}

/** A stream that is over: its deltas in order, and its answer or error. */
export type CollectedStream =
  | (CollectedDeltas & { readonly kind: "answered"; readonly response: LlmTurnResponse })
  /** The stream ended without a response. */
  | (CollectedDeltas & { readonly kind: "unfinished" })
  | (CollectedDeltas & { readonly kind: "failed"; readonly error: unknown });

/** Starts a run whose runtime gets this listener as `onEvent`. */
export type StartRun = (onEvent: EventListener) => Promise<RunResult>;

/**
 * Waits for a run, or reads a stream to its end. Pass a function to get the events of a failed run too:
 * `collect((onEvent) => createRuntime({ agents, onEvent }).run({ goal }))`. A promise that rejects gives no events. Throws
 * `HarnessError` `double-unclear` for any other value. A run without a result counts as failed with that error.
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
    if (!isResult(result)) throw unclear(`collect expected the result of a run and got ${showValue(result)}`);
    const texts = result.visits.flatMap(({ messages }) =>
      messages.flatMap((message) => (message.role === "assistant" && message.content !== "" ? message.content : [])),
    );
    return { kind: "ended", events: heard.length === 0 ? result.events : heard, texts, result };
  } catch (error) {
    return { kind: "failed", events: heard, texts: textsOf(heard), error };
  }
}

function isResult(value: unknown): value is RunResult {
  const { visits, events } = (value ?? {}) as Partial<Record<keyof RunResult, unknown>>;
  return Array.isArray(visits) && Array.isArray(events);
}

function unclear(message: string): HarnessError {
  const hint =
    "Give the promise of a run, a function that takes a listener and starts a run, or the stream of a provider.";
  return new HarnessError("double-unclear", message, hint);
}

/** The text deltas, those of one turn joined. */
function textsOf(events: readonly AgentEvent[]): string[] {
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
  const textOf = (delta: LlmStreamDelta) => (delta.type === "text-delta" ? delta.text : "");
  const read = () => ({ deltas, text: deltas.map(textOf).join("") });
  try {
    for await (const event of stream) {
      if (event.type === "response") return { kind: "answered", ...read(), response: event.response };
      deltas.push(event);
    }
  } catch (error) {
    return { kind: "failed", ...read(), error };
  }
  return { kind: "unfinished", ...read() };
}
