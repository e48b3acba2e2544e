// Subagents for tests: calls of their tools, a subagent that answers when the test says, and job events in short.

import { Agent } from "../../src/core/session/agent.js";
import type { SessionEvent } from "../../src/core/session/event.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../../src/core/model/provider.js";
import type { JsonObject } from "../../src/core/canon/value.js";
import { quietPorts } from "./script.js";

/** A call that delegates. */
export const delegate = (name: string, args: JsonObject) => ({ name: `delegate_to_${name}`, arguments: args });

/** A call that launches a job. */
export const launch = (name: string, args: JsonObject = {}) =>
  delegate(name, { prompt: "p", run_in_background: true, ...args });

/** A subagent whose first answer, and every later one, is the one the test gives. */
export function heldAgent(name: string) {
  const open = <T>() => {
    let resolve: (value: T) => void = () => undefined;
    const promise = new Promise<T>((done) => (resolve = done));
    return { promise, resolve };
  };
  const [answer, asked, aborted] = [open<LlmTurnResponse | Error>(), open<void>(), open<void>()];
  let requests = 0;
  const model = {
    async turn({ signal }: LlmTurnRequest): Promise<LlmTurnResponse> {
      requests++;
      asked.resolve();
      signal?.addEventListener("abort", () => aborted.resolve());
      const given = await answer.promise;
      if (given instanceof Error) throw given;
      return given;
    },
  };
  const agent = new Agent({ name, description: `The ${name}.`, model, ports: quietPorts() });
  const { promise } = asked;
  return { agent, asked: promise, aborted: aborted.promise, answer: answer.resolve, requests: () => requests };
}

/** Calls, results and job events, without updates. */
export function jobEvents(events: readonly SessionEvent[]): string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case "tool-call":
      case "tool-result":
        return [`${event.type} ${event.toolName}`];
      case "subagent-job-start":
      case "subagent-job-end":
        return [`${event.type} ${event.subagent}`];
      default:
        return [];
    }
  });
}

/** The id of the job that a call launched, as the model reads it. */
export function taskIdsIn(messages: LlmTurnRequest["messages"]): string[] {
  return [...new Set([...JSON.stringify(messages).matchAll(/bg_[0-9a-f]{16}/g)].map(([id]) => id))];
}
