// Fails the Nth operation for every N. After the failure, the store is as before the transaction or as after it. The
// process goes on, another one takes over, and the end is that of an undisturbed round.

import { flowOf, fixedPorts, runDesk } from "./desk.mjs";
import { runCells } from "./cells.mjs";

/** Calls of a store that the flows are told from. */
const WATCHED = ["runs", "checkpoints", "notifications"];

/** What fails, and what was seen. `at` is 0 for an undisturbed round. */
function openFault(at, kind) {
  const fault = {
    ...{ at, kind, isArmed: false, count: 0, isOver: false, ops: [], waiting: [] },
    seen(what) {
      fault.count += 1;
      fault.waiting.push(fault.ops.push({ what, flow: undefined }) - 1);
    },
    isNow: () => fault.count === fault.at && (fault.isOver = true),
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

const SCENARIOS = { desk: runDesk, cells: runCells };

export async function runOnce(stores, scenario, { at, kind }, breakHost) {
  const fault = openFault(at, kind);
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
  const report = { rounds: 0, points: 0, lost: 0, torn: 0, twice: 0, problems: [], flows: {} };
  for (const scenario of Object.keys(SCENARIOS)) {
    const undisturbed = { at: 0, kind: undefined };
    const whole = await runOnce(stores, scenario, undisturbed, breakHost);
    for (const [index, { flow = "begin", what }] of whole.fault.ops.entries()) {
      if (flows !== undefined && !flows.includes(flow)) continue;
      for (const kind of stores.kinds) {
        let wrong;
        try {
          wrong = judge(await runOnce(stores, scenario, { at: index + 1, kind }, breakHost), whole);
        } catch (error) {
          wrong = { lost: 1, torn: 0, twice: 0, why: error.stack };
        }
        report.rounds += 1;
        report.points += 1;
        report.flows[flow] = (report.flows[flow] ?? 0) + 1;
        for (const each of ["lost", "torn", "twice"]) report[each] += wrong[each];
        if (wrong.why === undefined) continue;
        report.problems.push(`${scenario} ${flow} ${what} ${index + 1} ${kind}: ${wrong.why}`);
        if (stopAtFirst) return report;
      }
    }
  }
  return report;
}

/** Its transactions are not transactions: each call is stored by itself. */
export const torn = (host) => ({
  ...host,
  store: { ...host.store, transaction: (work) => work(host.store) },
});
