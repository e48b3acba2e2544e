// Starts a server, and explains why the system refuses to.

import { serveHttp, type HttpHandler, type HttpServer, type HttpServerOptions } from "../../host/index.js";
import { CliError } from "../errors.js";

/** Where to listen. */
export interface ListenOptions extends Pick<HttpServerOptions, "onRefused"> {
  port: number;
  host?: string;
}

/** Throws `cannot-listen`. */
export async function listen(
  handler: HttpHandler,
  { port, host = "127.0.0.1", ...watched }: ListenOptions,
): Promise<HttpServer> {
  try {
    return await serveHttp(handler, { port, host, ...watched });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "another process listens there" : message;
    const hint = "Choose another port with --port; 0 takes any that is free.";
    throw new CliError("cannot-listen", `cannot listen on ${host} port ${port}: ${why}`, hint);
  }
}

/** The time in which further signals count as echoes of the first: terminals and supervisors send several. */
const ECHO_MS = 2000;

/** A wait that can be ended. */
export interface Stop {
  readonly stopped: Promise<void>;
  /** Ends the wait, and lets signals end the process again. */
  readonly now: () => void;
}

/** Resolves at the first SIGINT, SIGTERM or SIGHUP. Echoes are ignored. A signal after {@link ECHO_MS} ends the process at once. */
export function untilSignal(): Stop {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let resolve: () => void = () => undefined;
  const stopped = new Promise<void>((settle) => (resolve = settle));
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    firstAt ??= Date.now();
    resolve();
    if (Date.now() - firstAt <= ECHO_MS) return;
    now();
    process.kill(process.pid, signal);
  };
  const now = (): void => {
    for (const signal of signals) process.off(signal, onSignal);
    resolve();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return { stopped, now };
}
