// Samples contestants in turn (A B C A B C …), so that a slow moment of the machine hits all of them, and sums them up.

/** @typedef {{ name: string, run: () => Promise<unknown> | unknown, units: number }} Contestant `units`: what a run is divided by */

/**
 * Microseconds per unit of each contestant. Every sample repeats a run until it lasts `sampleMs`.
 * @param {Contestant[]} contestants
 */
export async function measure(contestants, { rounds = 15, sampleMs = 40 } = {}) {
  const samples = contestants.map(() => []);
  const repeats = [];
  for (const contestant of contestants) repeats.push(await calibrate(contestant, sampleMs));
  for (let round = 0; round < rounds; round++) {
    for (const [index, contestant] of contestants.entries()) {
      samples[index].push((await time(contestant, repeats[index])) / repeats[index] / contestant.units);
    }
  }
  return contestants.map(({ name }, index) => ({ name, ...summarise(samples[index]) }));
}

async function calibrate(contestant, sampleMs) {
  let repeats = 1;
  for (;;) {
    const micros = await time(contestant, repeats);
    if (micros >= sampleMs * 1000) return repeats;
    repeats = Math.ceil(repeats * Math.min(10, Math.max(1.5, (sampleMs * 1000 * 1.1) / micros)));
  }
}

async function time(contestant, repeats) {
  const started = process.hrtime.bigint();
  for (let index = 0; index < repeats; index++) await contestant.run();
  return Number(process.hrtime.bigint() - started) / 1000;
}

/** Median, and the spread as the middle half of the samples. */
export function summarise(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return { median: at(0.5), low: at(0.25), high: at(0.75), samples: sorted.length };
}

export function formatTable(title, unit, rows) {
  const width = Math.max(...rows.map((row) => row.name.length), 12);
  const lines = rows.map(
    (row) =>
      `${row.name.padEnd(width)}  ${number(row.median).padStart(9)}  ${`${number(row.low)} … ${number(row.high)}`.padStart(19)}  ${String(row.samples).padStart(4)}`,
  );
  const head = `${"".padEnd(width)}  ${"median".padStart(9)}  ${"middle half".padStart(19)}  ${"n".padStart(4)}`;
  return [`${title} [${unit}]`, head, ...lines, ""].join("\n");
}

function number(value) {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
