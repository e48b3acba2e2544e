// Processes that share a job of a fleet, as machines do, and what holds when they are killed.

import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { FleetCell, FleetCounts } from "../../src/host/fleet/cell.js";
import type { FleetStore } from "../../src/host/fleet/store.js";
import { assertBuilt, compiledModule, repositoryRoot } from "./built.js";
import { PATIENCE } from "./patience.js";

export interface MachineLine {
  readonly ran?: string;
  readonly asked?: string;
  readonly stored?: string;
  readonly hash?: string;
  readonly counts?: FleetCounts;
}

export interface Machine {
  readonly child: ChildProcess;
  readonly said: MachineLine[];
}

export interface Machines {
  start(place: string, plan: object): Machine;
  kill(child: ChildProcess): Promise<void>;
}

/** Processes that are killed after each test. `storeModule` opens their store, and `environment` says what it connects to. */
export function fleetMachines(storeModule: string, environment: () => NodeJS.ProcessEnv = () => ({})): Machines {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child);
  });
  return {
    kill,
    start(place, plan) {
      assertBuilt();
      const modules = ["host/fleet.js", storeModule].map((path) => pathToFileURL(compiledModule(path)).href);
      const script = join(repositoryRoot, "test/support/fleet-process.mjs");
      const child = spawn(process.execPath, [script, ...modules, place, JSON.stringify(plan)], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, ...environment() },
      });
      children.push(child);
      const said: MachineLine[] = [];
      createInterface({ input: child.stdout }).on("line", (line) => said.push(JSON.parse(line) as MachineLine));
      return { child, said };
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

export const hashOf = (cells: readonly FleetCell[]): string =>
  createHash("sha256").update(JSON.stringify(cells)).digest("hex");

export async function resultsOf(store: FleetStore): Promise<FleetCell[]> {
  const cells = [];
  for await (const cell of store.results("job")) cells.push(cell);
  return cells;
}

/** A store in a new place, which notes each token that it gives out. */
export interface WatchedFleets {
  readonly place: string;
  readonly store: FleetStore;
  tokens(): Promise<readonly { readonly target: string; readonly takenAt: number }[]>;
}

const MACHINES = 4;
const CONCURRENCY = 8;
const TURNS = 2;
/** Kills and cells of a usual run. */
const USUAL = { kills: 3, total: 60 };

/** PLAYHEAD_FLEET_KILLS sets another number of kills, and with it the number of cells: 100 kills have 5,000. */
export function describeFleetKills(machines: Machines, open: () => Promise<WatchedFleets>): void {
  const given = process.env["PLAYHEAD_FLEET_KILLS"];
  const { kills, total } = given === undefined ? USUAL : { kills: Number(given), total: Number(given) * 50 };
  const names = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index}`);
  const [members, targets] = [names("m", 5), names("t", total / 5)];
  const rate = { calls: 2, perMs: 300 };
  // Only the life locks end the claims of those that are killed.
  const plan = { members, targets, rate, turns: TURNS, concurrency: CONCURRENCY, leaseMs: 300_000, pauseMs: 10 };

  describe("machines that are killed at any point", { timeout: 120_000 + kills * 20_000 }, () => {
    it("settle every cell once, repeat only what was cut off, and never exceed a rate", async () => {
      const { place, store, tokens } = await open();
      const live = Array.from({ length: MACHINES }, () => machines.start(place, plan));
      const all = [...live];
      const linesOf = (key: "ran" | "asked") =>
        all.flatMap(({ said }) => said.flatMap((line) => (line[key] === undefined ? [] : [line[key]])));
      for (let round = 1; round <= kills; round++) {
        const enough = (round * total) / (kills + 1);
        await vi.waitFor(() => expect(linesOf("ran").length).toBeGreaterThanOrEqual(enough), PATIENCE);
        const index = (round * 7 + (round >> 2)) % MACHINES;
        await machines.kill((live[index] as Machine).child);
        all.push((live[index] = machines.start(place, plan)));
      }
      await Promise.all(live.map(({ child }) => child.exitCode ?? once(child, "close")));

      const cells = await resultsOf(store);
      expect(cells.filter(({ status }) => status === "done")).toHaveLength(total);
      expect(live.map(({ said }) => said.at(-1)?.hash)).toEqual(live.map(() => hashOf(cells)));
      const [ran, asked] = [linesOf("ran"), linesOf("asked")];
      expect(new Set(ran).size).toBe(total);
      expect(ran.length - total).toBeLessThanOrEqual(kills * CONCURRENCY);
      expect(new Set(asked).size).toBe(total * TURNS);
      expect(asked.length - total * TURNS).toBeLessThanOrEqual(kills * CONCURRENCY);
      const taken = await tokens();
      expect(taken.length).toBeGreaterThanOrEqual(ran.length);
      for (const target of new Set(taken.map((token) => token.target))) {
        const times = taken.flatMap((token) => (token.target === target ? [token.takenAt] : [])).sort((a, b) => a - b);
        for (const [index, time] of times.slice(rate.calls).entries())
          expect(time - (times[index] as number)).toBeGreaterThanOrEqual(rate.perMs);
      }
      if (kills !== USUAL.kills) {
        const again = { runs: ran.length - total, calls: asked.length - total * TURNS };
        process.stderr.write(
          `${total} cells, ${kills} kills: repeated ${again.runs} runs and ${again.calls} model calls\n`,
        );
      }
      await store.close();
    });
  });
}
