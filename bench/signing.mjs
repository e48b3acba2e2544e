// The cost of signed receipts for the loop: microseconds per turn until the last request to the model, with and
// without receipts, compared with the cost of their signatures alone. Receipts that are signed after the loop are in
// the other table.

import { createPrivateKey, sign } from "node:crypto";
import { collectGarbage, measure, readClock } from "./measure.mjs";
import { runPlayhead, SIGNING_KEY } from "./turn-loop-ways.mjs";
import { assertWork, createModel } from "./workload.mjs";

export async function* signing({ turns = 200, sampleMs = 40, warmMs = 0, clock = "wall", ...options } = {}) {
  const key = createPrivateKey(SIGNING_KEY);
  const message = Buffer.alloc(400, "receipt");
  // A receipt for each turn, and one for each call of all turns but the last.
  const perTurn = (2 * turns - 1) / turns;
  const loops = [
    ["loop until its last turn, no receipts", {}],
    ["loop until its last turn, signed receipts", { signingKey: SIGNING_KEY }],
  ];
  for (const [, signed] of loops) await sampleLoop(turns, signed, warmMs, clock);
  const contestants = loops.map(([name, signed]) => ({
    name,
    async sample() {
      if (warmMs > 0) await sampleLoop(turns, signed, warmMs / 5, clock);
      collectGarbage();
      return sampleLoop(turns, signed, sampleMs, clock);
    },
  }));
  contestants.push({ name: "its Ed25519 signatures alone", units: 1 / perTurn, run: () => sign(null, message, key) });
  const rows = await measure(contestants, { ...options, sampleMs, warmMs, clock });
  yield { key: "path", title: `receipts on the path of the loop, ${turns} turns`, unit: "µs a turn", rows };
  const whole = [
    ["run and its receipts, none", {}],
    ["run and its receipts, signed and drained", { signingKey: SIGNING_KEY }],
  ];
  const drained = whole.map(([name, signed]) => ({
    name,
    units: turns,
    run: () => runPlayhead(createModel(turns), turns, signed),
    check: (result) => assertWork(result, turns),
  }));
  yield {
    key: "whole",
    title: `the same to the end of the run`,
    unit: "µs a turn",
    rows: await measure(drained, { ...options, sampleMs, warmMs, clock }),
  };
}

/** Runs until the loop has taken `sampleMs`. Counts only the loop. */
async function sampleLoop(turns, signed, sampleMs, clock) {
  let [micros, runs] = [0, 0];
  do {
    let ended = 0;
    const model = createModel(turns, 1, () => (ended = readClock(clock)));
    const started = readClock(clock);
    assertWork(await runPlayhead(model, turns, signed), turns);
    micros += ended - started;
    runs++;
  } while (micros < sampleMs * 1000);
  return micros / runs / turns;
}
