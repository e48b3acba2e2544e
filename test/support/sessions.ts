// Sessions for tests: agents on a script, stores that answer as a test wants, and events in short.

import { Agent } from "../../src/core/session/agent.js";
import type { SessionEvent } from "../../src/core/session/event.js";
import type { AgentOptions } from "../../src/core/session/options.js";
import type { SessionStore, StoredSession } from "../../src/core/session/ports/session-store.js";
import type { AgentRun } from "../../src/core/session/run/run.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmTurnRequest } from "../../src/core/model/provider.js";
import { scriptedProvider, type ScriptStep } from "../../src/core/providers/scripted.js";
import { quietPorts } from "./script.js";

/** An agent on a script, with the requests that its model was sent. */
export function scriptedAgent(steps: readonly ScriptStep[], options: Partial<AgentOptions> = {}) {
  const script = scriptedProvider(steps);
  const asked: LlmTurnRequest[] = [];
  const model = {
    turn(request: LlmTurnRequest) {
      asked.push({ ...request, messages: [...request.messages] });
      return script.turn(request);
    },
  };
  const agent = new Agent({ model, ports: quietPorts(), ...options });
  return { agent, asked, script };
}

/** Reads a run to its end. `at` is called with each event before the next one is asked for. */
export async function readRun(run: AgentRun, at?: (event: SessionEvent) => unknown): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of run.events()) {
    events.push(event);
    await at?.(event);
  }
  return events;
}

export const typesOf = (events: readonly SessionEvent[]): string[] => events.map(({ type }) => type);

export interface TestStore extends SessionStore {
  readonly states: Map<string, StoredSession>;
  /** The messages of a session. */
  history(key: string): LlmMessage[];
}

/** A store in memory. Methods of `faults` take the place of its own. */
export function testStore(faults: Partial<SessionStore> = {}): TestStore {
  const states = new Map<string, StoredSession>();
  let versions = 0;
  return {
    states,
    history: (key) => (states.get(key)?.state as { history?: LlmMessage[] } | undefined)?.history ?? [],
    load: async (key) => structuredClone(states.get(key)) ?? null,
    async commit(key, { state }, { expectedVersion }) {
      if ((states.get(key)?.version ?? null) !== expectedVersion) return { ok: false, reason: "conflict" };
      const version = String(++versions);
      states.set(key, { state: structuredClone(state), version });
      return { ok: true, version };
    },
    delete: async (key) => void states.delete(key),
    ...faults,
  };
}
