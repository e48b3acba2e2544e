// An HTTP server on 127.0.0.1 that counts its requests.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface LoopbackServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Requests answered so far. */
  readonly requests: () => number;
  /** Stops listening and drops every connection. */
  readonly close: () => Promise<void>;
}

export type Answer = (path: string, body: string) => { status: number; body: string };

export async function serveLoopback(answer: Answer): Promise<LoopbackServer> {
  let count = 0;
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      count++;
      const { status, body } = answer(request.url ?? "/", text);
      response.writeHead(status, { "content-type": body.startsWith("{") ? "application/json" : "text/plain" });
      response.end(body);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk as string;
  return text;
}
