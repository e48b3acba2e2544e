// `serve --auto`: answers what the cassettes hold, and forwards and records the rest.

import type { DoorRequest } from "../../harness/index.js";
import type { HttpHandler, HttpRequest } from "../../host/index.js";
import type { ServeWatcher } from "./handler.js";

interface AutoHandling {
  /** Makes the handler that answers from cassettes. */
  readonly serve: (watcher: ServeWatcher) => HttpHandler;
  /** The handler of a recording proxy. */
  readonly record: HttpHandler;
  readonly watcher: ServeWatcher;
  /** Called for each request that is forwarded. `why` is the miss, if there is one. */
  readonly forwarded: (request: DoorRequest, why?: string) => void;
}

/** Every request without a recorded answer goes to the proxy, even one that the server would refuse. */
export function autoHandler({ serve, record, watcher, forwarded }: AutoHandling): HttpHandler {
  const known = new WeakSet<DoorRequest>();
  const misses = new WeakMap<DoorRequest, string>();
  const serveKnown = serve({
    answered(request, from) {
      known.add(request);
      watcher.answered(request, from);
    },
    missed: ({ message }, request) => void misses.set(request, message.split("\n", 1)[0] ?? ""),
    passed: () => undefined,
    refused: (request, why) => (request.code === "failed" ? watcher.refused(request, why) : undefined),
    noted: () => undefined,
  });
  return async (request) => {
    const body = await request.readBody();
    const again: HttpRequest = { ...request, readBody: () => Promise.resolve(body) };
    const reply = await serveKnown(again);
    if (known.has(again)) return reply;
    forwarded(request, misses.get(again));
    return record(again);
  };
}
