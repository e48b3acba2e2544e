// Starts a server, with clear messages for the system's errors.

import { serveHttp, type HttpHandler, type HttpServer, type HttpServerOptions } from "../../host/index.js";
import { CliError } from "../errors.js";

interface ListenOptions extends Pick<HttpServerOptions, "onRefused"> {
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
    const why = code === "EADDRINUSE" ? "another program uses it" : message;
    const hint = "Choose another port with --port. 0 chooses a free one.";
    throw new CliError("cannot-listen", `cannot listen on ${host} port ${port}: ${why}`, hint);
  }
}
