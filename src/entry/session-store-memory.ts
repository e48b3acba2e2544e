// `playhead/session-store/memory`: sessions in this process. Every public name of this door is listed here by hand.

export { MemorySessionStore } from "../core/session/index.js";
