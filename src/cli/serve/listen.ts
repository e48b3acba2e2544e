// Starts a server, explains why the system refuses to, and waits for the end: a signal, or the end of the command.

import { serveHttp, type HttpHandler, type HttpServer, type HttpServerOptions } from "../../host/index.js";
import { ENDING_SIGNALS, runChild } from "../child/spawn.js";
import { CliError } from "../errors.js";
import { SIGNAL_ECHO_MS } from "../limits.js";
import type { CommandIo } from "../terminal/io.js";

/** Throws `cannot-listen`. */
export async function listen(
  handler: HttpHandler,
  {
    port,
    host = "127.0.0.1",
    ...watched
  }: { port: number; host?: string } & Pick<HttpServerOptions, "onRefused" | "tunnel">,
): Promise<HttpServer> {
  try {
    return await serveHttp(handler, { port, host, ...watched });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "another process listens there" : message;
    const isPort = code === "EADDRINUSE" || code === "EACCES";
    const hint = isPort ? "Choose another port with --port; 0 takes any that is free." : "Choose another --host.";
    throw new CliError("cannot-listen", `cannot listen on ${host} port ${port}: ${why}`, hint);
  }
}

export interface Stop {
  readonly stopped: Promise<void>;
  /** Ends the wait, and lets signals end the process again. After a signal, its echoes are still ignored. */
  readonly now: () => void;
}

/** Resolves at the first SIGINT, SIGTERM or SIGHUP. Echoes are ignored. A signal after {@link SIGNAL_ECHO_MS} ends the process at once. */
export function untilSignal(): Stop {
  let resolve: () => void = () => undefined;
  const stopped = new Promise<void>((settle) => (resolve = settle));
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    firstAt ??= Date.now();
    resolve();
    if (Date.now() - firstAt <= SIGNAL_ECHO_MS) return;
    unlisten();
    process.kill(process.pid, signal);
  };
  const unlisten = (): void => {
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
  };
  const now = (): void => {
    if (firstAt === undefined) unlisten();
    resolve();
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  return { stopped, now };
}

/** Waits for the end of the command, or of `stop` without one. Resolves to the exit code of the command, or 0. */
export async function untilOver(
  { command, json = false }: { command?: readonly string[]; json?: boolean },
  { io, env, stop }: { io: CommandIo; env: CommandIo["env"]; stop: Stop },
): Promise<number> {
  if (command !== undefined) return (await runChild(command, { cwd: io.cwd, env, stdoutToStderr: json })).exitCode;
  await stop.stopped;
  return 0;
}
