// A network splits: a proxy cuts one process off from PostgreSQL, by reset or by dropping what is sent. The others take
// its runs over, and it writes nothing that they do not expect.

import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { beside, createProcesses, NAMESPACE, settle, steadyMs, until } from "./processes.mjs";
import { openStore } from "./store.mjs";

/** A cut is longer than a lease and a sweep. */
const FULL = { leaseMs: 10_000, cutMs: 60_000 };
const SHORT = { leaseMs: 4_000, cutMs: 12_000 };
const CUTS = ["reset", "drop"];
/** A tool that has begun before the lease ends may be noted after it. */
const GRACE_MS = 1_000;

export const partition = {
  name: "partition",
  engines: ["postgres"],
  break: "early",
  async run({ place, ledger, rounds, isFull, broken, servers }) {
    const { leaseMs, cutMs } = isFull ? FULL : SHORT;
    const proxy = await openProxy(servers.postgres.port);
    const processes = createProcesses(place, ledger);
    const count = Math.min(rounds, CUTS.length);
    const url = place.url.replace(String(servers.postgres.port), String(proxy.port));
    const holders = await watchHolders({ place: beside(place, "held"), ledger: `${ledger}-held`, url, leaseMs });
    const cuts = [];
    try {
      const host = { leaseMs };
      const cutOff = processes.start("desk", { host, broken, url, modelMs: 50, everyMs: 60 });
      const others = [0, 1].map(() => processes.start("desk", { host, broken, modelMs: 50, everyMs: 60 }));
      for (const each of [cutOff, ...others]) await each.hears("ready");
      for (const how of CUTS.slice(0, count)) {
        const enough = processes.lines().length + 30;
        await until(() => processes.lines().length > enough);
        const holder = await holders.hold(how);
        const began = Date.now();
        proxy.cut(how);
        await sleep(cutMs);
        proxy.mend();
        cuts.push({ how, from: began + leaseMs + GRACE_MS, to: Date.now(), ...(await holders.end(how, holder)) });
      }
      await sleep(3_000);
      await processes.killAll();
      const found = await settle(place, processes);
      const lines = processes.lines().filter(([what, , , name]) => what === "tool" && name === cutOff.name);
      for (const { how, from, to, tookMs, accepted } of cuts) {
        const late = lines.filter(([, , , , at]) => at > from && at < to).length;
        if (late > 0) found.problems.push(`a process that was cut off (${how}) called ${late} tools after its lease`);
        if (accepted > 0) found.problems.push(`${accepted} writes of an earlier holder were accepted`);
        if (tookMs === undefined) found.problems.push(`nobody took a run over while its holder was cut off (${how})`);
        found.twice += late + accepted;
        found.lost += tookMs === undefined ? 1 : 0;
      }
      const times = cuts.map(({ how, tookMs = "?" }) => `${tookMs} ms (${how})`);
      const note = `${found.acknowledged} acknowledged, cut for ${cutMs / 1000} s, lease ${leaseMs / 1000} s, taken over after`;
      return { rounds: count, points: count, ...found, note: `${note} ${times.join(", ")}` };
    } finally {
      await processes.killAll();
      await holders.close();
      proxy.close();
    }
  },
};

/** Processes that hold a lease through the proxy, and a worker that takes their runs over without it. */
async function watchHolders({ place, ledger, url, leaseMs }) {
  const { host } = await openStore(place, { leaseMs, ports: { warn: () => undefined } });
  const processes = createProcesses(place, ledger);
  const taken = new Map();
  let began = 0;
  host.work({
    namespaces: [NAMESPACE],
    deliver: async (runId) => {
      const lease = { leaseId: `next ${runId}`, leaseMs: 300_000, ownerNamespace: NAMESPACE };
      if (!(await host.store.runs.claim(runId, lease)).ok) return { kind: "skipped" };
      taken.set(runId, steadyMs() - began);
      return { kind: "suspended" };
    },
  });
  return {
    async hold(runId) {
      const holder = processes.start("hold", { runId, leaseMs, url, host: { leaseMs } });
      await holder.hears("claimed");
      began = steadyMs();
      return holder;
    },
    /** Its network is back, and it tries to write. */
    async end(runId, holder) {
      const tookMs = taken.get(runId);
      holder.write();
      const { accepted } = await holder.hears("accepted");
      return { tookMs, accepted: tookMs === undefined ? 0 : accepted };
    },
    async close() {
      await processes.killAll();
      await host.close();
    },
  };
}

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
