// One run: agent after agent along the plan until it ends, with one log, one shared memory and one signal.

import { defined } from "../defined.js";
import { createGetters } from "../properties.js";
import { MEMORY_GRACE_MS, MEMORY_TIMEOUT_MS } from "../limits.js";
import type { RunScope } from "../memory/run-memory.js";
import type { JsonValue } from "../canon/value.js";
import { AgentError } from "../errors.js";
import type { AgentEvent, EventBody, EventDetail } from "../events/event.js";
import type { EventLog } from "../events/log.js";
import { Pacer, type RunControl, type RunReceipts } from "../loop/run-control.js";
import type { UsageTotal } from "../model/usage.js";
import type { Ports } from "../ports.js";
import { quoteForeign } from "../text/mask.js";
import { isThenable, untilAborted, within } from "../time/wait.js";
import { abortError, assertNotAborted } from "../tools/abort.js";
import { isThrown, thrownText } from "../text/thrown.js";
import type { VerbBodies } from "../tools/verbs.js";
import type { Agent } from "./agent.js";
import { inputOf, nextEdge, type NextEdge, type Plan } from "./plan.js";
import { createMember, createTally, visit, type AgentVisit, type Member } from "./visit.js";

/** The reason why no other agent was entered. A run without a plan ends with `exit`. */
export type RunEnd =
  | { kind: "exit" }
  /** No edge from the last agent was taken. */
  | { kind: "no-edge" }
  /** The next agent, `agentId`, was already entered `limit` times. */
  | { kind: "cycle"; agentId: string; limit: number };

/** The result of a run: the fields of the last visit, but with `turns`, `toolCalls` and `usage` of the whole run. */
export interface RunResult extends AgentVisit {
  /** 32 hex digits, as in the run's events. */
  runId: string;
  /** All visits in order. */
  visits: readonly AgentVisit[];
  ended: RunEnd;
  /** The agents' shared memory at the end. The key `agent:a:answer` holds the answer of the agent `a`. */
  shared: Readonly<Record<string, JsonValue>>;
  events: readonly AgentEvent[];
  /** Number of events that were not kept, beyond the log's limit. */
  droppedEvents: number;
}

export interface RunInput {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly goal: string;
  readonly plan: Plan;
  readonly maxAgentVisits: number;
  readonly signal: AbortSignal;
  readonly verbs: VerbBodies | undefined;
  readonly log: EventLog;
  readonly scope: RunScope;
  readonly ports: Ports;
  readonly receipts?: RunReceipts;
}

interface Walk extends RunInput {
  readonly control: RunControl;
}

type Emit = (agentId: string, turnIndex: number, body: EventBody, detail?: EventDetail) => void;

interface Walked {
  readonly visits: readonly AgentVisit[];
  readonly ended: RunEnd;
  readonly usage: UsageTotal;
  readonly shared: Record<string, JsonValue>;
}

/** Rejects with the provider's error, unchanged, or that of a tool call, a handoff or the memory; with `aborted` once the signal fires. */
export async function runPlan(input: RunInput): Promise<RunResult> {
  const { goal, plan, signal, log, ports, receipts } = input;
  const control: RunControl = { pacer: new Pacer(ports), ...defined({ receipts }), closeCalls: undefined };
  let [agentId, turn] = [plan.entry, -1];
  let isOver = false;
  const emit: Emit = (id, turnIndex, body, detail) => {
    if (isOver) return;
    agentId = id;
    turn = turnIndex;
    log.append(id, turnIndex, body, detail);
  };
  const end = (stop: "finished" | "budget" | "failed") => {
    emit(agentId, turn, { type: "run-end", stop });
    isOver = true;
  };

  emit(agentId, turn, { type: "run-start", goal });
  try {
    const walked = await untilAborted(
      walk({ ...input, control }, emit, () => turn),
      signal,
      abortError,
    );
    const last = walked.visits.at(-1) as AgentVisit;
    end(last.budgetExhausted === undefined ? "finished" : "budget");
    return toResult(last, walked, log);
  } catch (error) {
    control.closeCalls?.();
    end("failed");
    await forgetAfter(error, input);
    throw error;
  }
}

