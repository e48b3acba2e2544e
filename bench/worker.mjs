// One contestant in a process of its own: node worker.mjs FILE [PART]. It gets `{ kind, turns, calls, sampleMs,
// warmMs, clock }` and answers with `{ micros }`, the cost of a unit in one sample, or `{ failed }`. Its first message
// is `{ isReady: true }`. The unit of a
// loop is a turn, and that of a replay is a completion.

import { pathToFileURL } from "node:url";
import { calibrate, collectGarbage, quantile, readClock, time, warmAgain } from "./measure.mjs";
import { askAll, SERVED, WARM_UP } from "./peers/exchange.mjs";

const [file, part] = process.argv.slice(2);
for (const name of ["log", "info", "warn", "debug"]) console[name] = () => {};
const contestant = import(pathToFileURL(file).href).then((all) => (part === undefined ? all : all.contestants[part]));
const prepared = new Map();

// While processes start, none is measured.
const onReady = () => process.send({ isReady: true });
contestant.then(onReady, onReady);

// A contestant may have a server that would keep the process alive forever.
process.on("disconnect", () => process.exit());

process.on("message", (message) => {
  takeSample(message).then(
    (micros) => process.send({ micros }),
    (error) => process.send({ failed: withCauses(error) }),
  );
});

/** "fetch failed" alone says little. */
function withCauses(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${withCauses(error.cause)}`;
}

async function takeSample(work) {
  if (work.kind === "serve") return serveAll(work);
  const key = `${work.kind} ${work.turns} ${work.calls}`;
  const isFirst = !prepared.has(key);
  if (isFirst) prepared.set(key, await prepare(work));
  const { once, repeats, runMs, units } = prepared.get(key);
  if (!isFirst) await warmAgain(once, { ...work, runMs });
  collectGarbage();
  return (await time(once, repeats, work.clock)) / repeats / units;
}

async function prepare(work) {
  const once = work.kind === "loop" ? await toLoop(work) : await toReplay();
  return {
    once,
    ...(await calibrate(once, work)),
    units: work.kind === "loop" ? work.turns : 1,
  };
}

/** `run` does one run of the work. `open` comes before the first. `check` throws if the last run left some work undone. */
async function toLoop({ turns, calls }) {
  const { run, open = () => undefined, check = () => undefined } = await contestant;
  const opened = await open(turns, calls);
  return { run: () => run(turns, calls, opened), check: (result) => check(result, turns, calls) };
}

async function toReplay() {
  const { open, CONTENT } = await contestant;
  const { ask } = await open();
  const check = (content) => {
    if (content !== CONTENT) throw new Error("another completion came back");
  };
  return { run: ask, check };
}

/** The median of the microseconds of a request, or with several at once the microseconds of all of them divided by their number. */
async function serveAll({ parallel, isWarm }) {
  const { open } = await contestant;
  const { base, stop } = await open();
  try {
    const from = isWarm ? WARM_UP : 0;
    await askAll(base, { parallel, from: 0, count: from });
    collectGarbage();
    const started = readClock("wall");
    const micros = await askAll(base, { parallel, from, count: SERVED });
    return parallel === 1 ? quantile(micros, 0.5) : (readClock("wall") - started) / SERVED;
  } finally {
    await stop();
  }
}
