// `cassette bench`: runs a command and its reference, each time in a fresh process, and compares their pauses between turns. The two
// alternate within the conversation.

import { cpus, loadavg } from "node:os";
import { defined } from "../../core/index.js";
import {
  benchHtml,
  benchMarkdown,
  benchText,
  stretchCassette,
  toBenchedLength,
  type BenchedLength,
  type BenchedRun,
  type BenchReport,
  type BenchThreshold,
} from "../../harness/index.js";
import { sessionTime } from "../../host/index.js";
import { holdSignals, toExitCode, type HeldSignals } from "../child/spawn.js";
import { assertWritable, writeEach, type OutputOptions } from "../drift/outputs.js";
import { EXIT } from "../exit-codes.js";
import { BENCH_GRACE_MS } from "../limits.js";
import type { CommandIo } from "../terminal/io.js";
import { toJsonText, writeJson } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { createBaton } from "./baton.js";
import { loadForBench } from "./load.js";
import { noProcessorTime, runOnce, type Served } from "./run.js";

export interface BenchCommandOptions extends OutputOptions {
  against?: string;
  /** Processes of each command and length. */
  runs: number;
  threshold: BenchThreshold;
  /** Measures processor time. */
  cpu?: boolean;
  /** Lengths to measure. Default: as recorded. */
  turns?: readonly number[];
}

/** Exits 1 if a turn got slower, or with 128 + the signal's number. Throws `baseline-failed` for a command that fails. */
export async function bench(
  file: string,
  command: readonly string[],
  options: BenchCommandOptions,
  io: CommandIo,
): Promise<void> {
  await assertWritable(options, 1, io, [file]);
  const { against, runs, cpu = false, turns, json = false } = options;
  if (cpu && sessionTime(process.pid) === undefined) throw noProcessorTime();
  const recorded = await loadForBench(file, io);
  const cassettes = turns === undefined ? [recorded] : turns.map((length) => stretchCassette(recorded, length));
  const commands = [command, ...(against === undefined ? [] : [shell(against, io)])];
  const signals = holdSignals();
  try {
    const lengths: BenchedLength[] = [];
    for (const cassette of cassettes) {
      const measured = await measure(commands, { file, cassette }, { runs, cpu, signals }, io).catch(
        (error: unknown) => {
          // The signal ended the command too.
          if (signals.caught() === undefined) throw error;
          return [];
        },
      );
      const caught = signals.caught();
      if (caught !== undefined) {
        io.exit(toExitCode(caught));
        return;
      }
      const [own = [], reference = []] = measured;
      const calls = cassette.entries.reduce((sum, { response }) => sum + (response.message.toolCalls ?? []).length, 0);
      const sides = { turns: cassette.entries.length, calls, command: own, reference };
      lengths.push(toBenchedLength(sides, options.threshold));
    }
    const clock = cpu ? ("cpu" as const) : ("wall" as const);
    const setting = { runs, clock, load: loadavg()[0] ?? 0, cores: cpus().length, lengths };
    const report = { cassette: file, ran: command.join(" "), ...defined({ reference: against }), ...setting };
    const isSlower = lengths.some(({ shift }) => shift?.verdict === "slower");
    const exitCode = isSlower ? EXIT.drift : EXIT.ok;
    await writeEach(options, io, (name) => textOf(name, report, exitCode));
    if (json) writeJson(io, "bench", exitCode, report);
    io.exit(exitCode);
  } finally {
    signals.release();
  }
}

/** The runs of each command. The first of each warms up the disk and shows its output. Ends early after a signal. */
async function measure(
  commands: readonly (readonly string[])[],
  served: Served,
  { runs, cpu, signals }: { runs: number; cpu: boolean; signals: HeldSignals },
  io: CommandIo,
): Promise<BenchedRun[][]> {
  const progress = createProgress(io, "running");
  const results = commands.map((): BenchedRun[] => []);
  let longestMs = 0;
  for (const command of commands) {
    if (signals.caught() !== undefined) return results;
    const began = performance.now();
    await runOnce(command, served, io);
    longestMs = Math.max(longestMs, performance.now() - began);
  }
  const settings = { timeoutMs: 10 * longestMs + BENCH_GRACE_MS, isCpu: cpu };
  try {
    for (let run = 0; run < runs && signals.caught() === undefined; run++) {
      progress.step(run, runs);
      const baton = createBaton(commands.length);
      const places = commands.map((_, at) => at);
      // Neither command always comes first.
      const begun = (run % 2 === 0 ? places : places.reverse()).map(async (at) => {
        const name = `run ${run + 1} of ${runs}${at === 0 ? "" : " of the reference"}`;
        results[at]?.push(await runOnce(commands[at] ?? [], served, io, { ...settings, baton, name }));
      });
      await allOrFirstFailure(begun);
    }
    return results;
  } finally {
    progress.clear();
  }
}

/** Waits for all, because each has a process and a server. */
async function allOrFirstFailure(begun: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(begun)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

function shell(text: string, { env }: CommandIo): string[] {
  if (process.platform === "win32") return [env["ComSpec"] ?? "cmd.exe", "/d", "/s", "/c", text];
  return ["/bin/sh", "-c", text];
}

function textOf(name: string, report: BenchReport, exitCode: number): string {
  switch (name) {
    case "html":
      return benchHtml(report);
    case "markdown":
      return benchMarkdown(report);
    case "json":
      return toJsonText("bench", exitCode, report);
    default:
      return benchText(report);
  }
}
