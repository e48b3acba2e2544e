// Whatever operation of the store fails, or is the last one before the process dies: another agent brings a session and its background
// jobs to the undisturbed end, with one notification.

import { describe, expect, it } from "vitest";
import type { ExecutionHost } from "../../src/core/session/ports/execution-host.js";
import type { Ports } from "../../src/core/ports.js";
import { durableHosts } from "../support/durable-host.js";
import { DESK, jobStand, openRuns, remindersOf, workOff, type JobStand } from "../support/durable-jobs.js";
import { faultyHost, historyOf, memoryHost, type Fault } from "../support/execution.js";

const sqlite = durableHosts();
type Open = (ports: Ports) => Promise<ExecutionHost>;
const openMemory: Open = async (ports) => memoryHost(ports, { backgroundSubagents: "durable" });
const openSqlite: Open = (ports) => sqlite.open({ ports });

/** The first agent sends an input and works off what comes of it, until it has ended or died. */
async function begin({ host, agent }: JobStand, at: number, fault: Fault) {
  const faulty = faultyHost(host, at, fault);
  const died = async () => {
    while (!faulty.state.isDead) await new Promise((resolve) => setTimeout(resolve, 1));
    return undefined;
  };
  const first = agent(faulty.host);
  const work = async () => {
    const run = await first.send("go").catch(() => undefined);
    await run?.result();
    await workOff(host, first).catch(() => undefined);
  };
  await Promise.race([work(), died()]);
  return faulty.state.count;
}

async function goOn({ host, agent, ports }: JobStand): Promise<void> {
  for (let round = 0; round < 5 && (await openRuns(host)).length > 0; round++) {
    ports.pass((host.leaseMs ?? 0) + 1);
    await workOff(host, agent());
  }
}

/** What stays. Run ids differ from one stand to the next. */
async function left({ host, ledger }: JobStand) {
  const open = await openRuns(host);
  const pending = await host.store.notifications.listPending(DESK, "default");
  return {
    history: await historyOf(host),
    reminders: (await remindersOf(host)).length,
    open: open.length,
    pending: pending.length,
    keys: new Set(ledger.entries.map(({ key }) => key)).size,
  };
}

describe("background jobs on a durable host", () => {
  const cases: readonly [Fault, string, Open][] = [
    ["before", "memory", openMemory],
    ["after", "memory", openMemory],
    ["dead-before", "memory", openMemory],
    ["dead-after", "memory", openMemory],
    ["dead-after", "SQLite", openSqlite],
  ];
  it.each(cases)(
    "PSS-85 PSS-88 PSS-51 PSS-53 end undisturbed where an operation fails: %s, %s",
    async (fault, _name, open) => {
      const helpers = ["a", "b"];
      const whole = await jobStand({ open, helpers });
      const count = await begin(whole, 0, "before");
      const expected = await left(whole);
      expect(expected).toMatchObject({ reminders: 1, open: 0, pending: 0, keys: 2 });
      expect(count).toBeGreaterThan(30);
      for (let at = 1; at <= count; at++) {
        const own = await jobStand({ open, helpers });
        await begin(own, at, fault);
        await goOn(own);
        const found = await left(own);
        const asked = [...own.helperModels.values()].reduce((sum, model) => sum + model.asked.length, own.asked.length);
        // An input that was not accepted has left nothing.
        if (found.history.length === 0)
          expect({ ...found, asked }, `${fault} ${at}`).toMatchObject({ open: 0, asked: 0 });
        else expect(found, `${fault} ${at}`).toEqual(expected);
        const isDeath = fault.startsWith("dead");
        expect(asked, `${fault} ${at}`).toBeLessThanOrEqual(8 + (isDeath ? 1 : 0));
        expect(own.ledger.entries.length, `${fault} ${at}`).toBeLessThanOrEqual(2 + (isDeath ? 1 : 0));
      }
    },
    120_000,
  );
});
