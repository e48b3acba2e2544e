// One run of a command in a process of its own, answered by a server of its own. The server notes when each request comes in and when
// its answer is ready.

import { createShelf, type CassetteV2, type Shelf } from "../../cassette/index.js";
import { createOutsideWatch, type BenchedRun } from "../../harness/index.js";
import { processMeter, sessionTime, type HttpHandler } from "../../host/index.js";
import { clientSettings, PLACEHOLDER_KEYS } from "../child/base-url-variables.js";
import { runChild, type ChildEnd, type Quietly } from "../child/spawn.js";
import { CliError, usageError } from "../errors.js";
import { listen } from "../serve/listen.js";
import { serveHandler, type ServeWatcher } from "../serve/handler.js";
import type { CommandIo } from "../terminal/io.js";
import { count } from "../terminal/output.js";
import { createBaton, type Baton, type Runner } from "./baton.js";

export interface Served {
  file: string;
  cassette: CassetteV2;
}

export interface RunSettings {
  /** Hides the terminal and the output, and ends the command after this time. Without it, `isCpu` has no effect. */
  timeoutMs?: number;
  /** Measures processor time of the command instead of wall time. */
  isCpu?: boolean;
  /** Alternates with other commands. */
  baton?: Baton;
  /** What an error calls the run: "run 3 of 8". */
  name?: string;
}

/** Throws `baseline-failed` unless the command used every turn and exited with 0. */
export async function runOnce(
  command: readonly string[],
  { file, cassette }: Served,
  io: CommandIo,
  { timeoutMs, isCpu = false, baton = createBaton(1), name }: RunSettings = {},
): Promise<BenchedRun> {
  const problems: string[] = [];
  const shelf = createShelf([{ file, cassette, names: [file] }], { warn: () => undefined });
  const handling = { nameOf: () => file, streaming: { streaming: "whole", speed: 1 } } as const;
  const runner = baton.join();
  const { handler, watch, spent, onStart } = measured(serveHandler(shelf, notedIn(problems), handling), runner);
  const quietly: Quietly | undefined = timeoutMs === undefined ? undefined : { timeoutMs, ...(isCpu && { onStart }) };
  let began: number;
  let end: ChildEnd;
  try {
    const server = await listen(handler, { port: 0, onRefused: (_, why) => problems.push(why) });
    const env = { ...PLACEHOLDER_KEYS, ...io.env, ...clientSettings(server.url) };
    began = wall();
    end = await runChild(command, { cwd: io.cwd, env, stdoutToStderr: true, ...(quietly && { quietly }) }).finally(
      () => {
        runner.leave();
        return server.close();
      },
    );
  } finally {
    runner.leave();
  }
  const problem = problems[0] ?? problemOf(end, shelf, timeoutMs);
  if (problem !== undefined) throw failed(command, problem, file, name);
  const { firstAt = began, pauses } = watch;
  if (pauses.length === 0)
    throw failed(command, "it made only one request, so there is no turn after an answer to measure", file, name);
  if (quietly === undefined || !isCpu) return { start: firstAt - began, pauses: [...pauses] };
  const own = spent();
  if (own === undefined) throw noProcessorTime();
  if (own.every((time) => time === 0)) throw unknownTime(command, file);
  return { start: firstAt - began, pauses: own };
}

const { wall } = processMeter();

/** Notes when requests come in and answers are given, and the processor time of the command between two answers. */
function measured(serve: HttpHandler, runner: Runner) {
  const watch = createOutsideWatch(wall);
  const times: number[] = [];
  let timeOf: (() => number) | undefined;
  // The answer counts as given when the handler is done. A streamed body is written after that, in one piece.
  const handler: HttpHandler = async (request) => {
    watch.enter();
    runner.give();
    try {
      const reply = await serve(request);
      await runner.take();
      // The command waits for its answer, so its processor time since the last one is complete.
      if (timeOf !== undefined) times.push(timeOf());
      return reply;
    } finally {
      watch.leave();
    }
  };
  return {
    handler,
    watch,
    onStart: (pid: number): void => void (timeOf = sessionTime(pid)),
    /** Undefined if the system does not report it. */
    spent: (): number[] | undefined => timeOf && times.slice(1).map((time, at) => time - (times[at] as number)),
  };
}

function problemOf({ exitCode, isTimedOut }: ChildEnd, shelf: Shelf, timeoutMs = 0): string | undefined {
  if (isTimedOut) return `it took longer than ${(timeoutMs / 1000).toFixed(1)} s and was ended`;
  if (exitCode !== 0) return `it exited with ${exitCode}`;
  const { turns, used } = shelf.counts()[0] ?? { turns: 0, used: 0 };
  return used < turns ? `it used ${used} of ${count(turns, "turn")}` : undefined;
}

/** For `--cpu` on a system that does not report the time. */
export function noProcessorTime(): CliError {
  return usageError(
    "--cpu cannot be used: this system does not report the processor time of a process",
    "Leave out --cpu.",
  );
}

function notedIn(problems: string[]): ServeWatcher {
  const ignore = (): void => undefined;
  return {
    answered: ignore,
    // The command shows the whole miss.
    missed: ({ message }) => void problems.push(message.split("\n", 1)[0] ?? ""),
    passed: ignore,
    refused: ({ method, path }, why) => void problems.push(`${method} ${path}: ${why}`),
    noted: ignore,
    forgot: ignore,
  };
}

function failed(command: readonly string[], why: string, file: string, run?: string): CliError {
  const what = `the command ${JSON.stringify(command.join(" "))} cannot be measured: ${run === undefined ? "" : `in ${run}, `}${why}`;
  const again = run === undefined ? "" : " It passed before, so run it several times. serve shows its output.";
  const hint = `Make it pass with npx playhead serve <file> -- <command> first.${again}`;
  return new CliError("baseline-failed", what, hint, file);
}

/** Only the processes of the command's session are measured. */
function unknownTime(command: readonly string[], file: string): CliError {
  const what = `the processor time of ${JSON.stringify(command.join(" "))} is unknown: a process of another session makes its requests`;
  const hint = "Leave out --cpu, or start the command without setsid.";
  return new CliError("baseline-failed", what, hint, file);
}
