// The sweep as a fault of the bench.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { breakStore } from "./broken.mjs";
import { postgresStores, sqliteStores } from "./stores.mjs";
import { sweep } from "./sweep.mjs";

export const operations = {
  name: "operations",
  engines: ["sqlite", "postgres"],
  break: "torn",
  async run({ engine, servers, folder, broken, flows }) {
    mkdirSync(folder, { recursive: true });
    const stores = await (engine === "sqlite" ? sqliteStores(folder) : postgresStores(servers.postgres));
    try {
      const terms = { flows, breakHost: (host) => breakStore(host, broken), stopAtFirst: broken !== undefined };
      const found = await sweep(stores, terms);
      const note = Object.entries(found.flows).map(([flow, points]) => `${flow} ${points}`);
      return { ...found, rounds: 1, note: note.join(", ") };
    } finally {
      await stores.close();
    }
  },
};