async function walk(input: Walk, emit: Emit, lastTurn: () => number): Promise<Walked> {
  const { plan, goal, signal, scope, control } = input;
  const members = new Map<string, Member>();
  const visits: AgentVisit[] = [];
  const tally = createTally();
  let prompt = goal;
  for (let agentId = plan.entry; ;) {
    const pause = control.pacer.step();
    if (pause !== undefined) await pause;
    assertNotAborted(signal);
    const done = await visit(enter(members, agentId, input), {
      prompt,
      emit: (turnIndex, body, detail) => emit(agentId, turnIndex, body, detail),
      spend: (response) => tally.spend(response),
    });
    visits.push(done);
    await remember(`keep the answer of the agent ${done.agentId}`, input, () =>
      scope.share(`agent:${done.agentId}:answer`, done.finalAnswer.toWellFormed()),
    );
    // No condition begins after the abort.
    assertNotAborted(signal);
    const next = findNext(done, members, input);
    assertNotAborted(signal);
    if (next.kind !== "handoff") {
      if (next.kind === "cycle") emitCycle(done, next, lastTurn(), emit);
      const shared = await remember("give what the run shared", input, () => scope.readShared(signal));
      await remember("forget what the run shared", input, scope.forget);
      return { visits, ended: next, usage: tally.usage, shared };
    }
    const { from, to, edge } = next.edge;
    emit(from, lastTurn(), { type: "handoff", from, to, edge });
    prompt = next.prompt;
    agentId = to;
  }
}

/** The agent as earlier visits of the run left it. */
function enter(members: Map<string, Member>, agentId: string, input: Walk): Member {
  const member = members.get(agentId) ?? createMember(input.agents.get(agentId) as Agent, input);
  members.set(agentId, member);
  return member;
}

function findNext(
  { agentId, finalAnswer }: AgentVisit,
  members: ReadonlyMap<string, Member>,
  { plan, goal, maxAgentVisits: limit, signal }: RunInput,
): RunEnd | { kind: "handoff"; edge: NextEdge; prompt: string } {
  if (plan.exits.includes(agentId)) return { kind: "exit" };
  try {
    const edge = nextEdge(plan, agentId, finalAnswer);
    if (edge === undefined) return { kind: "no-edge" };
    if ((members.get(edge.to)?.visits ?? 0) >= limit) return { kind: "cycle", agentId: edge.to, limit };
    // A conversation holds only well-formed text, and a model may write half a surrogate pair.
    return { kind: "handoff", edge, prompt: inputOf(edge, goal, finalAnswer).toWellFormed() };
  } catch (error) {
    assertNotAborted(signal);
    throw error;
  }
}

function emitCycle(last: AgentVisit, { agentId, limit }: RunEnd & { kind: "cycle" }, turn: number, emit: Emit): void {
  emit(last.agentId, turn, { type: "handoff-cycle", from: last.agentId, to: agentId, limit });
}

/** Does `work` on the memory, synchronously if that answers so. Throws or rejects with `memory-failed` or `aborted`. */
function remember<T>(what: string, { signal, ports }: RunInput, work: () => T | Promise<T>): T | Promise<T> {
  assertNotAborted(signal);
  const keep = (value: T): T => {
    assertNotAborted(signal);
    return value;
  };
  const fail = (error: unknown): never => {
    assertNotAborted(signal);
    const hint = isThrown(error, AgentError) ? error.hint : undefined;
    throw new AgentError("memory-failed", `the memory did not ${what}: ${quoteForeign(thrownText(error))}`, {
      hint: hint ?? "See `cause`.",
      cause: error,
    });
  };
  let value: T | Promise<T>;
  try {
    value = work();
  } catch (error) {
    return fail(error);
  }
  return isThenable(value) ? within(value, MEMORY_TIMEOUT_MS, ports).then(keep, fail) : keep(value);
}

/** A failed run also forgets what it shared. An abort does not wait for that. */
async function forgetAfter(error: unknown, { scope, signal, ports }: RunInput): Promise<void> {
  const forgotten = Promise.resolve(scope.forget()).catch((failure: unknown) => {
    if (isThrown(error, AgentError) && error.code === "memory-failed") return;
    ports.warn(`playhead: the memory did not forget what a run shared: ${quoteForeign(thrownText(failure))}`);
  });
  await untilAborted(within(forgotten, MEMORY_GRACE_MS, ports), signal).catch(() => undefined);
}

/** The log makes the events from its notes when they are read. */
const withEvents = createGetters({ events: (log: EventLog) => log.events });

function toResult(last: AgentVisit, { visits, ended, usage, shared }: Walked, log: EventLog): RunResult {
  const result = {
    ...last,
    turns: visits.reduce((sum, { turns }) => sum + turns, 0),
    toolCalls: visits.reduce((sum, { toolCalls }) => sum + toolCalls, 0),
    usage,
    runId: log.runId,
    visits,
    ended,
    shared: Object.freeze(shared),
  };
  return Object.assign(withEvents(result, log), { droppedEvents: log.dropped });
}
