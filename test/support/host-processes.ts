// What separate processes with one store hold to: nothing that was acknowledged is lost, and each run is executed once, whoever is killed.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { DurableHost } from "../../src/host/durable/host.js";
import { assertBuilt, repositoryRoot } from "./built.js";
import { lease, userTurn, type DurableHosts } from "./durable-host.js";
import { PATIENCE } from "./patience.js";

/** For the runs of many rounds. */
const LONG_PATIENCE = { ...PATIENCE, timeout: 200_000 };

export interface HostProcesses {
  start(task: string, place: string, options?: object): Started;
  kill(child: ChildProcess): Promise<void>;
}

export interface Started {
  readonly child: ChildProcess;
  /** Everything it has said. */
  readonly said: Record<string, unknown>[];
  /** Resolves to the first line with this key. */
  hears(key: string): Promise<Record<string, unknown>>;
}

/**
 * Processes that are killed after each test. `door` is the entry of the package that opens their hosts, and `environment` says what they
 * connect to. An entry is bundled, so a process starts in a third of the time that the modules of the compiler take.
 */
export function hostProcesses(door: string, environment: () => NodeJS.ProcessEnv = () => ({})): HostProcesses {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child);
  });
  return {
    kill,
    start(task, place, options = {}) {
      assertBuilt();
      const module = pathToFileURL(join(repositoryRoot, "dist/entry", door)).href;
      const script = join(repositoryRoot, "test/support/host-process.mjs");
      const child = spawn(process.execPath, [script, task, module, place, JSON.stringify(options)], {
        stdio: ["pipe", "pipe", "inherit"],
        env: { ...process.env, ...environment() },
      });
      children.push(child);
      const said: Record<string, unknown>[] = [];
      createInterface({ input: child.stdout }).on("line", (line) =>
        said.push(JSON.parse(line) as Record<string, unknown>),
      );
      const hears = (key: string) =>
        vi.waitFor(() => {
          const line = said.find((each) => key in each);
          if (line === undefined) throw new Error(`nothing was said of ${key}`);
          return line;
        }, PATIENCE);
      return { child, said, hears };
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

/** Notes the runs that its worker is given, and claims them. */
export function claimAll(host: DurableHost): string[] {
  const claimed: string[] = [];
  host.work({
    namespaces: ["shop"],
    deliver: async (runId) => {
      if (!(await host.store.runs.claim(runId, lease("next", 300_000))).ok) return { kind: "skipped" };
      claimed.push(runId);
      return { kind: "suspended" };
    },
  });
  return claimed;
}

/** The tests of all engines. */
export function describeProcesses(hosts: DurableHosts, processes: HostProcesses): void {
  const { start, kill: end } = processes;
  describe("the death of a process", { timeout: 120_000 }, () => {
    it("PSS-125 ends its leases and holds at once, also those of five minutes", async () => {
      const file = hosts.file();
      const host = await hosts.open({ leaseMs: 300_000 }, file);
      await host.store.runs.create(userTurn("a"));
      const holder = start("hold", file, { runId: "a", leaseMs: 300_000 });
      expect(await holder.hears("claimed")).toMatchObject({ claimed: true });
      const claimed = claimAll(host);
      expect((await host.admin.stats()).hosts).toBe(2);
      expect(await host.store.runs.claim("a", lease("thief"))).toMatchObject({ reason: "leased" });
      await end(holder.child);
      await vi.waitFor(() => expect([...claimed].sort()).toEqual(["a", "a-held"]), PATIENCE);
      expect(await host.store.runs.get("a")).toMatchObject({ attempt: 2, lease: { leaseId: "next" } });
      expect((await host.admin.stats()).hosts).toBe(1);
    });
  });

  describe("a frozen process", { timeout: 120_000 }, () => {
    it("keeps its lease until that runs out, and none of its late writes is accepted", async () => {
      const file = hosts.file();
      const host = await hosts.open({}, file);
      await host.store.runs.create(userTurn("a"));
      const frozen = start("hold", file, { runId: "a", leaseMs: 2_000 });
      await frozen.hears("claimed");
      frozen.child.kill("SIGSTOP");
      // Its life lock is held, so only the lease decides.
      expect((await host.admin.stats()).hosts).toBe(2);
      await vi.waitFor(async () => {
        expect(await host.store.runs.claim("a", lease("next", 300_000))).toMatchObject({ ok: true });
      }, PATIENCE);
      await host.store.events.append("a", [{ type: "turn-start" }], { firstOffset: 0, leaseId: "next" });
      frozen.child.kill("SIGCONT");
      frozen.child.stdin?.write("write\n");
      expect((await frozen.hears("reasons")).reasons).toEqual(["lost-lease", "lost-lease", "lost", "lost-lease"]);
      expect(await host.store.runs.get("a")).toMatchObject({ status: "leased", lease: { leaseId: "next" } });
    });
  });

  describe("several processes", { timeout: 300_000 }, () => {
    it("PSS-51 claim each run once when they claim at the same time", async () => {
      const file = hosts.file();
      const host = await hosts.open({}, file);
      const ids = Array.from({ length: 40 }, (_, index) => `r${index}`);
      for (const runId of ids) await host.store.runs.create(userTurn(runId, { sessionKey: runId }));
      const racers = [0, 1, 2].map(() => start("race", file, { ids }));
      for (const racer of racers) await racer.hears("ready");
      for (const { child } of racers) child.stdin?.write("go\n");
      const won = await Promise.all(racers.map(async (racer) => (await racer.hears("won")).won as string[]));
      expect(won.flat().sort()).toEqual([...ids].sort());
    });
  });

  describeKills(hosts, processes);
}

const ROUNDS = Number(process.env["PLAYHEAD_KILL_ROUNDS"] ?? 25);

/**
 * The tests of workers that are killed. `disturb` is called in each round, and may stop what the workers use. PLAYHEAD_KILL_ROUNDS sets
 * another number of rounds.
 */
export function describeKills(
  hosts: DurableHosts,
  { start, kill: end }: HostProcesses,
  disturb = async (_round: number): Promise<void> => undefined,
): void {
  describe("workers that are killed", { timeout: 240_000 + ROUNDS * 20_000 }, () => {
    // Life locks on PostgreSQL count once the server has run for 15 seconds. These kills need not wait for that, and those below do.
    it(`lose nothing that was acknowledged, and end each run once, in ${ROUNDS} kills at any point`, async () => {
      const file = hosts.file();
      const host = await hosts.open({}, file);
      const created: string[] = [];
      const ended: string[] = [];
      const steps: string[] = [];
      const collect = ({ said }: Started) => {
        for (const line of said) {
          if (typeof line.created === "string") created.push(line.created);
          if (typeof line.ended === "string") ended.push(line.ended);
          if (typeof line.step === "number") steps.push(`${String(line.runId)} ${line.step}`);
        }
      };
      const begin = (place: number) =>
        place === 0 ? start("give", file, { sessions: 3, steps: 3 }) : start("work", file);
      const alive = [0, 1, 2].map(begin);
      for (let round = 0; round < ROUNDS; round++) {
        // The kills land wherever the processes are by then. Only how long they run differs from round to round.
        await vi.waitFor(() => expect(alive.every(({ said }) => said.length > 0)).toBe(true), LONG_PATIENCE);
        await new Promise((resolve) => setTimeout(resolve, 5 + ((round * 70) % 200)));
        await disturb(round);
        const victims = round % 5 === 4 ? [1, 0, 2] : [round % 3];
        for (const place of victims) {
          await end((alive[place] as Started).child);
          collect(alive[place] as Started);
          alive[place] = begin(place);
        }
      }
      for (const process of alive) {
        await end(process.child);
        collect(process);
      }
      expect(created.length).toBeGreaterThan(ROUNDS);
      const last = start("work", file);
      await vi.waitFor(async () => {
        expect((await host.admin.stats()).runs).toMatchObject({ queued: 0, leased: 0, running: 0, suspended: 0 });
      }, LONG_PATIENCE);
      await end(last.child);
      collect(last);

      for (const runId of created) {
        const run = await host.store.runs.get(runId);
        expect(run?.status).toBe("completed");
        expect((await host.store.checkpoints.load(runId))?.journal).toEqual([0, 1, 2]);
      }
      // Acknowledged once at most; the last line of a killed process may be missing.
      expect(new Set(ended).size).toBe(ended.length);
      expect(new Set(steps).size).toBe(steps.length);
      const { completed } = (await host.admin.stats()).runs;
      expect((await host.store.sessions.load("count"))?.state).toBe(completed);
    });

    it("gives a run up that kills its process at each claim, and the other runs go on", async () => {
      const file = hosts.file();
      const host = await hosts.open({}, file);
      await host.store.runs.create(userTurn("poison", { input: { exits: true } }));
      for (let index = 0; index < 10; index++) {
        await host.store.runs.create(userTurn(`good${index}`, { sessionKey: `s${index % 3}`, input: { steps: 2 } }));
      }
      const options = { host: { maxAttempts: 3 } };
      let starts = 0;
      while ((await host.store.runs.get("poison"))?.status !== "error") {
        const worker = start("work", file, options);
        starts += 1;
        const left = once(worker.child, "close");
        const isOver = vi.waitFor(
          async () => expect((await host.store.runs.get("poison"))?.status).toBe("error"),
          LONG_PATIENCE,
        );
        await Promise.race([left, isOver]);
        if (starts > 8) break;
      }
      expect(await host.store.runs.get("poison")).toMatchObject({
        status: "error",
        error: { code: "gave-up" },
        attempt: 4,
      });
      await vi.waitFor(async () => {
        expect(await host.admin.list({ ownerNamespace: "shop", status: ["completed"] })).toHaveLength(10);
      }, LONG_PATIENCE);
    });
  });
}
