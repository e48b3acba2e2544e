// A process that dies between two checkpoints: what it had not stored is as if it had never been.

import { describe, expect, it } from "vitest";
import { resumeAndDrain } from "../../../../src/core/session/agent.js";
import type { ExecutionHost } from "../../../../src/core/session/ports/execution-host.js";
import type { LlmTurnRequest } from "../../../../src/core/model/provider.js";
import { agentOn, eventsOf, faultyHost, handPorts, historyOf, memoryHost } from "../../../support/execution.js";
import { ask, say, tool } from "../../../support/script.js";
import { typesOf } from "../../../support/sessions.js";

/** Where a process dies: in an operation, or when its result is there and nobody has stored it. */
type Death = `${"in" | "after"} ${"call 1" | "the tool" | "call 2"}`;

/** Two processes work on one turn, which looks something up and tells it. The first dies. Each signs what it does. */
async function stand(death: Death) {
  const ports = handPorts();
  const host = memoryHost(ports);
  const faulty = faultyHost(host, Infinity, "before");
  let die: () => void = () => undefined;
  const isDead = new Promise<void>((resolve) => (die = resolve));
  const work: string[] = [];
  const process = (name: string, on: ExecutionHost) => {
    const asked: LlmTurnRequest["messages"][] = [];
    const enter = async <T>(place: string, result: T): Promise<T> => {
      work.push(`${name}: ${place}`);
      if (name !== "first" || !death.endsWith(place)) return result;
      faulty.state.isDead = true;
      die();
      return death.startsWith("in") ? new Promise<never>(() => undefined) : result;
    };
    const look = tool("look", (_args, { attempt }) => enter("the tool", `seen by ${name}, attempt ${attempt}`), {
      retryPolicy: "idempotent",
    });
    const model = {
      async turn({ messages }: LlmTurnRequest) {
        asked.push([...messages]);
        const isFirst = messages.length === 1;
        return enter(
          isFirst ? "call 1" : "call 2",
          isFirst ? ask([{ name: "look" }], { content: `asked by ${name}` }) : say(`told by ${name}`),
        );
      },
    };
    return { asked, agent: agentOn(on, { model, tools: [look], ports }) };
  };
  const first = process("first", faulty.host);
  const run = await first.agent.send("Look.");
  void run.result();
  await isDead;
  const stored = typesOf(await eventsOf(host, run.runId));
  expect(await process("early", host).agent.resume(run.runId)).toBe(null);
  ports.pass(host.leaseMs + 1);
  const second = process("second", host);
  return { host, runId: run.runId, work, stored, first, second };
}

const BEGINNING = ["user-text"];
const ANSWERED = [...BEGINNING, "turn-start", "step-start", "assistant-text", "tool-call"];
const DONE = [...ANSWERED, "tool-result", "step-end", "step-start", "assistant-text", "step-end", "turn-end"];

const contents = (messages: readonly { readonly content: unknown }[]) => messages.map(({ content }) => content);

describe("a run whose process dies", () => {
  it.each<[Death, { stored: string[]; history: string[] }]>([
    [
      "after call 1",
      { stored: BEGINNING, history: ["Look.", "asked by second", "seen by second, attempt 1", "told by second"] },
    ],
    [
      "after the tool",
      { stored: ANSWERED, history: ["Look.", "asked by first", "seen by second, attempt 2", "told by second"] },
    ],
    [
      "after call 2",
      { stored: ANSWERED, history: ["Look.", "asked by first", "seen by first, attempt 1", "told by second"] },
    ],
  ])("PSS-87 goes on from the boundary that was stored, and from nothing behind it: %s", async (death, expected) => {
    const { host, runId, stored, second } = await stand(death);
    expect(stored).toEqual(expected.stored);
    expect(await resumeAndDrain(second.agent, runId)).toEqual({ kind: "done" });
    expect(contents(await historyOf(host))).toEqual(expected.history);
    expect(typesOf(await eventsOf(host, runId))).toEqual(DONE);
  });

  it.each<[Death, string[]]>([
    ["in call 1", ["first: call 1", "second: call 1", "second: the tool", "second: call 2"]],
    ["in the tool", ["first: call 1", "first: the tool", "second: the tool", "second: call 2"]],
    ["in call 2", ["first: call 1", "first: the tool", "first: call 2", "second: call 2"]],
  ])(
    "PSS-89 enters the operation again from the last checkpoint, and repeats none before it: %s",
    async (death, work) => {
      const own = await stand(death);
      expect(await resumeAndDrain(own.second.agent, own.runId)).toEqual({ kind: "done" });
      expect(own.work).toEqual(work);
      // The model reads again what it read when the process died, or what was stored since.
      if (death !== "in the tool") expect(own.second.asked[0]).toEqual(own.first.asked.at(-1));
      else
        expect(contents(own.second.asked[0] ?? [])).toEqual(["Look.", "asked by first", "seen by second, attempt 2"]);
      expect(typesOf(await eventsOf(own.host, own.runId))).toEqual(DONE);
    },
  );
});
