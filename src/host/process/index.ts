// The door of the room of agent processes.

export { runAgentProcess } from "./agent/agent.js";
export type { AgentProcessEnd, AgentProcessOptions } from "./agent/options.js";
export { agentProvider } from "./provider.js";
export { createReporter, type Reporter } from "./reporter.js";
export { readAgentSpec, readTools, type Environment, type LoadedSpec, type SpecOverrides } from "./spec-file.js";
export { openWire, type OpenWireOptions } from "./open-wire.js";
export { wireTools } from "./tool-wire.js";
export type { AgentWire, WireEvent } from "./wire.js";
export { runFabric, type FabricEnd, type RunningFabric } from "./fabric/fabric.js";
export type { AgentControl } from "./fabric/control.js";
export { observe, type FabricAgent, type FabricGraph, type Wire } from "./fabric/graph.js";
export type { FabricOptions, FabricSchedule } from "./fabric/options.js";
