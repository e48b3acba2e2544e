// `playhead/plugins`: plugins for agents of `playhead/session`. Every public name of this door is listed here by hand.

import { definePlugin, type AgentPlugin } from "../core/session/index.js";
import { FileSessionStore } from "../host/index.js";

export { compaction, definePlugin, memory } from "../core/session/index.js";

/** Plugins that decide where sessions are kept. `file(folder)`: in a folder, as snapshots. */
export const sessions = {
  file(folder: string): AgentPlugin {
    const store = new FileSessionStore(folder);
    return definePlugin({ name: "sessions.file", setup: (host) => host.registerSessionStore(store) });
  },
};
