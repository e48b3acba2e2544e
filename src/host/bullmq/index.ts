// The door of the room. `src/entry/bullmq.ts` alone opens it.

export type { DeliveryQueue } from "../durable/queue.js";
export { bullmqScheduler, type BullmqSchedulerOptions } from "./scheduler.js";
