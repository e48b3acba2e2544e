import { expect, it, vi } from "vitest";
import { systemPorts } from "../../../src/core/index.js";
import { checkWork } from "../../../src/host/durable/options.js";
import type { Beat } from "../../../src/host/durable/pulse.js";
import { startWorker } from "../../../src/host/durable/worker.js";
import { createValues } from "../../../src/host/sql/codec.js";
import type { SqlAccess } from "../../../src/host/sql/engine.js";
import type { SqlStore } from "../../../src/host/sql/store.js";
import { durableHosts, handClock } from "../../support/durable-host.js";
import { PATIENCE } from "../../support/patience.js";

const hosts = durableHosts();

it("a worker without work looks again before a lease that it has not heard of can end", async () => {
  const clock = handClock();
  const host = await hosts.open({ ports: { now: clock.now } });
  const { access, ...store } = host.store as SqlStore;
  let looks = 0;
  const counted: SqlAccess = {
    ...access,
    read: (work) =>
      access.read((sql) =>
        work({
          ...sql,
          all: (text, ...values) => {
            if (text.includes("slot_at")) looks += 1;
            return sql.all(text, ...values);
          },
        }),
      ),
  };
  let beat: Beat = () => undefined;
  const worker = startWorker({
    ...{ access: counted, store: { ...store, access: counted }, values: createValues(undefined), hostId: host.hostId },
    lives: { isAlive: () => true, count: () => 1, release: () => undefined },
    ports: { ...systemPorts, now: clock.now },
    pulse: { listen: (heard) => ((beat = heard), () => undefined) },
    ...{ leaseMs: 10_000, sweepMs: 30_000 },
    work: checkWork({ namespaces: ["shop"], deliver: async () => ({ kind: "skipped" }) }),
    ...{ onDue: () => () => undefined, stopped: () => undefined },
  });
  await vi.waitFor(() => expect(looks).toBe(1), PATIENCE);
  // These reads come after the rest of the look.
  const settle = () => Promise.all(Array.from({ length: 5 }, () => host.store.runs.get("a")));
  await settle();
  clock.pass(9_999);
  beat(undefined);
  await settle();
  expect(looks).toBe(1);
  clock.pass(1);
  beat(undefined);
  await vi.waitFor(() => expect(looks).toBe(2), { ...PATIENCE, timeout: 2_000 });
  await worker.stop();
});
