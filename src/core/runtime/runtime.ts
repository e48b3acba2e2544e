// createRuntime: agents with a provider, tools and a budget each, driven by the one loop, one after another along a plan.

import { defined } from "../defined.js";
import { toHex } from "../canon/bytes.js";
import { DEFAULT_MAX_AGENT_VISITS, MEMORY_GRACE_MS, PROVIDER_GRACE_MS } from "../limits.js";
import { createInMemoryRuntimeMemory } from "../memory/memory.js";
import { openRunScope } from "../memory/run-memory.js";
import type { SigningKey } from "../canon/key.js";
import { AgentError, invalidOptions } from "../errors.js";
import { createEventLog, type EventListener, type EventLog } from "../events/log.js";
import type { RuntimeMemory } from "../model/memory.js";
import { providerName } from "../model/provider.js";
import type { Receipt } from "../receipts/receipt.js";
import type { ReceiptListener } from "../receipts/writer.js";
import { assertKnownOptions, isObject } from "../options.js";
import { withSystemPorts, type Ports } from "../ports.js";
import { createHlc } from "../time/hlc.js";
import { assertNotAborted } from "../tools/abort.js";
import { isThenable, within } from "../time/wait.js";
import { showValue } from "../text/show.js";
import { thrownText } from "../text/thrown.js";
import type { VerbBodies } from "../tools/verbs.js";
import { link } from "./link.js";
import { createAgent, type Agent, type AgentDefinition } from "./agent.js";
import { toPlan, type Plan } from "./plan.js";
import { createReceipts } from "./receipts.js";
import { runPlan, type RunResult } from "./run-plan.js";

/** The options of {@link createRuntime}. */
export interface RuntimeOptions {
  readonly agents: readonly AgentDefinition[];
  /** Bodies for the eight verbs. Default none: no verb is offered. */
  readonly verbs?: VerbBodies;
  /** Where agents keep values between conversations. Default: a store in this process, for this runtime. */
  readonly memory?: RuntimeMemory;
  /** Most visits of one agent in one run: a whole number of 1 or more. Default {@link DEFAULT_MAX_AGENT_VISITS}. */
  readonly maxAgentVisits?: number;
  readonly onEvent?: EventListener;
  /** Signs a receipt of every turn and every tool call into one chain. See docs/receipts.md. */
  readonly signingKey?: SigningKey;
  /** Called with each receipt once it is signed, to store it. If it throws, the run fails with `receipt-failed`. */
  readonly onReceipt?: ReceiptListener;
  readonly ports?: Partial<Ports>;
}

/** The options of {@link AgentRuntime.run}. */
export interface RunOptions {
  /** The user message of the first agent. */
  readonly goal: string;
  /** The handoffs between agents. Without it the first agent of the runtime runs alone. */
  readonly plan?: Plan;
  readonly signal?: AbortSignal;
}

/** A set of agents that can run. Created by {@link createRuntime}. */
export interface AgentRuntime {
  /** The receipts so far, up to `MAX_KEPT_RECEIPTS`. Empty without a `signingKey`. */
  readonly receipts: readonly Receipt[];
  /**
   * Runs the agents. Rejects with a provider's error, unchanged; with `AgentError` `invalid-options` before the first turn, `aborted`,
   * `handoff-failed` or `memory-failed`; with a `ToolPolicyError`, or with `tool-failed` if the agent's options say so. A reached cap
   * or visit limit is a normal result. With a `signingKey` it settles once its receipts are signed and delivered, and rejects with
   * `receipt-failed` if one could not be.
   */
  run(options: RunOptions): Promise<RunResult>;
  /**
   * Aborts all runs and waits for their end. Then it calls each provider's `destroy()` once and ends the chain of receipts. A
   * provider that fails, or takes more than 5 seconds, causes an event and a warning and delays nothing else. Rejects only with
   * `receipt-failed`, if the end of the chain could not be signed. A second call returns the first one's promise.
   */
  destroy(): Promise<void>;
}

const RUNTIME_OPTIONS = ["agents", "verbs", "memory", "maxAgentVisits", "onEvent", "signingKey", "onReceipt", "ports"];
const MEMORY_METHODS = ["get", "set", "delete", "keys", "clear"] as const;

