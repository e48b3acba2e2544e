// `playhead/session-store/file`: sessions in a folder. Every public name of this door is listed here by hand.

export { FileSessionStore } from "../host/index.js";
