// createRuntime: agents with their own provider, manifest and budget, driven by the one loop. Without a plan the first
// agent runs alone.

import { createInMemoryRuntimeMemory } from "../context/memory.js";
import { AgentError } from "../errors.js";
import { createEventLog, type EventListener } from "../events/log.js";
import { assertKnownOptions } from "../options.js";
import { withSystemPorts, type Ports } from "../ports.js";
import { createHlc } from "../time/hlc.js";
import { thrownText } from "../tools/thrown.js";
import type { VerbBodies } from "../tools/verbs.js";
import { createAgent, type Agent, type AgentDefinition } from "./agent.js";
import { runAgent, type RunResult } from "./run.js";

export interface RuntimeOptions {
  readonly agents: readonly AgentDefinition[];
  /** Bodies for the eight verbs. Without them no verb is offered. */
  readonly verbs?: VerbBodies;
  readonly onEvent?: EventListener;
  readonly ports?: Partial<Ports>;
}

export interface RunOptions {
  /** Becomes the user message. */
  readonly goal: string;
  readonly signal?: AbortSignal;
}

export interface AgentRuntime {
  /**
   * Rejects with what a provider threw, unchanged, with `AgentError` `aborted`, with a `ToolPolicyError`, or with `tool-failed`
   * where the agent's options say so. A reached cap is a normal result.
   */
  run(options: RunOptions): Promise<RunResult>;
  /** Aborts what runs, waits for it to end, then calls each provider's `destroy()` once. Safe to call twice. */
  destroy(): Promise<void>;
}

/** Throws `AgentError` `invalid-options` for whatever can be known to be wrong before the first turn. */
export function createRuntime(options: RuntimeOptions): AgentRuntime {
  assertKnownOptions("createRuntime", options, ["agents", "verbs", "onEvent", "ports"]);
  const ports = withSystemPorts(options.ports);
  const agents = createAgents(options);
  const first = agents[0] as Agent;
  const hlc = createHlc(ports);
  const memory = createInMemoryRuntimeMemory();
  const destroyed = new AbortController();
  const runs = new Set<Promise<RunResult>>();
  let destroying: Promise<void> | undefined;

  async function destroyAll(): Promise<void> {
    destroyed.abort(new AgentError("aborted", "the runtime was destroyed"));
    await Promise.allSettled(runs);
    const providers = new Set(agents.map((agent) => agent.provider));
    for (const provider of providers) await destroyProvider(provider, ports);
  }

  return {
    async run(run) {
      assertKnownOptions("run", run, ["goal", "signal"]);
      if (typeof run.goal !== "string")
        throw new AgentError("invalid-options", "run has no goal", { hint: "Pass a string." });
      const signal = run.signal === undefined ? destroyed.signal : AbortSignal.any([run.signal, destroyed.signal]);
      const runId = Array.from(ports.randomBytes(16), (byte) => byte.toString(16).padStart(2, "0")).join("");
      const { onEvent: listener } = options;
      const log = createEventLog(ports, { runId, hlc, ...(listener === undefined ? {} : { listener }) });
      const running = runAgent(first, run.goal, signal, options.verbs, log, memory, ports);
      runs.add(running);
      try {
        return await running;
      } finally {
        runs.delete(running);
      }
    },
    destroy: () => (destroying ??= destroyAll()),
  };
}

function createAgents({ agents, verbs }: RuntimeOptions): Agent[] {
  if (!Array.isArray(agents) || agents.length === 0) {
    throw new AgentError("invalid-options", "createRuntime has no agents", { hint: "Pass { agents: [{ id, … }] }." });
  }
  const ids = agents.map((agent: AgentDefinition) => agent.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) {
    throw new AgentError("invalid-options", `two agents have the id ${twice}`, { hint: "Give each agent its own id." });
  }
  return agents.map((agent: AgentDefinition) => createAgent(agent, verbs));
}

async function destroyProvider(provider: Agent["provider"], ports: Ports): Promise<void> {
  try {
    await provider.destroy?.();
  } catch (error) {
    ports.warn(`playhead: destroying provider ${provider.name ?? "unnamed"} failed: ${thrownText(error)}`);
  }
}
