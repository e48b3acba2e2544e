// Fails the Nth operation for every N. After the failure, the store is as before the transaction or as after it. The
// process goes on, another one takes over, and the end is that of an undisturbed round.

import { flowOf, fixedPorts, runDesk } from "./desk.mjs";
import { runCells } from "./cells.mjs";
import { runRecurring } from "./recurring.mjs";

/** Calls of a store that the flows are told from. */
const WATCHED = ["runs", "checkpoints", "notifications"];

/**
 * What fails, and what was seen. `at` is 0 for an undisturbed round. Reads are counted by themselves: on PostgreSQL, they
 * come between the statements of transactions at other places in each round.
 */
function openFault({ at, isRead, kind }) {
  const fault = {
    ...{ kind, isArmed: false, counts: { read: 0, write: 0 }, isOver: false, ops: [], waiting: [] },
    /** True if the operation fails. */
    isNow(what) {
      const side = what === "read" ? "read" : "write";
      const count = (fault.counts[side] += 1);
      fault.waiting.push(fault.ops.push({ what, at: count, isRead: side === "read", flow: undefined }) - 1);
      const isNow = count === at && isRead === (side === "read");
      fault.isOver ||= isNow;
      return isNow;
    },
    /** The operations since the last flow belong to this one. */
    belongTo(flow) {
      if (flow === undefined) return;
      for (const index of fault.waiting.splice(0)) fault.ops[index].flow = flow;
    },
  };
  return fault;
}

/** The host, which tells each transaction's flow. */
function watchFlows(host, fault) {
  const watch = (ports, calls) =>
    Object.fromEntries(
      WATCHED.map((port) => [
        port,
        new Proxy(ports[port], {
          get: (target, method) =>
            typeof target[method] === "function"
              ? (...args) => {
                  calls?.push({ name: `${port}.${method}`, args });
                  const alone = calls === undefined && flowOf([{ name: `${port}.${method}`, args }]);
                  const result = target[method](...args);
                  return alone ? result.finally(() => fault.belongTo(alone)) : result;
                }
              : target[method],
        }),
      ]),
    );
  const store = {
    ...host.store,
    ...watch(host.store),
    async transaction(work) {
      const calls = [];
      try {
        return await host.store.transaction((tx) => work({ ...tx, ...watch(tx, calls) }));
      } finally {
        fault.belongTo(flowOf(calls));
      }
    },
  };
  return { ...host, store };
}

/**
 * The engine, which notes the state after each commit. After a failed transaction, `old` is true if nothing of it is
 * stored, and `next` is the state to expect otherwise.
 */
function watchStates(engine, dump, round) {
  return async (work) => {
    try {
      const result = await engine(work);
      if (round.at === 0) round.states.push(await dump());
      else if (round.found === undefined) round.commits += 1;
      return result;
    } catch (error) {
      if (round.fault.isOver && round.found === undefined) round.found = await dump();
      throw error;
    }
  };
}

const SCENARIOS = { desk: runDesk, recurring: runRecurring, cells: runCells };

export async function runOnce(stores, scenario, point, breakHost) {
  const { at } = point;
  const fault = openFault(point);
  const ports = fixedPorts();
  const round = { at, fault, states: [], commits: 0, found: undefined };
  const store = await stores.open(fault, ports);
  try {
    round.states.push(at === 0 ? await store.dump() : undefined);
    const { transaction } = store.engines[0];
    store.engines[0].transaction = watchStates(transaction, store.dump, round);
    fault.isArmed = true;
    const [faulty, whole] = [watchFlows(breakHost(store.hosts[0]), fault), store.hosts[1]];
    round.end = await SCENARIOS[scenario]({ faulty, whole, ports, engines: store.engines, fault });
    return round;
  } finally {
    fault.isArmed = false;
    await store.close();
  }
}

const keep = (host) => host;

/** What is wrong with a round, compared with the undisturbed one. */
function judge(round, whole) {
  const wrong = { lost: 0, torn: 0, twice: 0, why: undefined };
  const { found, commits, end } = round;
  const [old, next] = whole.states.slice(commits, commits + 2);
  if (found !== undefined && found !== old && found !== next)
    Object.assign(wrong, { torn: 1, why: "the state is neither the old nor the new one" });
  else if (end.text !== whole.end.text) Object.assign(wrong, { lost: 1, why: difference(whole.end.text, end.text) });
  else if (end.twice > 0) Object.assign(wrong, { twice: end.twice, why: `${end.twice} tools ran twice` });
  return wrong;
}

function difference(expected, found) {
  let at = 0;
  while (expected[at] === found[at]) at++;
  return `the end differs: ${expected.slice(Math.max(0, at - 60), at + 90)} became ${found.slice(Math.max(0, at - 60), at + 90)}`;
}

/** Sweeps all operations of the `flows`. Resolves with what was tried and what went wrong. */
export async function sweep(stores, { flows, breakHost = keep, stopAtFirst = false }) {
  const report = { points: 0, lost: 0, torn: 0, twice: 0, problems: [], flows: {} };
  const points = [];
  for (const scenario of Object.keys(SCENARIOS)) {
    const whole = await runOnce(stores, scenario, { at: 0 }, breakHost);
    for (const { flow = "begin", ...op } of whole.fault.ops) {
      if (flows !== undefined && !flows.includes(flow)) continue;
      for (const kind of stores.kinds) points.push({ scenario, whole, flow, ...op, kind });
    }
  }

  async function tryPoint({ scenario, whole, flow, what, ...point }) {
    let wrong;
    try {
      wrong = judge(await runOnce(stores, scenario, point, breakHost), whole);
    } catch (error) {
      wrong = { lost: 1, torn: 0, twice: 0, why: error.stack };
    }
    report.points += 1;
    report.flows[flow] = (report.flows[flow] ?? 0) + 1;
    for (const each of ["lost", "torn", "twice"]) report[each] += wrong[each];
    if (wrong.why !== undefined)
      report.problems.push(`${scenario} ${flow} ${what} ${point.at} ${point.kind}: ${wrong.why}`);
  }

  async function tryAll() {
    while (points.length > 0) {
      await tryPoint(points.shift());
      if (stopAtFirst && report.problems.length > 0) return;
    }
  }

  await Promise.all(Array.from({ length: stores.places }, tryAll));
  return report;
}
