import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { durableHosts, lease, userTurn } from "../../support/durable-host.js";
import { describeProcesses, hostProcesses, type Started } from "../../support/host-processes.js";

const hosts = durableHosts();
const processes = hostProcesses("host.js");

describeProcesses(hosts, processes);

describe("the death of a process, on SQLite", { timeout: 120_000 }, () => {
  it("is found by a host that opens the file later", async () => {
    const file = hosts.file();
    const first = await hosts.open({}, file);
    await first.store.runs.create(userTurn("a"));
    await first.close();
    const holder = processes.start("hold", file, { runId: "a" });
    await holder.hears("claimed");
    await processes.kill(holder.child);
    const later = await hosts.open({}, file);
    expect(await later.store.runs.claim("a", lease("next"))).toMatchObject({ ok: true, record: { attempt: 2 } });
  });

  it("leaves no file once another host has opened the store", async () => {
    const file = hosts.file();
    const [dead, live] = [0, 1].map(() => processes.start("race", file, { ids: [] })) as [Started, Started];
    for (const holder of [dead, live]) await holder.hears("ready");
    await processes.kill(dead.child);
    const before = readdirSync(`${file}-lives`);
    const host = await hosts.open({}, file);
    const isId = (name: string) => /^[0-9a-f]{32}$/.test(name);
    const after = readdirSync(`${file}-lives`);
    expect(before.filter(isId)).toHaveLength(2);
    // Its own, and that of the process that lives.
    expect(after.filter(isId)).toHaveLength(2);
    expect(after).toContain(host.hostId);
    expect((await host.admin.stats()).hosts).toBe(2);
    await processes.kill(live.child);
    await hosts.open({}, file);
    expect(readdirSync(`${file}-lives`).filter((name) => before.includes(name))).toEqual([]);
  });
});
