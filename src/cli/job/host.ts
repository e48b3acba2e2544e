// The parts of the host that a job uses. They are loaded only for a job.

export { openSharedQueue, sqliteFleetStore } from "../../host/index.js";
