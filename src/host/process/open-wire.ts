// Opens the streams of an agent: over ZeroMQ if the environment has addresses, else over standard input and output.

import { withSystemPorts } from "../../core/index.js";
import type { Reporter } from "./reporter.js";
import type { Environment, LoadedSpec } from "./spec-file.js";
import { openStdio, type StdioStreams } from "./stdio.js";
import type { AgentWire } from "./wire.js";
import { readEndpoints, requireTools } from "./zmq/endpoint.js";
import { openZmq } from "./zmq/wire.js";

export interface OpenWireOptions {
  readonly env: Environment;
  readonly streams: StdioStreams;
  readonly reporter: Reporter;
  /** Counts only on standard streams. With ZeroMQ, telemetry has an address. */
  readonly hasTelemetry: boolean;
  /** Aborts the agent. */
  readonly signal: AbortSignal;
}

/** Rejects with `PlumbError` `endpoint-invalid` or `AgentError` `capability-missing`. */
export async function openWire({ spec }: LoadedSpec, options: OpenWireOptions): Promise<AgentWire> {
  const { env, streams, reporter, hasTelemetry, signal } = options;
  const endpoints = readEndpoints(env);
  const hasTools = (spec.tools ?? []).length > 0;
  if (endpoints !== undefined && hasTools) requireTools(endpoints);
  if (endpoints !== undefined) return openZmq({ name: spec.name, env, endpoints, signal, ports: withSystemPorts() });
  const side = [
    ...(spec.control === true ? (["ctrl_in", "ctrl_out"] as const) : []),
    ...(hasTelemetry ? (["telemetry"] as const) : []),
    ...(hasTools ? (["tool_req", "tool_resp"] as const) : []),
  ];
  return openStdio(streams, { side, warn: (text) => reporter.warn(text) });
}
