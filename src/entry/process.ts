// `playhead/process`: an agent as a process, and the fabric that wires several. Every public name of this door is listed here by hand; see
// docs/process.md.

export { PlumbError, type ControlMessage, type PlumbErrorCode } from "../core/process/index.js";
export {
  observe,
  runFabric,
  type AgentControl,
  type FabricAgent,
  type FabricEnd,
  type FabricGraph,
  type FabricOptions,
  type FabricSchedule,
  type RunningFabric,
  type Wire,
} from "../host/process/index.js";
