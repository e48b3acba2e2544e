// An agent whose conversations last: a model with instructions and tools, and any number of sessions by key.

import { seal } from "../canon/copy.js";
import { SESSION_GRACE_MS } from "../limits.js";
import type { LlmMessage } from "../model/message.js";
import { createInMemoryRuntimeMemory } from "../memory/memory.js";
import { withSystemPorts } from "../ports.js";
import type { Receipt } from "../receipts/receipt.js";
import { createReceipts } from "../runtime/receipts.js";
import { thrownText } from "../text/thrown.js";
import { createHlc } from "../time/hlc.js";
import { within } from "../time/wait.js";
import { AgentError } from "../errors.js";
import { Execution, failureOf, type DrainOptions, type ResumeOptions } from "./execution/execution.js";
import type { RecoveryDecision } from "./execution/recovery.js";
import type { AgentInput } from "./input.js";
import { agentClosed, openHandle, type SessionHandle, type Subagent } from "./live/handle.js";
import type { House } from "./live/house.js";
import { Neighbours } from "./live/neighbours.js";
import { MemorySessionStore } from "./memory-host/sessions.js";
import { assertSessionKey, toNamespace } from "./namespace.js";
import { readOptions, type AgentOptions, type ReadyOptions } from "./options.js";
import { Plugins } from "./plugins/plugins.js";
import type { Delivery } from "./ports/execution-host.js";
import type { AgentRun } from "./run/run.js";
import { SnapshotKeeper } from "./state/snapshot-keeper.js";
import { assertToolNames } from "./subagents/check.js";
import { Arrivals } from "./subagents/arrivals.js";
import { Site, type AgentParts, type SubagentParts } from "./subagents/site.js";

const DEFAULT_KEY = "default";

/** The state behind an agent. Throws `TypeError` for an object that only looks like one. */
let innerOf: (agent: object) => Inner;

export class Agent {
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** Names the agent's runs, jobs and sessions of subagents in shared stores. A session itself is stored under its key alone. */
  readonly namespace: string;
  readonly #inner: Inner;

  /** Throws `TypeError` that names the option and what to pass. */
  constructor(options: AgentOptions) {
    const ready = readOptions(options);
    const { name, description } = options;
    this.#inner = new Inner(ready, ready.subagents.map(toSubagent));
    this.name = name;
    this.description = description;
    this.namespace = this.#inner.namespace;
  }

  static {
    innerOf = (agent) => {
      if (#inner in agent) return agent.#inner;
      throw new TypeError(
        "Agent has a subagent that is not an Agent. Create it with new Agent({ name, description, … }).",
      );
    };
  }

  /** The receipts so far. Empty without a `signingKey`. */
  get receipts(): readonly Receipt[] {
    return this.#inner.receipts.kept;
  }

  /** Short for `session("default").send(input)`. */
  send(input: AgentInput): Promise<AgentRun> {
    return this.session(DEFAULT_KEY).send(input);
  }

  /** Short for `session("default").steer(input)`. */
  steer(input: AgentInput): Promise<AgentRun> {
    return this.session(DEFAULT_KEY).steer(input);
  }

  /**
   * Starts the turn of a notification, by the run id that `nextNotification` or `onResume` gave, or goes on with a run of an execution
   * host that nobody works on. Null: another process or turn has it, it is over, it must wait for its turn, or it is not of this agent.
   * Rejects with `store-failed`.
   */
  resume(runId: string, options?: ResumeOptions): Promise<AgentRun | null> {
    return this.#inner.resume(runId, options);
  }

  /**
   * Decides about a tool call that an error with the code `needs-recovery` names. The run goes on once all such calls are decided. The
   * first decision stands. Rejects with `invalid-options` for a call that waits for none.
   */
  recover(runId: string, toolCallId: string, decision: RecoveryDecision): Promise<void> {
    return this.#inner.recover(runId, toolCallId, decision);
  }

  /** The session with this key: 1 to 512 characters, not beginning with "parent:". Throws `TypeError` for another key. */
  session(key: string): SessionHandle {
    assertSessionKey(key);
    return this.#inner.session(key);
  }

  /**
   * Refuses further calls, aborts the current turns and ends the receipts. A plugin's setup and then a running tool have 5 seconds each
   * to end, and work that ignores the abort has 5 more. A provider that was passed in stays open. With an execution host, turns are
   * suspended and waiting inputs are given back. A second call returns the first one's promise.
   */
  close(): Promise<void> {
    return this.#inner.close();
  }
}

/**
 * Carries out a run that a worker delivers, by the first of `agents` that may. `signal` suspends it. Never rejects: what went wrong
 * is in the result.
 */
export async function resumeAndDrain(
  agents: Agent | readonly Agent[],
  runId: string,
  options: DrainOptions = {},
): Promise<Delivery> {
  try {
    for (const agent of Array.isArray(agents) ? (agents as readonly Agent[]) : [agents as Agent]) {
      const delivery = await innerOf(agent).deliver(runId, options);
      if (delivery !== undefined) return delivery;
    }
    return { kind: "skipped" };
  } catch (error) {
    return { kind: "failed", error: failureOf(error) };
  }
}

function toSubagent(agent: Subagent): SubagentParts {
  const { name = "", description = "" } = agent;
  const inner = innerOf(agent);
  return { name, description, parts: () => inner.parts() };
}

class Inner {
  readonly ports: House["ports"];
  readonly receipts: House["receipts"];
  readonly namespace: string;
  readonly #execution: Execution | undefined;
  readonly #arrivals: Arrivals;
  readonly #subagents: readonly SubagentParts[];
  readonly #options: ReadyOptions;
  readonly #hlc: House["hlc"];
  readonly #plugins = new Plugins();
  readonly #ready: Promise<Site>;
  #site: Site | undefined;
  #own: AgentParts | undefined;
  #closing: Promise<void> | undefined;

