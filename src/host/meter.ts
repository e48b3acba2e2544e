// The clocks and the memory of this process, and the processor time of another one, for benchmarks.

import { readdirSync, readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

interface ProcessMeter {
  readonly wall: () => number;
  readonly cpu: () => number;
  readonly heap: () => number;
  readonly collectYoung: () => void;
}

type Collect = (options?: { type: "minor" }) => void;

/** Node exposes the garbage collector to programs only after a flag, which is set at the first use. */
export function processMeter(): ProcessMeter {
  let collector: Collect | undefined;
  const collect: Collect = (options) => {
    if (collector === undefined) {
      setFlagsFromString("--expose-gc");
      collector = runInNewContext("gc") as Collect;
    }
    collector(options);
  };
  return {
    wall: () => performance.now() * 1000,
    cpu() {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
    heap() {
      collect();
      return process.memoryUsage().heapUsed;
    },
    // A full collection would also drop hidden classes that compiled code relies on.
    collectYoung: () => collect({ type: "minor" }),
  };
}

/**
 * Measures processor time in microseconds: that of the main threads of all processes that are in the session of `leader` at some call. A
 * process that has ended counts as at the last call that found it. Undefined if the system does not report it. Only Linux does. The time of a
 * thread is complete when it waits.
 */
export function sessionTime(leader: number): (() => number) | undefined {
  if (readTime(String(leader)) === undefined) return undefined;
  const times = new Map<string, number>();
  return () => {
    for (const id of processesOf(leader)) times.set(id, readTime(id) ?? times.get(id) ?? 0);
    return [...times.values()].reduce((sum, time) => sum + time, 0);
  };
}

function processesOf(leader: number): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && sessionOf(name) === leader);
}

/** The fourth field after the name, which may contain spaces and brackets. */
function sessionOf(id: string): number {
  const text = read(`/proc/${id}/stat`) ?? "";
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[3]);
}

function readTime(id: string): number | undefined {
  const text = read(`/proc/${id}/schedstat`);
  return text === undefined ? undefined : Number(text.split(" ")[0]) / 1000;
}

/** Undefined if the process has ended. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
