// The flow of a recurring schedule: it is set, its slots put inputs into the inbox of a session, and it is removed.

import { fireSchedules } from "../../.playhead/modules/host/durable/schedules.js";
import { createValues } from "../../.playhead/modules/host/sql/codec.js";

const HOUR_MS = 3_600_000;
const OWNER = { ownerNamespace: "agent:desk", sessionKey: "ann" };
const SCHEDULE = { ...OWNER, id: "report", text: "Report.", everyMs: HOUR_MS };

/** Calls again after a failure, as a worker does at its next look. */
async function persist(call) {
  for (let tried = 0; ; tried++) {
    try {
      return await call();
    } catch (error) {
      if (tried === 2) throw error;
    }
  }
}

export async function runRecurring({ faulty, whole, ports, fault }) {
  const values = createValues(undefined);
  const fire = ({ store }) => fireSchedules({ access: store.access, store, values }, [OWNER.ownerNamespace]);
  const steps = [
    () => faulty.schedules.set(SCHEDULE),
    () => ports.pass(HOUR_MS),
    () => fire(faulty),
    () => faulty.schedules.set({ ...SCHEDULE, text: "Report again." }),
    () => ports.pass(HOUR_MS),
    () => fire(faulty),
    // Another host has the same slot.
    () => fire(whole),
    () => faulty.schedules.remove(OWNER.ownerNamespace, SCHEDULE.id),
    () => ports.pass(HOUR_MS),
    () => fire(whole),
  ];
  for (const step of steps) {
    await persist(step);
    fault.belongTo("recurring");
  }
  const inputs = await whole.store.notifications.listPending(OWNER.ownerNamespace, OWNER.sessionKey);
  const runs = await whole.admin.list({ ownerNamespace: OWNER.ownerNamespace });
  const told = inputs.map(({ idempotencyKey, input }) => [idempotencyKey, input]);
  const left = await whole.schedules.list(OWNER.ownerNamespace);
  return { text: JSON.stringify([left, told, runs.map(({ kind, status }) => [kind, status])]), twice: 0 };
}