  constructor(ready: ReadyOptions, subagents: readonly SubagentParts[]) {
    const { options, plugins } = ready;
    const { name, namespace = name, arrivals, onNote } = options;
    this.#options = ready;
    this.#subagents = subagents;
    this.ports = withSystemPorts(options.ports);
    this.namespace = toNamespace(namespace, this.ports);
    if (ready.host !== undefined) this.#execution = new Execution(ready.host, this.namespace, this.ports);
    this.#arrivals = new Arrivals(arrivals, onNote);
    this.#hlc = createHlc(this.ports);
    this.receipts = toTypeError(() => createReceipts(options, this.ports, this.#hlc, "Agent"));
    this.#ready = this.#plugins.setUp(plugins, this.ports).then(() => (this.#site = this.#open()));
    // Each call reports it.
    this.#ready.catch(() => undefined);
  }

  session(key: string): SessionHandle {
    return openHandle(
      key,
      async () => (await this.#enter()).sessions.of(key),
      () => this.#site?.sessions.of(key),
      this.#execution,
    );
  }

  async resume(runId: string, options?: ResumeOptions): Promise<AgentRun | null> {
    const site = await this.#enter();
    return (await site.resume(runId)) ?? (await this.#execution?.resume(site, runId, options)) ?? null;
  }

  async deliver(runId: string, options: DrainOptions): Promise<Delivery | undefined> {
    const site = await this.#enter();
    return this.#execution?.deliver(site, runId, options);
  }

  async recover(runId: string, toolCallId: string, decision: RecoveryDecision): Promise<void> {
    if (this.#execution === undefined)
      throw new TypeError("agent.recover() needs an execution host. Pass { host } to new Agent.");
    await this.#execution.recover(runId, toolCallId, decision);
  }

  /** What this agent brings to the host of another one. Rejects as its own sessions do. */
  async parts(): Promise<AgentParts> {
    await this.#enter();
    return this.#parts();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #enter(): Promise<Site> {
    const site = await this.#ready;
    if (this.#closing !== undefined) throw agentClosed();
    return site;
  }

  /** Called once the plugins have registered all they have. Throws `AgentError` `plugin-failed`. */
  #open(): Site {
    const { options, store } = this.#options;
    const { host } = options;
    if (this.#plugins.store !== undefined && host !== undefined)
      throw pluginFailed("a plugin registers a session store, but the agent has a host", "Leave out one of them.");
    const snapshots = store ?? this.#plugins.store ?? new MemorySessionStore();
    const keeper = this.#execution?.keeper ?? new SnapshotKeeper(snapshots, this.ports);
    const isNamed = options.namespace !== undefined || options.name !== undefined;
    const neighbours = isNamed
      ? new Neighbours(this.#options.host?.store ?? snapshots, this.namespace, this.ports)
      : undefined;
    const onResume = host !== undefined && "onResume" in host ? (id: string) => host.onResume?.(id) : undefined;
    const jobs = this.#execution?.jobs;
    // Without a host, this process owns the work.
    const background =
      host === undefined || jobs !== undefined || host.capabilities?.backgroundSubagents === "in-process";
    const site = new Site(this.#parts(), { keeper, background, jobs, onResume, neighbours });
    this.#execution?.enter(site);
    return site;
  }

  #parts(): AgentParts {
    this.#own ??= this.#build();
    return this.#own;
  }

  #build(): AgentParts {
    const { options, instructions, openModel } = this.#options;
    const { memory = createInMemoryRuntimeMemory(), onEvent, onNote } = options;
    const definition = this.#define();
    const arrivals = this.#arrivals;
    const house: AgentParts["house"] = {
      definition,
      system: instructions === undefined ? undefined : seal<LlmMessage>({ role: "system", content: instructions }),
      openModel,
      plugins: this.#plugins,
      memory,
      listener: onEvent,
      receipts: this.receipts,
      hlc: this.#hlc,
      ports: this.ports,
      accepted: onNote === undefined ? undefined : () => arrivals.noteAccepted(definition.id),
    };
    return { house, namespace: this.namespace, subagents: this.#subagents, arrivals };
  }

  #define(): House["definition"] {
    const { definition, define } = this.#options;
    const { tools } = this.#plugins;
    if (tools.length === 0) return definition;
    if (define === undefined)
      throw pluginFailed(
        "a plugin registers tools, but the agent's model is a function",
        "A function runs its own tools.",
      );
    try {
      const defined = define(tools);
      assertToolNames(defined, this.#options.subagents);
      return defined;
    } catch (error) {
      throw pluginFailed(thrownText(error), "Rename or remove the tool.", error);
    }
  }

  async #close(): Promise<void> {
    try {
      await within(this.#ready, SESSION_GRACE_MS, this.ports);
    } catch {
      // A plugin that failed or hangs has begun no session.
    }
    await this.#site?.close();
    await this.receipts.close();
  }
}

function pluginFailed(message: string, hint: string, cause?: unknown): AgentError {
  return new AgentError("plugin-failed", message, { hint, cause });
}

function toTypeError<T>(create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    throw new TypeError(`Agent cannot be created: ${error.message}. ${error.hint ?? ""}`.trim(), { cause: error });
  }
}
