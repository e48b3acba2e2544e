// What a caller holds of a session.

import { AgentError } from "../../errors.js";
import type { Execution } from "../execution/execution.js";
import type { ScheduleOptions } from "../execution/stored-run/create-run.js";
import { readInput, type AgentInput } from "../input.js";
import type { AgentRun } from "../run/run.js";
import type { Session } from "./session.js";

/** One session of an agent. Every handle of a key is the same session. */
export interface SessionHandle {
  readonly key: string;
  /**
   * Starts a turn, behind the turns that are under way or wait. Resolves when the input is accepted. The turn goes on only while somebody
   * reads its events or awaits its result. Rejects with `TypeError` for a wrong input and with `AgentError` `session-closed`,
   * `queue-full` or `plugin-failed`.
   */
  send(input: AgentInput): Promise<AgentRun>;
  /** Adds an input to the turn under way and resolves with its run. Without a turn, it acts as `send`. Rejects as `send` does. */
  steer(input: AgentInput): Promise<AgentRun>;
  /**
   * Adds a message that the model reads in one turn and that is never stored: in the turn under way, or else in the next one. Then the
   * run has one event. Rejects as `send`.
   */
  overlay(input: AgentInput): Promise<AgentRun>;
  /**
   * Stores an input as a turn that a worker of the execution host begins, and returns the id of its run. Rejects with `TypeError`
   * without an execution host, and with `store-failed`.
   */
  schedule(input: AgentInput, options?: ScheduleOptions): Promise<string>;
  /** Aborts the turn under way. Its whole steps are kept, and turns that wait go on. */
  interrupt(): void;
  /**
   * Waits for background jobs while the session has no turn: the run id of the oldest notification, for `agent.resume(runId)`. Null: none
   * waits, and no job runs. A turn that begins first takes the notification. Rejects with `aborted` when `signal` fires, and as `send`.
   */
  nextNotification(options?: { readonly signal?: AbortSignal }): Promise<string | null>;
  /** Aborts all turns and ends the session for this agent. Its state stays in the store. */
  kill(): Promise<void>;
  /** Aborts all turns and deletes the state of the session. The key is free afterwards. Rejects with `store-failed`. */
  delete(): Promise<void>;
}

/** An agent that another one may delegate to. Create it with `new Agent`, with a `name` and a `description`. */
export interface Subagent {
  readonly name: string | undefined;
  readonly description: string | undefined;
  session(key: string): SessionHandle;
}

/** `enter` gives the session, once plugins are set up and the agent takes calls. */
export function openHandle(
  key: string,
  enter: () => Promise<Session>,
  present: () => Session | undefined,
  execution: Pick<Execution, "schedule"> | undefined,
): SessionHandle {
  return {
    key,
    async send(input) {
      const read = readInput(input);
      return (await enter()).send(read);
    },
    async steer(input) {
      const read = readInput(input);
      return (await enter()).steer(read);
    },
    async overlay(input) {
      const read = readInput(input);
      return (await enter()).overlay(read);
    },
    async schedule(input, options) {
      if (execution === undefined)
        throw new TypeError("session.schedule() needs an execution host. Pass { host } to new Agent.");
      (await enter()).assertOpen();
      return execution.schedule(key, input, options);
    },
    interrupt: () => present()?.interrupt(),
    nextNotification: async ({ signal } = {}) => (await enter()).nextNotification(signal),
    kill: async () => (await enter()).kill(),
    delete: async () => (await enter()).delete(),
  };
}

export function agentClosed(): AgentError {
  return new AgentError("session-closed", "Agent closed", { hint: "Create a new Agent to use its sessions again." });
}