/** Creates a runtime. Throws `AgentError` `invalid-options` for every flaw that can be found before the first turn. */
export function createRuntime(options: RuntimeOptions): AgentRuntime {
  assertKnownOptions("createRuntime", options, RUNTIME_OPTIONS);
  const { verbs, onEvent: listener, memory = createInMemoryRuntimeMemory() } = options;
  const { maxAgentVisits = DEFAULT_MAX_AGENT_VISITS } = options;
  assertMemory(memory);
  assertVisits(maxAgentVisits);
  const ports = withSystemPorts(options.ports);
  const agents = createAgents(options);
  const hlc = createHlc(ports);
  const receipts = createReceipts(options, ports, hlc);
  const openLog = (runId: string) => createEventLog(ports, { runId, hlc, ...receipts.tap, ...defined({ listener }) });
  const destroyed = new AbortController();
  /** A signal for each run, so that its listeners go with the run. */
  const active = new Set<AbortController>();
  /** Runs, until nothing of them is left in the memory. These promises never reject. */
  const running = new Set<Promise<void>>();
  let destroying: { released: Promise<void>; closed: Promise<void> } | undefined;

  async function run({ goal, plan, signal }: RunOptions): Promise<RunResult> {
    assertNotAborted(destroyed.signal);
    const ends = new AbortController();
    const unlink = link(signal, ends);
    assertNotAborted(ends.signal);
    active.add(ends);
    const log = openLog(toHex(ports.randomBytes(16)));
    const scope = openRunScope(memory, log.runId);
    const first = [...agents.keys()][0] as string;
    const knownPlan = plan ?? { entry: first, edges: [], exits: [first] };
    const planned = { agents, goal, plan: knownPlan, maxAgentVisits, signal: ends.signal, verbs, log, scope, ports };
    const result = receipts.of(log.runId, ends.signal, (own) =>
      runPlan(own === undefined ? planned : { ...planned, receipts: own }),
    );
    const over = () => {
      unlink();
      active.delete(ends);
    };
    void result.then(over, over);
    const gone = result.then(scope.forget, scope.forget).catch(() => undefined);
    running.add(gone);
    void gone.then(() => running.delete(gone));
    return result;
  }

  function beginDestroy(): { released: Promise<void>; closed: Promise<void> } {
    const over = Promise.resolve().then(() => waitFor(running, ports));
    const released = over.then(() => destroyProviders([...agents.values()], openLog(""), ports));
    // The chain does not wait for a slow provider.
    const closed = over.then(async () => {
      const [, end] = await Promise.allSettled([released, receipts.close()]);
      if (end.status === "rejected") throw end.reason;
    });
    return { released, closed };
  }

  function destroy(): Promise<void> {
    if (destroying === undefined) {
      // Set before the signal fires, since its listeners may call this again.
      destroying = beginDestroy();
      destroyed.abort(new AgentError("aborted", "the runtime was destroyed"));
      for (const ends of [...active]) ends.abort(destroyed.signal.reason);
    }
    if (!receipts.isDelivering()) return destroying.closed;
    // A chain that could not be ended has been reported by `ports.warn`.
    void destroying.closed.catch(() => undefined);
    return destroying.released;
  }

  return { receipts: receipts.kept, run: async (given) => run(checkRun(given, [...agents.keys()])), destroy };
}

function checkRun(options: RunOptions, agentIds: readonly string[]): RunOptions {
  assertKnownOptions("run", options, ["goal", "plan", "signal"]);
  const { goal, plan, signal } = options;
  if (typeof goal !== "string") throw invalidOptions("run has no goal", "Pass a string.");
  if (signal !== undefined && typeof signal?.addEventListener !== "function") {
    throw invalidOptions("`signal` of run must be an AbortSignal", "Pass an AbortSignal, or omit it.");
  }
  return { goal, ...(plan === undefined ? {} : { plan: toPlan(plan, agentIds) }), ...defined({ signal }) };
}

function createAgents({ agents, verbs }: RuntimeOptions): ReadonlyMap<string, Agent> {
  if (!Array.isArray(agents) || agents.length === 0) {
    throw invalidOptions("createRuntime has no agents", "Pass { agents: [{ id, … }] }.");
  }
  const odd = agents.findIndex((agent) => !isObject(agent));
  if (odd >= 0) throw invalidOptions(`agents[${odd}] is ${showValue(agents[odd])}`, "Pass { agents: [{ id, … }] }.");
  const ids = agents.map((agent: AgentDefinition) => agent.id);
  const seen = new Set<string>();
  const twice = ids.find((id) => seen.has(id) || !seen.add(id));
  if (twice !== undefined) throw invalidOptions(`two agents have the id ${twice}`, "Give each agent its own id.");
  return new Map(agents.map((agent: AgentDefinition) => [agent.id, createAgent(agent, verbs)]));
}

/** Throws `AgentError` `invalid-options`, naming `owner`. */
export function assertMemory(memory: RuntimeMemory, owner = "createRuntime"): void {
  const missing = MEMORY_METHODS.filter((name) => typeof memory?.[name] !== "function");
  if (missing.length === 0) return;
  throw invalidOptions(
    `the memory of ${owner} has no ${missing.join(", ")}`,
    "Pass a RuntimeMemory, such as createInMemoryRuntimeMemory().",
  );
}

function assertVisits(maxAgentVisits: number): void {
  if (Number.isInteger(maxAgentVisits) && maxAgentVisits >= 1) return;
  throw invalidOptions(
    `maxAgentVisits is ${String(maxAgentVisits)}`,
    "Use a whole number of 1 or more, or leave it out.",
  );
}

/** Waits for aborted runs. A memory that never answers delays this by {@link MEMORY_GRACE_MS} at most. */
async function waitFor(running: ReadonlySet<Promise<void>>, ports: Ports): Promise<void> {
  if (running.size === 0) return;
  await within(Promise.all(running), MEMORY_GRACE_MS, ports).catch(() => {
    ports.warn(`playhead: the memory has not forgotten what aborted runs shared within ${MEMORY_GRACE_MS} ms`);
  });
}

/** Destroys all providers at once, so that one that hangs does not block the others. */
async function destroyProviders(agents: readonly Agent[], log: EventLog, ports: Ports): Promise<void> {
  const owners = new Map([...agents].reverse().map(({ provider, id }) => [provider, id]));
  const providers = new Set(agents.map(({ provider }) => provider));
  await Promise.all(
    Array.from(providers, async (provider) => {
      try {
        const work = provider.destroy?.();
        if (isThenable(work)) await within(work, PROVIDER_GRACE_MS, ports);
      } catch (error) {
        const [name, message] = [providerName(provider), thrownText(error)];
        log.append(owners.get(provider) as string, -1, { type: "provider-destroy-failed", provider: name, message });
        ports.warn(`playhead: destroying provider ${name} failed: ${message}`);
      }
    }),
  );
}
