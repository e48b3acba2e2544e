// Connection checks: requests by which a client finds out whether and how it reaches a server. They differ from run to run, so a door
// answers them alike in every run, and records none.

import { wireOf } from "../../core/index.js";
import type { DoorRequest } from "./tally.js";
import type { WireReply } from "./reply.js";

/** A request with the fields that tell a connection check. Header names are lower-case. */
export interface ProbeRequest extends DoorRequest {
  readonly headers: Readonly<Record<string, unknown>>;
}

interface Probe {
  /** The request in the words of docs/serve.md. */
  readonly request: string;
  readonly matches: (request: ProbeRequest) => boolean;
  readonly reply: WireReply;
}

const TEXT = { "content-type": "text/plain" };

export const PROBES: readonly Probe[] = [
  {
    request: "`HEAD /`",
    matches: ({ method, path }) => method === "HEAD" && path === "/",
    reply: { status: 200, headers: TEXT, body: "" },
  },
  {
    request: "a WebSocket to the path of a turn",
    // Elsewhere, the WebSocket would be the only way, so its refusal is not a success.
    matches: ({ path, headers: { upgrade } }) =>
      typeof upgrade === "string" && /^websocket$/i.test(upgrade) && wireOf({ method: "POST", path }) !== undefined,
    // RFC 9110 §15.5.22 requires the protocol to use instead.
    reply: {
      status: 426,
      headers: { ...TEXT, upgrade: "HTTP/1.1", connection: "Upgrade" },
      body: "This server speaks HTTP only.\n",
    },
  },
];

/** The answer to a connection check. Undefined for any other request. */
export function probeReply(request: ProbeRequest): WireReply | undefined {
  return PROBES.find(({ matches }) => matches(request))?.reply;
}
