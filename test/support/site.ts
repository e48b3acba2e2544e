// A loopback server for one test, and the verbs as a tool's own code calls them.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInMemoryRuntimeMemory } from "../../src/core/memory/memory.js";
import { openRunScope } from "../../src/core/memory/run-memory.js";
import type { JsonObject } from "../../src/core/canon/value.js";
import type { VerbBodies, VerbName } from "../../src/core/tools/verbs.js";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface Site {
  /** Without a final slash. */
  readonly url: string;
  readonly port: number;
  /** `METHOD path` of each request, in order. */
  readonly asked: readonly string[];
  readonly requests: readonly IncomingMessage[];
  close(): Promise<void>;
}

export async function startSite(answer: Answer): Promise<Site> {
  const requests: IncomingMessage[] = [];
  const asked: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    asked.push(`${request.method ?? ""} ${request.url ?? ""}`);
    response.on("error", () => undefined);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers by path. An unknown path gets 404. A text is sent as HTML. */
export function pages(table: Readonly<Record<string, string | Answer>>): Answer {
  return (request, response) => {
    const page = table[request.url ?? ""];
    if (typeof page === "function") return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html" }).end(page ?? "gone");
  };
}

/** One verb, called with its own context. */
export function useVerb(
  verbs: VerbBodies,
  name: VerbName,
  args: object,
  signal: AbortSignal = new AbortController().signal,
): Promise<Record<string, unknown>> {
  const memory = openRunScope(createInMemoryRuntimeMemory(), "run").viewOf("ann");
  const context = { signal, agentId: "ann", memory };
  return Promise.resolve(verbs[name](args as JsonObject, context)) as Promise<Record<string, unknown>>;
}
