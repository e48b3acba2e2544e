// `playhead/host`: everything that needs a disk, a socket or a schedule. Every public name of this door is listed here by hand.

export {
  createFleet,
  createPluck,
  createPromptFiles,
  createVerbs,
  MAX_MEMORY_NAME_CHARACTERS,
  MAX_MEMORY_VALUE_CHARACTERS,
  openJsonLines,
  openSqliteMemory,
  VerbError,
  type Fleet,
  type FleetOptions,
  type FleetResult,
  type PromptFilesOptions,
  type VerbsOptions,
} from "../host/index.js";
