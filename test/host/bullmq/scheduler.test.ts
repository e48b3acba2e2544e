import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { describe, expect, it, vi } from "vitest";
import { bullmqScheduler } from "../../../src/host/bullmq/scheduler.js";
import type { DurableHost } from "../../../src/host/durable/host.js";
import { durableHosts, lease, userTurn } from "../../support/durable-host.js";
import { PATIENCE } from "../../support/patience.js";
import { describeRedis } from "../../support/servers.js";

const NAMESPACES = ["shop", "agent:desk"];

describe("bullmqScheduler", () => {
  it.each<[string, unknown]>([
    ["no options", undefined],
    ["no connection", {}],
    ["an address of something else", { connection: "http://ann:secret-of-ann@localhost" }],
    ["an address that cannot be read", { connection: "redis://ann:secret-of-ann@:x:y" }],
    ["a list", { connection: [] }],
    ["a pool of PostgreSQL", { connection: { pool: {} } }],
    ["an empty prefix", { connection: "redis://localhost", prefix: "" }],
    ["an unknown option", { connection: "redis://localhost", queue: "a" }],
  ])("refuses %s, without the password", async (_name, options) => {
    const error = await bullmqScheduler(options as never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "invalid-options" });
    expect(JSON.stringify([String(error), error])).not.toContain("secret-of-ann");
  });

  it("rejects as retryable where no server answers, without the password", async () => {
    const connection = "redis://ann:secret-of-ann@127.0.0.1:9";
    const error = await bullmqScheduler({ connection }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "store-failed", retryable: true });
    expect(String(error)).toContain("ECONNREFUSED");
    expect(String(error)).not.toContain("secret-of-ann");
  });

  it.each(["bullmq", "ioredis"])("says what to install without %s", async (name) => {
    vi.doMock(name, () => {
      throw new Error("Cannot find package");
    });
    const error = await bullmqScheduler({ connection: "redis://127.0.0.1:9" }).catch((thrown: unknown) => thrown);
    vi.doUnmock(name);
    expect(error).toMatchObject({ code: "capability-missing", hint: "Run npm install bullmq ioredis." });
    expect(String(error)).toContain(name);
  });
});

