// Two processes send to one session and schedule inputs for it, half of which both of them know by the same `dedupeKey`.
// Each input is one turn, in the order of readiness. An input for later holds nothing up. Then four processes deliver one
// run again and again at once, and it is executed once.

import { createProcesses, NAMESPACE, SESSIONS, until } from "./processes.mjs";
import { openStore } from "./store.mjs";

const PROCESSES = 2;
const SENDS = 50;
/** Both processes schedule the same ones. */
const SCHEDULES = 10;
const TURNS = PROCESSES * SENDS + SCHEDULES;
const DELIVERERS = 4;
const DELIVERIES = 20;

export const turns = {
  name: "turns",
  engines: ["sqlite", "postgres"],
  break: "forgetful",
  async run({ place, ledger, broken }) {
    const found = { rounds: 1, points: TURNS + DELIVERIES, lost: 0, torn: 0, twice: 0, problems: [] };
    const { host } = await openStore(place, { ports: { warn: () => undefined } });
    const processes = createProcesses(place, ledger);
    const blame = (kind, why) => {
      found[kind] += 1;
      found.problems.push(`${kind}: ${why}`);
    };
    try {
      await crowd({ host, processes, broken, blame });
      await deliver({ host, processes, blame });
      return { ...found, note: `${TURNS} turns of one session, ${DELIVERIES} deliveries of one run` };
    } finally {
      await processes.killAll();
      await host.close();
    }
  },
};

async function crowd({ host, processes, broken, blame }) {
  const key = SESSIONS[0];
  const start = () => processes.start("crowd", { key, sends: SENDS, schedules: SCHEDULES, broken });
  const all = Array.from({ length: PROCESSES }, start);
  for (const each of all) await each.hears("ready");
  for (const each of all) each.write();
  for (const each of all) await each.hears("answered");
  const own = { ownerNamespace: NAMESPACE, sessionKey: key };
  const runs = await until(async () => {
    const list = await host.admin.list({ ...own, limit: 1_000 });
    const open = list.filter(({ status }) => status !== "completed");
    // What is left is for later.
    return open.length <= PROCESSES && list;
  });
  const due = runs.filter(({ status }) => status === "completed");
  const history = (await host.store.sessions.load(key)).state.history;
  const told = history.filter(({ role }) => role === "user").map(({ content }) => content);
  const expected = new Set([
    ...Array.from({ length: SENDS }, (_, number) => all.map(({ name }) => `${name} ${number}`)).flat(),
    ...Array.from({ length: SCHEDULES }, (_, number) => `both ${number}`),
  ]);
  for (const text of expected) {
    const times = told.filter((each) => each === text).length;
    if (times !== 1) blame(times === 0 ? "lost" : "twice", `${text} was answered ${times} times`);
  }
  const strange = told.find((text) => !expected.has(text));
  if (strange !== undefined) blame("torn", `${strange} was answered`);
  const inOrder = [...due].sort((a, b) => a.readyAtMs - b.readyAtMs || runs.indexOf(a) - runs.indexOf(b));
  const texts = inOrder.map(({ input }) => textOf(input));
  if (texts.join() !== told.join()) blame("torn", "the turns are not in the order of readiness and creation");
  for (const each of all) await processes.kill(each);
}

const textOf = (input) => (typeof input === "string" ? input : (input?.text ?? JSON.stringify(input)));

async function deliver({ host, processes, blame }) {
  const input = { type: "user-text", text: "once" };
  await host.store.transaction(async (tx) => {
    const run = { kind: "user-turn", ownerNamespace: NAMESPACE, sessionKey: "once", rootRunId: "once" };
    await tx.runs.create({ runId: "once", ...run, input });
    await tx.events.append("once", [input], { firstOffset: 0 });
  });
  const each = { runId: "once", times: DELIVERIES / DELIVERERS };
  const all = Array.from({ length: DELIVERERS }, () => processes.start("deliver", each));
  for (const one of all) await one.hears("ready");
  for (const one of all) one.write();
  const kinds = [];
  for (const one of all) kinds.push(...(await one.hears("kinds")).kinds);
  const count = (kind) => kinds.filter((one) => one === kind).length;
  if (count("done") !== 1 || count("skipped") !== DELIVERIES - 1) blame("twice", `the deliveries were ${kinds.join()}`);
  const told = (await host.store.sessions.load("once"))?.state.history.filter(({ role }) => role === "user") ?? [];
  if (told.length !== 1) blame(told.length === 0 ? "lost" : "twice", `the run was executed ${told.length} times`);
}
