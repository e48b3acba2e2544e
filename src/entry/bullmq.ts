// `playhead/bullmq`: a queue on Redis for the workers of a durable host. Every public name of this door is listed here by hand; see
// docs/host.md.

export { bullmqScheduler, type BullmqSchedulerOptions, type DeliveryQueue } from "../host/bullmq/index.js";