describeRedis("workers with BullMQ", (redis) => {
  const hosts = durableHosts();
  let prefixes = 0;
  const newPrefix = () => `test-${++prefixes}`;
  const openQueue = (prefix = newPrefix()) => bullmqScheduler({ connection: redis.url, prefix });

  /** Ends each run after `work`. */
  const endAfter =
    (host: DurableHost, work: (runId: string) => Promise<void> = async () => undefined) =>
    async (runId: string) => {
      const { ownerNamespace = "" } = (await host.store.runs.get(runId)) ?? {};
      const leaseId = `of ${runId}`;
      const claimed = await host.store.runs.claim(runId, { ...lease(leaseId, 60_000), ownerNamespace });
      if (!claimed.ok) return { kind: "skipped" as const };
      await work(runId);
      await host.store.runs.update(runId, { status: "completed" }, { leaseId });
      return { kind: "done" as const };
    };
  const allEnd = (host: DurableHost, count: number) =>
    vi.waitFor(async () => expect((await host.admin.stats()).runs).toMatchObject({ completed: count }), PATIENCE);
  const create = async (host: DurableHost, count: number, ownerNamespace = "shop") => {
    for (let index = 0; index < count; index++) {
      const runId = `${ownerNamespace}-${index}`;
      await host.store.runs.create(userTurn(runId, { ownerNamespace, sessionKey: runId }));
    }
  };

  it("refuses a wrong password for good", async () => {
    const connection = redis.url.replace("//", "//ann:secret-of-ann@");
    const error = await bullmqScheduler({ connection }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "store-failed", retryable: false });
    expect(String(error)).toContain("WRONGPASS");
    expect(String(error)).not.toContain("secret-of-ann");
  });

  it("is refused by a worker before it is ready", async () => {
    const host = await hosts.open();
    const queue = openQueue();
    const work = { namespaces: ["shop"], deliver: endAfter(host) };
    expect(() => host.work({ ...work, queue: queue as never })).toThrow(
      expect.objectContaining({ code: "invalid-options", hint: "Await bullmqScheduler." }),
    );
    expect(() => host.work({ ...work, queue: "redis://localhost" as never })).toThrow("queue");
    await queue;
  });

  it("keep to their concurrency over all namespaces, and send no more than that ahead", async () => {
    const host = await hosts.open();
    const prefix = newPrefix();
    await create(host, 20, "shop");
    await create(host, 20, "agent:desk");
    let [running, most, longest] = [0, 0, 0];
    let fill: () => void = () => undefined;
    const isFull = new Promise<void>((resolve) => (fill = resolve));
    const looks = NAMESPACES.map(
      (name) => new Queue(encodeURIComponent(name), { connection: { url: redis.url }, prefix }),
    );
    const deliver = endAfter(host, async () => {
      most = Math.max(most, ++running);
      // The first deliveries wait until all places are taken.
      if (running === 3) fill();
      await isFull;
      for (const look of looks) longest = Math.max(longest, await look.getWaitingCount());
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
    });
    host.work({ namespaces: NAMESPACES, concurrency: 3, queue: await openQueue(prefix), deliver });
    await allEnd(host, 40);
    await Promise.all(looks.map((look) => look.close()));
    expect(most).toBe(3);
    // Each of 3 senders may find the last room at the same time.
    expect(longest).toBeLessThanOrEqual(2 + 3);
  });

  it("may use a client of the caller, which stays open", async () => {
    const client = new Redis(redis.url, { maxRetriesPerRequest: null });
    const host = await hosts.open();
    const queue = await bullmqScheduler({ connection: client, prefix: newPrefix() });
    const worker = host.work({ namespaces: ["shop"], queue, deliver: endAfter(host) });
    await create(host, 2);
    await allEnd(host, 2);
    await worker.stop();
    expect(await client.ping()).toBe("PONG");
    client.disconnect();
  });

  it("are given runs in the processes that have their namespaces", async () => {
    const file = hosts.file();
    const [shop, desk] = [await hosts.open({}, file), await hosts.open({}, file)];
    const prefix = newPrefix();
    const seen: string[] = [];
    const note = (name: string) => async (runId: string) => void seen.push(`${name} ${runId}`);
    shop.work({ namespaces: ["shop"], queue: await openQueue(prefix), deliver: endAfter(shop, note("shop")) });
    desk.work({ namespaces: ["agent:desk"], queue: await openQueue(prefix), deliver: endAfter(desk, note("desk")) });
    await create(shop, 3, "agent:desk");
    await create(desk, 3, "shop");
    await allEnd(shop, 6);
    expect(seen.sort()).toEqual([0, 1, 2].flatMap((at) => [`desk agent:desk-${at}`, `shop shop-${at}`]).sort());
  });

  it("go on when Redis is back, which has lost everything", { timeout: 120_000 }, async () => {
    const warnings: string[] = [];
    const host = await hosts.open({ ports: { warn: (text) => void warnings.push(text) } });
    host.work({ namespaces: ["shop"], queue: await openQueue(), deliver: endAfter(host) });
    await create(host, 1);
    await allEnd(host, 1);
    await redis.kill();
    await host.store.runs.create(userTurn("while it is gone"));
    await vi.waitFor(() => expect(warnings.join("\n")).toContain("the queue on Redis failed"), PATIENCE);
    await redis.start();
    await allEnd(host, 2);
  });

  it("are given what a worker took that died at once", { timeout: 120_000 }, async () => {
    const host = await hosts.open();
    const prefix = newPrefix();
    let tell: () => void = () => undefined;
    const isTaken = new Promise<void>((resolve) => (tell = resolve));
    const take = () => {
      tell();
      return new Promise<void>(() => undefined);
    };
    const dying = new Worker("shop", take, { connection: { url: redis.url }, prefix, concurrency: 20 });
    await dying.waitUntilReady();
    // The worker that lives ends no run before the other one has taken one, or it could be given all of them.
    const deliver = endAfter(host, () => isTaken);
    host.work({ namespaces: ["shop"], concurrency: 4, queue: await openQueue(prefix), deliver });
    await create(host, 20);
    await isTaken;
    await dying.close(true);
    await allEnd(host, 20);
  });

  it("stop while Redis is gone, and the run that is at work ends", { timeout: 120_000 }, async () => {
    const warnings: string[] = [];
    const host = await hosts.open({ ports: { warn: (text) => void warnings.push(text) } });
    let finish: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const worker = host.work({ namespaces: ["shop"], queue: await openQueue(), deliver: endAfter(host, () => gate) });
    await create(host, 1);
    await vi.waitFor(() => expect(worker.running).toBe(1), PATIENCE);
    await redis.kill();
    const stopped = worker.stop();
    finish();
    await stopped;
    expect(warnings.join("\n")).not.toContain("did not close");
    expect(await host.store.runs.get("shop-0")).toMatchObject({ status: "completed" });
    await redis.start();
  });

  it("execute nothing that only the queue says", async () => {
    const warnings: string[] = [];
    const host = await hosts.open({ ports: { warn: (text) => void warnings.push(text) } });
    const prefix = newPrefix();
    await host.store.runs.create(userTurn("foreign", { ownerNamespace: "other" }));
    await host.store.runs.create(userTurn("late", { sessionKey: "late" }), { readyAfterMs: 3_600_000 });
    await host.store.runs.create(userTurn("cancelled", { sessionKey: "cancelled" }));
    await host.store.runs.update("cancelled", { status: "cancelled" }, {});
    const delivered: string[] = [];
    const writer = new Queue("shop", { connection: { url: redis.url }, prefix });
    for (const runId of ["foreign", "late", "cancelled", "unknown", "", 7, { a: 1 }])
      await writer.add("run", { runId });
    for (const data of [null, "text", []]) await writer.add("run", data);
    host.work({
      ...{ namespaces: ["shop"], queue: await openQueue(prefix) },
      deliver: async (runId) => {
        delivered.push(runId);
        return endAfter(host)(runId);
      },
    });
    await vi.waitFor(
      async () => expect(await writer.getJobCounts("waiting", "active")).toEqual({ waiting: 0, active: 0 }),
      PATIENCE,
    );
    await create(host, 1);
    await allEnd(host, 1);
    await writer.close();
    expect(delivered).toEqual(["shop-0"]);
    for (const word of ["foreign", "unknown", "a prefix that no other store has", "no run id"])
      expect(warnings.join("\n")).toContain(word);
  });
});
