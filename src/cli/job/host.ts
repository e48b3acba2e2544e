// What a job uses of the host. It is loaded only for a job.

export { openSharedQueue, sqliteFleetStore } from "../../host/index.js";
