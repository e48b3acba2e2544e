// `playhead/fast-check`: arbitraries of what agents, models and tools exchange, and laws to hold tools, providers and functions of
// one's own to. A door of its own, since it needs the optional peer fast-check.

export * from "../harness/arbitraries/index.js";
export * from "../harness/properties/index.js";
