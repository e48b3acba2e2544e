// Performs one run from its preparation to its last event, however it ends.

import type { EventListener } from "../../events/log.js";
import { MEMORY_GRACE_MS } from "../../limits.js";
import type { LlmMessage, UserMessage } from "../../model/message.js";
import type { RunReceipts } from "../../loop/run-control.js";
import type { Ports } from "../../ports.js";
import { openRunLog, type RunLog } from "../../runtime/run-log.js";
import type { RuntimeReceipts } from "../../runtime/receipts.js";
import { quoteForeign } from "../../text/mask.js";
import { thrownText } from "../../text/thrown.js";
import type { Hlc } from "../../time/hlc.js";
import { isThenable, untilAborted, within } from "../../time/wait.js";
import { abortError } from "../../tools/abort.js";
import type { ToolSet } from "../../tools/registry.js";
import { toHex } from "../../canon/bytes.js";
import type { LiveConversation } from "../conversation/desk.js";
import type { Env } from "../env.js";
import type { Hook, StepNotice } from "../hook.js";
import type { ConversationRef, Storage } from "../storage/storage.js";
import type { ReadyAgent } from "./agent.js";
import { EventProjection, type EnvEvent } from "./event.js";
import { ConversationRun } from "./run.js";
import { tell } from "./tell.js";

/** The parts of a runtime that every run uses. */
export interface RunHouse {
  readonly storage: Storage;
  readonly env: Env;
  readonly receipts: RuntimeReceipts;
  readonly listener: EventListener | undefined;
  readonly hlc: Hlc;
  readonly ports: Ports;
}

export interface RunOrder<T> {
  readonly ref: ConversationRef;
  readonly ready: ReadyAgent;
  readonly signal: AbortSignal;
  /** Reads the events of this run alone. */
  readonly reader: ((event: EnvEvent) => void) | undefined;
  /** Everything before the first turn. A rejection ends the run. */
  readonly prepare: () => Promise<PreparedRun>;
  readonly work: (run: ConversationRun) => Promise<T>;
  /** Called once the run and its receipts are complete. */
  readonly finish: (result: T, events: EventProjection) => void;
}

export interface PreparedRun {
  readonly live: LiveConversation;
  readonly hook: Hook;
  readonly tools: ToolSet;
  /** The messages before the conversation. */
  readonly head: readonly LlmMessage[];
  readonly goal: UserMessage["content"];
}

/** The last event of every accepted order is `done` or `failed`. */
export async function perform<T>(house: RunHouse, order: RunOrder<T>): Promise<T> {
  const { receipts, ports } = house;
  const { ref, signal, reader, prepare, finish } = order;
  const log = openRunLog(house, toHex(ports.randomBytes(16)));
  const events = new EventProjection(ref, log.runId, eventSink(house, reader));
  try {
    const prepared = await untilAborted(prepare(), signal, abortError);
    events.notice = noticeSink(prepared.hook, ports);
    const result = await receipts.of(log.runId, signal, (own) =>
      drive(house, order, prepared, { log, events, receipts: own }),
    );
    finish(result, events);
    return result;
  } catch (error) {
    events.fail(error);
    throw error;
  }
}

interface Records {
  readonly log: RunLog;
  readonly events: EventProjection;
  readonly receipts: RunReceipts | undefined;
}

async function drive<T>(house: RunHouse, order: RunOrder<T>, prepared: PreparedRun, records: Records): Promise<T> {
  const { storage, ports } = house;
  const { ready, signal, work } = order;
  const { log } = records;
  const { goal } = prepared;
  const run = new ConversationRun({ ready, ...prepared, ...records, memory: storage.memory, signal, ports });
  log.append(order.ref.id, -1, { type: "run-start", goal: typeof goal === "string" ? goal : JSON.stringify(goal) });
  try {
    const result = await untilAborted(work(run), signal, abortError);
    const forgotten = run.end();
    log.append(order.ref.id, run.lastTurn, { type: "run-end", stop: run.stop });
    if (isThenable(forgotten)) await forget(forgotten, signal, ports);
    return result;
  } catch (error) {
    const forgotten = run.end();
    log.append(order.ref.id, run.lastTurn, { type: "run-end", stop: "failed" });
    if (isThenable(forgotten)) await forget(forgotten, signal, ports);
    throw error;
  }
}

/** Waits until the values that the run shared are cleared from the memory. An abort does not wait. */
async function forget(forgotten: PromiseLike<void>, signal: AbortSignal, ports: Ports): Promise<void> {
  await untilAborted(within(forgotten, MEMORY_GRACE_MS, ports), signal).catch((error: unknown) => {
    if (signal.aborted) return;
    ports.warn(`playhead: the values that a run shared were not cleared: ${quoteForeign(thrownText(error))}`);
  });
}

function eventSink(
  { env, ports }: RunHouse,
  reader: RunOrder<unknown>["reader"],
): ((event: EnvEvent) => void) | undefined {
  if (env.onAgentEvent === undefined) return reader;
  return (event) => {
    tell("onAgentEvent", () => env.onAgentEvent?.(event.agent, event.conversationId, event), ports);
    reader?.(event);
  };
}

function noticeSink(hook: Hook, ports: Ports): ((notice: StepNotice) => void) | undefined {
  if (hook.onStep === undefined) return undefined;
  return (notice) => tell("onStep", () => hook.onStep?.(notice), ports);
}
