// The door of the host: what owns a disk, a process, a socket or a schedule.

export { nodeFiles } from "./files.js";
