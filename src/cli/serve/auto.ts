// `serve --auto`: answers what the cassettes hold, and forwards and records the rest.

import { wireOf, type HeldConversations } from "../../core/index.js";
import { refusalReply, refuseContinuation, type DoorRequest } from "../../harness/index.js";
import type { HttpHandler, HttpReply, HttpRequest } from "../../host/index.js";
import { createBegunConversations } from "./begun.js";
import type { AnsweredFrom, ServeWatcher } from "./handler.js";

/** For a request that continues a thread of a cassette with new words. It follows the method and the path. */
const SENT_AGAIN =
  "continues a thread that a cassette answered. The client now sends the whole conversation: nothing to do.";

export interface AutoHandling {
  /** Makes the handler that answers from cassettes. */
  readonly serve: (watcher: ServeWatcher) => HttpHandler;
  /** The conversations that the cassettes answered. The vendor does not know their ids. */
  readonly held: HeldConversations;
  /** The handler of a recording proxy. */
  readonly record: HttpHandler;
  readonly watcher: ServeWatcher;
  /** Called for each request that is forwarded. `why` is the miss, if there is one. */
  readonly forwarded: (request: DoorRequest, why?: string) => void;
}

/**
 * Every request without a recorded answer goes to the proxy, even one that the server would refuse. The exception is a request that
 * continues an answer of a cassette by its id, or its conversation.
 */
export function autoHandler({ serve, held, record, watcher, forwarded }: AutoHandling): HttpHandler {
  const known = new WeakMap<DoorRequest, AnsweredFrom>();
  const misses = new WeakMap<DoorRequest, string>();
  const conversations = createBegunConversations(record);
  const serveKnown = serve({
    answered(request, from) {
      known.set(request, from);
      watcher.answered(request, from);
    },
    missed: ({ message }, request) => void misses.set(request, message.split("\n", 1)[0] ?? ""),
    passed: () => undefined,
    refused: (request, why) => (request.code === "failed" ? watcher.refused(request, why) : undefined),
    noted: () => undefined,
    forgot: (why) => watcher.forgot(why),
  });
  return async (request) => {
    const body = await request.readBody();
    const again: HttpRequest = { ...request, readBody: () => Promise.resolve(body) };
    const bytes = body.kind === "read" ? body.bytes : new Uint8Array();
    const conversation = conversations.find(request, bytes);
    const send = (why = misses.get(again)): Promise<HttpReply> => {
      forwarded(request, why);
      return conversation === undefined || conversation.kind === "recorded"
        ? record(again)
        : conversation.send(again, bytes);
    };
    if (conversation?.kind === "live") return send("the vendor began its conversation");
    const reply = await serveKnown(again);
    const from = known.get(again);
    if (from === "begun") conversations.keep(again, reply);
    else if (from !== undefined) conversation?.answered();
    if (from !== undefined) return reply;
    if (conversation?.kind === "open") return send();
    const wire = wireOf(request);
    const refused = wire && refuseContinuation(wire, bytes, held);
    if (refused !== undefined) {
      const { method, path } = request;
      const { status, code, message } = refused.held;
      if (refused.isRecoverable) watcher.noted(`${method} ${path} ${SENT_AGAIN}`);
      else watcher.refused({ method, path, status, code }, message);
      return refusalReply(refused.held, wire);
    }
    return send();
  };
}
