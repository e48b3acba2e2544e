// Cases about the inbox.

import { assertSame, toClauses, type Clause } from "../../contract/clause.js";
import { newNotification, OTHER_OWNER, OWNER, reasonOf, type Stand } from "./stand.js";

const pendingIds = async ({ notifications }: Stand, owner = OWNER, sessionKey = "s") =>
  (await notifications.listPending(owner, sessionKey)).map(({ notificationId }) => notificationId);

export const notificationClauses: readonly Clause<Stand>[] = toClauses<Stand>({
  "keeps a notification pending, with all its fields": {
    advice: "Store the whole record, and find it by the run that delivers it.",
    async check({ notifications }) {
      const given = newNotification("n", { taskIds: ["bg_1", "bg_2"], input: { text: "é", list: [null] } });
      const end = await notifications.enqueue(given);
      assertSame("enqueue", reasonOf(end), "ok");
      const record = { ...given, status: "pending", order: end.record.order };
      assertSame("the record", end.record, record);
      assertSame("getByRunId", await notifications.getByRunId(given.runId), record);
      assertSame("listPending", await notifications.listPending(OWNER, "s"), [record]);
    },
  },
  "finds no notification that was never enqueued": {
    advice: "Return null, and an empty list.",
    async check(stand) {
      assertSame("getByRunId", await stand.notifications.getByRunId("r"), null);
      assertSame("listPending", await pendingIds(stand), []);
    },
  },
  "refuses a key that is taken, also after the notification was settled": {
    advice: "Make (ownerNamespace, idempotencyKey) unique permanently.",
    async check(stand) {
      const { notifications } = stand;
      const first = newNotification("n1", { idempotencyKey: "k" });
      await notifications.enqueue(first);
      const again = newNotification("n2", { idempotencyKey: "k" });
      const end = await notifications.enqueue(again);
      assertSame("enqueue", [reasonOf(end), end.record.notificationId], ["duplicate", "n1"]);
      await notifications.settle("n1", { status: "acked", deliveredBy: "r" });
      assertSame("enqueue after the ack", reasonOf(await notifications.enqueue(again)), "duplicate");
      assertSame("listPending", await pendingIds(stand), []);
    },
  },
  "keeps the keys of namespaces apart": {
    advice: "A key belongs to its namespace.",
    async check(stand) {
      const { notifications } = stand;
      const foreign = newNotification("n2", { idempotencyKey: "k", ownerNamespace: OTHER_OWNER });
      await notifications.enqueue(newNotification("n1", { idempotencyKey: "k" }));
      assertSame("enqueue", reasonOf(await notifications.enqueue(foreign)), "ok");
      assertSame("listPending", [await pendingIds(stand), await pendingIds(stand, OTHER_OWNER)], [["n1"], ["n2"]]);
    },
  },
  "lets one of many concurrent enqueues with a key win": {
    advice: "Use a unique index.",
    async check({ notifications }) {
      const given = Array.from({ length: 8 }, (_, index) => newNotification(`n${index}`, { idempotencyKey: "k" }));
      const ends = await Promise.all(given.map((each) => notifications.enqueue(each)));
      assertSame("how many won", ends.filter(({ ok }) => ok).length, 1);
      assertSame("the ids they show", new Set(ends.map(({ record }) => record.notificationId)).size, 1);
    },
  },
  "lists what is pending in the order in which it came": {
    advice: "Give each notification an increasing number, and sort by it.",
    async check(stand) {
      for (const id of ["n3", "n1", "n2"]) await stand.notifications.enqueue(newNotification(id));
      assertSame("listPending", await pendingIds(stand), ["n3", "n1", "n2"]);
      const orders = (await stand.notifications.listPending(OWNER, "s")).map(({ order }) => order);
      assertSame(
        "the order",
        orders,
        [...new Set(orders)].sort((a, b) => a - b),
      );
    },
  },
  "lists the notifications of one session in one namespace": {
    advice: "Compare the session key and the namespace.",
    async check(stand) {
      await stand.notifications.enqueue(newNotification("n1"));
      await stand.notifications.enqueue(newNotification("n2", { sessionKey: "s2" }));
      await stand.notifications.enqueue(newNotification("n3", { ownerNamespace: OTHER_OWNER }));
      assertSame("listPending", await pendingIds(stand), ["n1"]);
      assertSame("listPending of s2", await pendingIds(stand, OWNER, "s2"), ["n2"]);
    },
  },
  "acknowledges a notification once": {
    advice: "Keep the run that delivered it. Return settled with the record to later calls.",
    async check(stand) {
      const { notifications } = stand;
      const given = newNotification("n");
      await notifications.enqueue(given);
      assertSame("settle", await notifications.settle("n", { status: "acked", deliveredBy: "r1" }), { ok: true });
      const record = await notifications.getByRunId(given.runId);
      assertSame("the record", [record?.status, record?.deliveredBy], ["acked", "r1"]);
      assertSame("listPending", await pendingIds(stand), []);
      const again = await notifications.settle("n", { status: "acked", deliveredBy: "r2" });
      assertSame("settle again", again, { ok: false, reason: "settled", record });
      assertSame("cancel", reasonOf(await notifications.settle("n", { status: "cancelled" })), "settled");
      assertSame("getByRunId", await notifications.getByRunId(given.runId), record);
    },
  },
  "cancels a notification": {
    advice: "A cancelled notification is not pending and cannot be acknowledged.",
    async check(stand) {
      const { notifications } = stand;
      await notifications.enqueue(newNotification("n"));
      assertSame("settle", await notifications.settle("n", { status: "cancelled" }), { ok: true });
      assertSame("listPending", await pendingIds(stand), []);
      const ack = await notifications.settle("n", { status: "acked", deliveredBy: "r" });
      assertSame("ack", reasonOf(ack), "settled");
    },
  },
  "lets one of many concurrent settles win": {
    advice: "Settle by one update from pending.",
    async check({ notifications }) {
      const given = newNotification("n");
      await notifications.enqueue(given);
      const settles = Array.from({ length: 8 }, (_, index) =>
        notifications.settle("n", { status: "acked", deliveredBy: `r${index}` }),
      );
      const ends = (await Promise.all(settles)).map(reasonOf);
      assertSame("how many won", ends.filter((end) => end === "ok").length, 1);
      const { deliveredBy } = (await notifications.getByRunId(given.runId)) ?? {};
      assertSame("who delivered it", deliveredBy, `r${ends.indexOf("ok")}`);
    },
  },
  "answers not-found for a notification that is not there": {
    advice: "Do not create a record in settle.",
    async check({ notifications }) {
      assertSame("settle", reasonOf(await notifications.settle("none", { status: "cancelled" })), "not-found");
    },
  },
});
