// Connection checks: requests by which a client finds out whether and how it reaches a server. They differ from run to run, so a door
// answers them alike in every run, and records none.

import type { DoorRequest } from "./tally.js";
import type { WireReply } from "./reply.js";

/** A request with the fields that tell a connection check. Header names are lower-case. */
export interface ProbeRequest extends DoorRequest {
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The answer to a connection check. Undefined for any other request. */
export function probeReply({ method, path, headers }: ProbeRequest): WireReply | undefined {
  // Claude Code asks this before its first turn.
  if (method === "HEAD" && path === "/") return reply(200, "");
  // Codex CLI tries a WebSocket first. After this status it uses HTTP at once, after others it tries five more times.
  const { upgrade } = headers;
  if (typeof upgrade === "string" && /^websocket$/i.test(upgrade)) return reply(426, "This server speaks HTTP only.\n");
  return undefined;
}

function reply(status: number, body: string): WireReply {
  return { status, headers: { "content-type": "text/plain" }, body };
}
