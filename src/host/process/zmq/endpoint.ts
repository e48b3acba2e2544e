// Addresses of ZeroMQ. Anyone who can reach one can read or send messages, so only private addresses may have no keys.

import { PlumbError, type PortName } from "../../../core/process/index.js";
import { MAX_IPC_PATH_BYTES } from "../../limits.js";
import type { Environment } from "../spec-file.js";

/** The variables with the addresses of the streams. */
export const ENDPOINT_VARIABLES: Readonly<Record<PortName, string>> = {
  data_in: "PLUMB_ENDPOINT_INPUT",
  data_out: "PLUMB_ENDPOINT_OUTPUT",
  ctrl_in: "PLUMB_ENDPOINT_CTRL_IN",
  ctrl_out: "PLUMB_ENDPOINT_CTRL_OUT",
  telemetry: "PLUMB_ENDPOINT_TELEMETRY",
  tool_req: "PLUMB_ENDPOINT_TOOL_REQ",
  tool_resp: "PLUMB_ENDPOINT_TOOL_RESP",
};

export type Endpoints = ReadonlyMap<PortName, string>;

/** The addresses in an environment. Undefined for standard streams. Throws `PlumbError` `endpoint-invalid`. */
export function readEndpoints(env: Environment): Endpoints | undefined {
  if ((env[ENDPOINT_VARIABLES.data_in] ?? "") === "") return undefined;
  const found = new Map<PortName, string>();
  for (const [port, variable] of Object.entries(ENDPOINT_VARIABLES) as [PortName, string][]) {
    const address = env[variable] ?? "";
    if (address !== "") found.set(port, address);
  }
  requirePort(found, "data_out", "data_in");
  if (found.has("tool_req")) requirePort(found, "tool_resp", "tool_req");
  if (found.has("tool_resp")) requirePort(found, "tool_req", "tool_resp");
  return found;
}

/** Throws `PlumbError` `endpoint-invalid` unless both streams of tools have an address. */
export function requireTools(found: Endpoints): void {
  for (const port of ["tool_req", "tool_resp"] as const) {
    if (found.has(port)) continue;
    const variable = ENDPOINT_VARIABLES[port];
    throw invalid(`the spec has tools, but ${variable} is not set`, `Set ${variable} too.`);
  }
}

function requirePort(found: Endpoints, port: PortName, by: PortName): void {
  if (found.has(port)) return;
  const variable = ENDPOINT_VARIABLES[port];
  throw invalid(`${ENDPOINT_VARIABLES[by]} is set, but ${variable} is not`, `Set ${variable} too.`);
}

/** Throws `PlumbError` `endpoint-invalid` for an address that cannot be used, or that needs keys and has none. */
export function checkEndpoint(address: string, hasKeys: boolean): void {
  const shown = JSON.stringify(address);
  if (address.startsWith("ipc://")) {
    const path = address.slice("ipc://".length);
    const bytes = Buffer.byteLength(path);
    // Every local user can reach an abstract name, which begins with @.
    if (path === "" || path.startsWith("@") || path.includes("*"))
      throw invalid(`${shown} is not the path of a socket`, "Use ipc:// and the path of a socket in a private folder.");
    if (bytes > MAX_IPC_PATH_BYTES)
      throw invalid(`the path of ${shown} has ${bytes} bytes`, `Use at most ${MAX_IPC_PATH_BYTES} bytes.`);
    return;
  }
  const { host = "", port = "" } =
    /^tcp:\/\/(?<host>\[[0-9a-fA-F:.]+\]|[^:/*]+):(?<port>\d{1,5})$/.exec(address)?.groups ?? {};
  if (host === "" || Number(port) < 1 || Number(port) > 65_535)
    throw invalid(`${shown} is not an address`, "Use ipc://PATH or tcp://HOST:PORT, without wildcards.");
  if (hasKeys || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host)) return;
  const hint = "Set PLUMB_CURVE_PUBLIC, PLUMB_CURVE_SECRET and PLUMB_CURVE_PEER, or use 127.0.0.1.";
  throw invalid(`other machines can reach ${shown}, and it has no keys`, hint);
}

export function invalid(what: string, hint: string, cause?: unknown): PlumbError {
  return new PlumbError("endpoint-invalid", what, hint, cause === undefined ? {} : { cause });
}
