// A network splits: a proxy cuts one process off from PostgreSQL, by reset or by dropping what is sent. The others take
// its runs over, and it writes nothing that they do not expect.

import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createProcesses, settle, until } from "./processes.mjs";

const LEASE_MS = 4_000;
/** Longer than a lease and a sweep. */
const CUT_MS = 12_000;

export const partition = {
  name: "partition",
  engines: ["postgres"],
  break: "early",
  async run({ place, ledger, rounds, broken, servers }) {
    const proxy = await openProxy(servers.postgres.port);
    const processes = createProcesses(place, ledger);
    const count = Math.min(rounds, 2);
    try {
      const host = { leaseMs: LEASE_MS };
      const url = place.url.replace(String(servers.postgres.port), String(proxy.port));
      const cutOff = processes.start("desk", { host, broken, url, modelMs: 50, everyMs: 60 });
      const others = [0, 1].map(() => processes.start("desk", { host, broken, modelMs: 50, everyMs: 60 }));
      for (const each of [cutOff, ...others]) await each.hears("ready");
      for (let round = 0; round < count; round++) {
        const enough = processes.lines().length + 30;
        await until(() => processes.lines().length > enough);
        proxy.cut(round % 2 === 0 ? "reset" : "drop");
        await sleep(CUT_MS);
        proxy.mend();
      }
      await sleep(3_000);
      await processes.killAll();
      const found = await settle(place, processes);
      return { rounds: count, points: count, ...found, note: `${found.acknowledged} acknowledged` };
    } finally {
      await processes.killAll();
      proxy.close();
    }
  },
};

/** A proxy that refuses connections, or accepts them and swallows everything. */
async function openProxy(port) {
  const pairs = new Set();
  let state = "open";
  const server = createServer((client) => {
    client.on("error", () => undefined);
    if (state === "reset") {
      client.resetAndDestroy();
      return;
    }
    const server = connect(port, "127.0.0.1");
    server.on("error", () => undefined);
    pairs.add([client, server]);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ]) {
      from.on("data", (bytes) => void (state === "drop" || to.write(bytes)));
      from.on("close", () => void (state === "drop" || to.destroy()));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endAll = () => {
    for (const [client, other] of pairs) {
      client.resetAndDestroy();
      other.destroy();
    }
    pairs.clear();
  };
  return {
    port: server.address().port,
    cut(how) {
      state = how;
      if (how === "reset") endAll();
    },
    mend() {
      // A network that is back does not deliver what it has dropped.
      if (state === "drop") endAll();
      state = "open";
    },
    close() {
      endAll();
      server.close();
    },
  };
}
