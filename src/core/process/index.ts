// The door of the room of agent processes. Only the entries of this face and the rooms of its host open it.

export { PlumbError, type PlumbErrorCode } from "./errors.js";
export { EOF, FLOW_MARKER, NODE_NAME, type WireItem } from "./wire/item.js";
export { IN_PORTS, OUT_PORTS, type InPort, type OutPort, type PortName } from "./wire/ports.js";
export { decodeFrame, encodeFrame } from "./wire/frame.js";
export { decodeLine, decodePlainLine, encodeLine, encodePlainLine, type Addressed } from "./wire/line.js";
export { extendTrace } from "./wire/payload.js";
export { layOut, type GraphShape, type Layout, type ShapeWire } from "./fabric/graph.js";
export { Network, type MergeOrder } from "./fabric/network.js";
export { Flow } from "./fabric/flow.js";
export { readSpec, type AgentSpec, type ProviderName } from "./agent/spec.js";
export { Conversation, type ConversationOptions, type MemoryDump, type MemorySet } from "./agent/conversation.js";
export type { Answer } from "./agent/ask.js";
export { isReached, readSchedule, type AgentSchedule, type ControlPoint, type RunPlace } from "./agent/schedule.js";
export { ControlDesk } from "./agent/desk.js";
export type { ControlMessage } from "./agent/control.js";
export type { TelemetryEvent } from "./agent/telemetry.js";
export type { PromptDocument, RuntimeFigures } from "./agent/system-prompt.js";
export { createInputCheck } from "./agent/input.js";
export { readToolList, type OfferedTool } from "./tools/list.js";
export { ToolHost } from "./tools/host.js";
