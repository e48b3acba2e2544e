// `playhead/host`: everything that needs a disk, a socket or a schedule. Every public name of this door is listed here by hand.

export {
  createFleet,
  createNodeEnv,
  createPluck,
  createPromptFiles,
  createVerbs,
  MAX_MEMORY_NAME_CHARACTERS,
  MAX_MEMORY_VALUE_CHARACTERS,
  openFileStorage,
  openJsonLines,
  openSqliteMemory,
  VerbError,
  type FileStorage,
  type Fleet,
  type FleetOptions,
  type FleetResult,
  type NodeEnv,
  type VerbsOptions,
} from "../host/index.js";
