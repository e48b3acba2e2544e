// A port of 127.0.0.1 that nothing listens on.

import { createServer } from "node:net";

/** Below the ports that systems give to connections: one of those could take the port while the server is down. */
const [FIRST_PORT, PORTS, PORTS_OF_PROCESS] = [10_000, 20_000, 64];
let tried = 0;

/** Each process begins at another port. */
export async function freePort() {
  for (;;) {
    const port = FIRST_PORT + ((process.pid * PORTS_OF_PROCESS + tried++) % PORTS);
    const probe = createServer();
    const isFree = await new Promise((resolve) => {
      probe.once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
