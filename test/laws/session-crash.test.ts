// Whatever operation of the store fails, or is the last one before the process dies: another agent goes on to the undisturbed end.

import { describe, expect, it } from "vitest";
import type { ExecutionHost } from "../../src/core/session/ports/execution-host.js";
import type { Ports } from "../../src/core/ports.js";
import { ask, say } from "../support/script.js";
import { durableHosts } from "../support/durable-host.js";
import {
  agentOn,
  eventsOf,
  faultyHost,
  handPorts,
  historyOf,
  memoryHost,
  openLedger,
  pureModel,
  type Fault,
} from "../support/execution.js";

const ANSWERS = [
  ask([{ name: "look" }, { name: "look", id: "call_2" }, { name: "gone" }]),
  ask([{ name: "book" }, { name: "book", id: "call_b" }]),
  say("Booked."),
];

const sqlite = durableHosts();
const HOSTS: readonly [string, (ports: Ports) => Promise<ExecutionHost>][] = [
  ["memory", async (ports) => memoryHost(ports)],
  ["SQLite", (ports) => sqlite.open({ ports })],
];

async function stand(open: (ports: Ports) => Promise<ExecutionHost>) {
  const ports = handPorts();
  const host = await open(ports);
  const ledger = openLedger();
  const model = pureModel(ANSWERS);
  const tools = [ledger.tool("look", { effect: "read" }), ledger.tool("book", { retryPolicy: "idempotent" })];
  return { ports, host, ledger, model, on: (faulty: ExecutionHost) => agentOn(faulty, { model, tools, ports }) };
}

type Stand = Awaited<ReturnType<typeof stand>>;

/** The id of the run, or undefined where `send` failed. Returns once the first agent has ended or died. */
async function begin(
  { host, on }: Stand,
  at: number,
  fault: Fault,
): Promise<{ runId: string | undefined; count: number }> {
  const faulty = faultyHost(host, at, fault);
  const died = async () => {
    while (!faulty.state.isDead) await new Promise((resolve) => setTimeout(resolve, 1));
    return undefined;
  };
  const sent = await Promise.race([
    on(faulty.host)
      .send("Book it.")
      .catch(() => undefined),
    died(),
  ]);
  const runId = sent?.runId ?? (await host.store.runs.listOpen("agent:clerk", { sessionKey: "default" }))[0]?.runId;
  if (sent !== undefined) await Promise.race([sent.result(), died()]);
  return { runId, count: faulty.state.count };
}

async function goOn({ host, on, ports }: Stand, runId: string): Promise<void> {
  const agent = on(host);
  for (let round = 0; round < 5; round++) {
    const record = await host.store.runs.get(runId);
    if (record === null || ["completed", "error", "cancelled"].includes(record.status)) return;
    ports.pass((host.leaseMs ?? 0) + 1);
    const run = await agent.resume(runId);
    await run?.result();
  }
}

async function undisturbed(open: (ports: Ports) => Promise<ExecutionHost>) {
  const one = await stand(open);
  const { runId, count } = await begin(one, 0, "before");
  return { count, events: await eventsOf(one.host, runId as string), history: await historyOf(one.host), one };
}

describe("a turn in an execution host", () => {
  const faults = ["before", "after", "dead-before", "dead-after"] as const;
  const cases = HOSTS.flatMap(([name, open]) => faults.map((fault) => ({ name, open, fault })));
  for (const { name, open, fault } of cases)
    it(`PSS-87 PSS-89 PSS-145 ends undisturbed where an operation fails: ${fault}, ${name}`, async () => {
      const whole = await undisturbed(open);
      expect(whole.events.at(-1)).toEqual({ type: "turn-end" });
      expect(whole.count).toBeGreaterThan(8);
      for (let at = 1; at <= whole.count; at++) {
        const own = await stand(open);
        const { runId } = await begin(own, at, fault);
        // An input that was not accepted has left nothing.
        if (runId === undefined) {
          expect(await historyOf(own.host), `${fault} ${at}`).toEqual([]);
          continue;
        }
        await goOn(own, runId);
        expect(await eventsOf(own.host, runId), `${fault} ${at}`).toEqual(whole.events);
        expect(await historyOf(own.host), `${fault} ${at}`).toEqual(whole.history);
        const keys = own.ledger.entries.map(({ key }) => key);
        expect(new Set(keys).size, `${fault} ${at}`).toBe(4);
        // Only what was cut off runs again, and no model call whose answer was stored.
        expect(keys.length, `${fault} ${at}`).toBeLessThanOrEqual(4 + (fault.startsWith("dead") ? 2 : 0));
        expect(own.model.asked.length, `${fault} ${at}`).toBeLessThanOrEqual(fault.startsWith("dead") ? 4 : 3);
      }
    }, 60_000);
});
