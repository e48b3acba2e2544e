// What our server does besides for a coding agent: it scans the files before each turn, and judges encrypted connections.

import { wireOf } from "../../core/index.js";
import type { DoorRequest } from "../../harness/index.js";
import type { HttpHandler, TunnelRule } from "../../host/index.js";
import type { AgentSession } from "./session.js";

/** Scans the working folder before a turn is answered: the tools of the turn before have run by then. */
export function lookingFirst({ workspace }: AgentSession, handler: HttpHandler): HttpHandler {
  return async (request) => {
    if (wireOf(request) !== undefined) await workspace.look();
    return handler(request);
  };
}

/** Refuses the hosts of model vendors, and calls `passed` for any other but our server. */
export function tunnelRule(
  { isProvider, isDoor, name }: AgentSession,
  passed: (request: DoorRequest) => void,
): TunnelRule {
  return (host, port) => {
    if (isProvider(host))
      return `${name} called ${host} past this server. Let it read its base URL from its configuration`;
    if (!isDoor(host, port)) passed({ method: "CONNECT", path: `${host}:${port}` });
    return undefined;
  };
}
