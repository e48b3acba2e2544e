// The seven streams of an agent process.

export type InPort = "data_in" | "ctrl_in" | "tool_resp";
export type OutPort = "data_out" | "ctrl_out" | "telemetry" | "tool_req";
export type PortName = InPort | OutPort;

export const IN_PORTS: readonly InPort[] = ["data_in", "ctrl_in", "tool_resp"];
export const OUT_PORTS: readonly OutPort[] = ["data_out", "ctrl_out", "telemetry", "tool_req"];

export function isPort(name: unknown): name is PortName {
  return ([...IN_PORTS, ...OUT_PORTS] as unknown[]).includes(name);
}
