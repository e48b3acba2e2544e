// Agents on an execution host for tests: a clock that a test moves, a ledger of tool calls, and stores that die at a chosen operation.

import { Agent } from "../../src/core/session/agent.js";
import type { AgentOptions } from "../../src/core/session/options.js";
import { createInMemoryExecutionHost } from "../../src/core/session/memory-host/host.js";
import type { CheckpointStore, RunCheckpoint } from "../../src/core/session/ports/checkpoint-store.js";
import type {
  ExecutionHost,
  ExecutionStore,
  ExecutionStorePorts,
} from "../../src/core/session/ports/execution-host.js";
import type { SessionEvent } from "../../src/core/session/event.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../../src/core/model/provider.js";
import { systemPorts, type Ports } from "../../src/core/ports.js";
import type { CustomTool } from "../../src/core/tools/tool.js";
import { tool } from "./script.js";

/** Ports whose clock stands still until a test moves it. Timers run by real time. */
export function handPorts(start = 1_000_000): Ports & { pass(ms: number): void; readonly warnings: string[] } {
  let now = start;
  const warnings: string[] = [];
  return {
    ...systemPorts,
    now: () => now,
    pass: (ms) => void (now += ms),
    warn: (text) => void warnings.push(text),
    warnings,
  };
}

/** A model that answers by the number of its own answers in the conversation, so that a new process goes on as the old one. */
export function pureModel(answers: readonly (LlmTurnResponse | Error)[]) {
  const asked: LlmTurnRequest[] = [];
  return {
    asked,
    async turn(request: LlmTurnRequest): Promise<LlmTurnResponse> {
      asked.push({ ...request, messages: [...request.messages] });
      const answer = answers[request.messages.filter(({ role }) => role === "assistant").length];
      if (answer === undefined) throw new Error("the model has no more answers");
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

/** What tools did, over all processes. */
export interface Ledger {
  readonly entries: { readonly key: string; readonly attempt: number; readonly tool: string }[];
  tool(name: string, extra?: Partial<CustomTool>): CustomTool;
}

export function openLedger(): Ledger {
  const entries: { key: string; attempt: number; tool: string }[] = [];
  return {
    entries,
    tool: (name, extra = {}) =>
      tool(
        name,
        (_args, { idempotencyKey, attempt }) => {
          entries.push({ key: idempotencyKey, attempt, tool: name });
          return `${name} done`;
        },
        extra,
      ),
  };
}

export function memoryHost(ports: Ports, extra: Parameters<typeof createInMemoryExecutionHost>[0] = {}) {
  return createInMemoryExecutionHost({ ports, ...extra });
}

export function agentOn(host: ExecutionHost, options: Partial<AgentOptions> & Pick<AgentOptions, "model">): Agent {
  return new Agent({ name: "clerk", host, ...options });
}

export async function historyOf({ store }: ExecutionHost, key = "default"): Promise<readonly LlmMessage[]> {
  const stored = await store.sessions.load(key);
  return ((stored?.state as { history?: readonly LlmMessage[] } | undefined)?.history ?? []) as readonly LlmMessage[];
}

export async function eventsOf({ store }: ExecutionHost, runId: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const { event } of store.events.read(runId)) events.push(event);
  return events;
}

/** The host, with the checkpoints that were stored through it. It takes its time for each, as a real one. */
export function watchedHost(host: ExecutionHost): { host: ExecutionHost; checkpoints: RunCheckpoint[] } {
  const checkpoints: RunCheckpoint[] = [];
  const transaction: ExecutionStore["transaction"] = (work) =>
    host.store.transaction((tx) => {
      const append: CheckpointStore["append"] = async (checkpoint, options) => {
        await new Promise(setImmediate);
        const appended = await tx.checkpoints.append(checkpoint, options);
        if (appended.ok) checkpoints.push(checkpoint);
        return appended;
      };
      return work({ ...tx, checkpoints: { ...tx.checkpoints, append } });
    });
  return { host: { ...host, store: { ...host.store, transaction } }, checkpoints };
}

export type Fault = "before" | "after" | "dead-before" | "dead-after";

const METHODS = ["sessions", "runs", "checkpoints", "events", "notifications"] as const;

/**
 * The host, whose operation `at` (from 1) fails: before or after it was carried out. A dead host never answers again, as for a process
 * that was killed. A transaction is one operation.
 */
export function faultyHost(host: ExecutionHost, at: number, fault: Fault) {
  const state = { count: 0, isDead: false };
  const wrap =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (state.isDead) return new Promise<never>(() => undefined);
      const isIt = ++state.count === at;
      const isDeath = isIt && fault.startsWith("dead");
      if (isDeath) state.isDead = true;
      if (isIt && !fault.endsWith("after")) return isDeath ? new Promise<never>(() => undefined) : failed();
      const result = await call(...args);
      if (state.isDead) return new Promise<never>(() => undefined);
      return isIt ? failed() : result;
    };
  const ports = {} as Record<string, Record<string, unknown>>;
  for (const name of METHODS) {
    const port = host.store[name] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    ports[name] = {};
    for (const [method, call] of Object.entries(port)) {
      const isPlain = method === "watch" || (name === "events" && method === "read");
      ports[name][method] = isPlain ? call.bind(port) : wrap(call.bind(port));
    }
  }
  const store = {
    ...(ports as unknown as ExecutionStorePorts),
    transaction: wrap((work: Parameters<ExecutionStore["transaction"]>[0]) => host.store.transaction(work)),
  } as ExecutionStore;
  const { scheduler } = host;
  const faulty: ExecutionHost = {
    ...host,
    store,
    scheduler: {
      enqueueRun: wrap((...args: Parameters<typeof scheduler.enqueueRun>) => scheduler.enqueueRun(...args)),
      cancelRun: wrap((runId: string) => scheduler.cancelRun(runId)),
    },
  };
  return { host: faulty, state };
}

function failed(): never {
  throw new Error("the disk is full");
}

/** Calls of a host that lack a parameter, as a caller without types may make them. */
export const BARE_CALLS: readonly [string, (host: ExecutionHost) => Promise<unknown>][] = [
  ["commit", ({ store }) => call(store.sessions, "commit", "k", { state: 1 })],
  ["create", ({ store }) => call(store.runs, "create")],
  ["claim", ({ store }) => call(store.runs, "claim", "r")],
  ["update", ({ store }) => call(store.runs, "update", "r", { status: "completed" })],
  ["listOpen", ({ store }) => call(store.runs, "listOpen", "a")],
  ["append", ({ store }) => call(store.checkpoints, "append", { runId: "r" })],
  ["append", ({ store }) => call(store.events, "append", "r", [])],
  ["enqueue", ({ store }) => call(store.notifications, "enqueue")],
  ["settle", ({ store }) => call(store.notifications, "settle", "n")],
  ["enqueueRun", ({ scheduler }) => call(scheduler, "enqueueRun", "r")],
];

function call(port: object, method: string, ...args: readonly unknown[]): Promise<unknown> {
  return (port as Record<string, (...args: readonly unknown[]) => Promise<unknown>>)[method]?.(
    ...args,
  ) as Promise<unknown>;
}
