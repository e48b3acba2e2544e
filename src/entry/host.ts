// `playhead/host`: everything that needs a disk, a socket or a schedule. Every public name of this door is listed here by hand.

export {
  createFleet,
  createNodeEnv,
  createPluck,
  createPromptFiles,
  createVerbs,
  openFileStorage,
  openJsonLines,
  openSqliteExecutionHost,
  openSqliteMemory,
  VerbError,
  type DurableHost,
  type FileStorage,
  type Fleet,
  type FleetOptions,
  type FleetResult,
  type NodeEnv,
} from "../host/index.js";
