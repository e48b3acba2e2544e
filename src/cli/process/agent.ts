// `cassette agent`: the process around an agent. It owns standard input and output, the signals, and the cassette.

import { resolve } from "node:path";
import { defined, type JsonObject } from "../../core/index.js";
import { PlumbError, readSchedule, type AgentSchedule } from "../../core/process/index.js";
import { createUseCassette, type CassetteHandle } from "../../harness/index.js";
import {
  agentProvider,
  createReporter,
  openWire,
  readAgentSpec,
  readTools,
  runAgentProcess,
  wireTools,
  type AgentProcessEnd,
  type LoadedSpec,
} from "../../host/process/index.js";
import { toFailure } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { watchLifeline } from "./lifeline.js";
import { ownStdout } from "./own-stdout.js";
import { takeSignals } from "./signals.js";

export interface AgentFlags {
  readonly cassette?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly telemetry?: boolean;
}

/** Sets the exit code of the process. Every failure is a line of JSON on standard error. */
export async function runAgent(path: string, flags: AgentFlags, io: CommandIo): Promise<void> {
  const { env } = io;
  const output = ownStdout((text) =>
    io.stderr(`${JSON.stringify({ log: "warn", event: "stray_output", message: text })}\n`),
  );
  const reporter = createReporter(io.stderr);
  const warn = (text: string): void => reporter.warn(text);
  try {
    const loaded = await readAgentSpec(
      resolve(io.cwd, path),
      env,
      defined({ provider: flags.provider, model: flags.model }),
    );
    const offered = await readTools(loaded, env);
    const handle = await openCassette(loaded, flags, io, warn);
    const schedule = handle && scheduleOf(handle);
    const provider = handle === undefined ? agentProvider(loaded, env, warn) : handle.provider;
    const signals = takeSignals();
    const lifeline = watchLifeline(env["PLAYHEAD_LIFELINE_FD"], () => signals.abort(parentGone()));
    const wire = await openWire(loaded, {
      ...{ env, reporter, signal: signals.signal },
      streams: { input: process.stdin, output },
      hasTelemetry: flags.telemetry === true || env["PLUMB_TELEMETRY"] === "1",
    });
    const debug = env["PIPELINE_DEBUG"] === "1";
    const live = wireTools(offered, wire, reporter);
    const tools = handle === undefined ? live : handle.tools(live);
    const end = await runAgentProcess({
      ...{ loaded, provider, wire, reporter, tools, debug },
      ...defined({ schedule }),
      signal: signals.signal,
      stop: signals.stop,
    });
    lifeline.close();
    io.exit(signals.exitCode ?? end.exitCode);
    await closeCassette(handle, end, io);
  } catch (error) {
    reporter.error(error);
    io.exit(error instanceof PlumbError ? EXIT.failed : toFailure(error).exitCode);
  } finally {
    output.release();
  }
}

async function openCassette(
  loaded: LoadedSpec,
  { cassette }: AgentFlags,
  io: CommandIo,
  warn: (text: string) => void,
): Promise<CassetteHandle | undefined> {
  if (cassette === undefined) return undefined;
  const useCassette = createUseCassette({ files: filesAt(io), environment: io.env });
  return useCassette(cassette, () => agentProvider(loaded, io.env, warn), { agentId: loaded.spec.name });
}

/** The schedule to follow. Undefined for a live run, and for an older cassette without a schedule. */
function scheduleOf({ mode, extensions }: CassetteHandle): AgentSchedule | "record" | undefined {
  if (mode === "live") return undefined;
  if (mode !== "replay") return "record";
  const recorded = extensions?.["schedule"];
  return recorded === undefined ? undefined : readSchedule(recorded);
}

/** A process that was aborted leaves no recording. A miss was already reported with its message, so here it only sets the exit code. */
async function closeCassette(handle: CassetteHandle | undefined, end: AgentProcessEnd, io: CommandIo): Promise<void> {
  if (handle === undefined || end.reason === "aborted") return;
  const isFailed = end.error !== undefined;
  if (handle.mode === "replay" && isFailed) {
    await handle.done({ failed: true }).catch(() => io.exit(EXIT.drift));
    return;
  }
  const { schedule } = end;
  const extensions = schedule === undefined ? {} : { extensions: { schedule: schedule as unknown as JsonObject } };
  await handle.done(isFailed ? { failed: true, error: end.error, ...extensions } : extensions);
}

function parentGone(): PlumbError {
  return new PlumbError("parent-gone", "the process that started this agent has ended", "Start the agent again.");
}
