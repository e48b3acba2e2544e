// Wall time, processor time and peak memory of `cassette drift` on very many runs, with every report, on one thread and on all cores.
// The two take turns, because a busy machine slows both.

import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatCassette, recordingProvider } from "../.playhead/modules/cassette/index.js";
import { scriptedProvider } from "../.playhead/modules/core/index.js";
import { summarise } from "./measure.mjs";
import { closeScratch, openScratch, pause } from "./scratch.mjs";
import { sampleProcess } from "./whole-process.mjs";

const bin = fileURLToPath(new URL("../dist/cli/bin.js", import.meta.url));
const FORMATS = {
  text: "txt",
  json: "json",
  junit: "xml",
  sarif: "sarif",
  github: "log",
  markdown: "md",
  html: "html",
};

/** `scenarios` of `runs` runs on each side: 3,300 runs in all. */
export async function* driftScale({ scenarios = 150, runs = 11, rounds = 3 } = {}) {
  const folder = openScratch("drift-scale");
  try {
    for (const side of ["old", "now"]) await fill(join(folder, side), side, scenarios, runs);
    const cores = availableParallelism();
    const contestants = [
      { name: "cassette drift, one thread", jobs: "1" },
      { name: `cassette drift, ${cores} threads`, jobs: String(cores) },
    ];
    const samples = contestants.map(() => []);
    for (let round = 0; round < rounds; round++) {
      for (const [at, { name, jobs }] of contestants.entries()) {
        await pause();
        samples[at].push(sampleProcess(name, argsOf(jobs), { cwd: folder }));
      }
    }
    const rows = (field) =>
      contestants.map(({ name }, at) => ({ name, ...summarise(samples[at].map((sample) => sample[field])) }));
    const what = `drift of ${2 * scenarios * runs} runs, every report`;
    yield { key: "seconds", title: `${what}: wall time`, unit: "s", rows: rows("seconds") };
    yield { key: "cpu", title: `${what}: processor time`, unit: "s", rows: rows("cpuSeconds") };
    yield { key: "peak", title: `${what}: peak memory`, unit: "MiB", rows: rows("peakMiB") };
  } finally {
    closeScratch(folder);
  }
}

function argsOf(jobs) {
  const reporter = Object.entries(FORMATS).map(([name, end]) => `${name}=drift.${end}`);
  return [bin, "drift", "old", "now", "--jobs", jobs, "--force", "--fail-on", "none", "--reporter", reporter.join()];
}

/** Agents that look up a few orders and refund some. Runs vary, and those of the candidate succeed a little less often. */
async function fill(folder, side, scenarios, runs) {
  mkdirSync(folder, { recursive: true });
  const random = createNumbers(side === "old" ? 1 : 2);
  for (let scenario = 0; scenario < scenarios; scenario++) {
    await pause();
    for (let run = 0; run < runs; run++) {
      const success = random() > (side === "old" ? 0.15 : 0.25);
      const recorder = recordingProvider(scriptedProvider(answersOf(random)));
      const messages = [{ role: "user", content: `Refund what I paid twice, case ${scenario}.` }];
      for (let isOver = false; !isOver;) {
        const { message } = await recorder.turn({ messages });
        messages.push(message);
        for (const { id, name } of message.toolCalls ?? []) {
          messages.push({ role: "tool", toolCallId: id, name, content: `${name} found ${Math.floor(1e6 * random())}` });
        }
        isOver = message.toolCalls === undefined;
      }
      const extensions = { outcome: { success }, scores: { helpful: [Math.round(100 * random()) / 100] } };
      const text = formatCassette(recorder.toCassette({ extensions }));
      writeFileSync(join(folder, `case-${scenario}.${run}.cassette.json`), text);
    }
  }
}

function answersOf(random) {
  const steps = [
    "find_user",
    "get_order",
    ...(random() < 0.4 ? ["get_order"] : []),
    ...(random() < 0.6 ? ["refund"] : []),
  ];
  const calls = steps.map((name, index) => {
    const call = { id: `call-${index}`, name, arguments: { id: index, note: name === "refund" ? "paid twice" : "" } };
    return { message: { role: "assistant", content: "", toolCalls: [call] }, stopReason: "toolUse" };
  });
  const last = {
    message: { role: "assistant", content: "It is refunded." },
    finalAnswer: "It is refunded.",
    stopReason: "stop",
  };
  return [...calls, last].map((answer, turn) => ({
    ...answer,
    model: "gpt-4o",
    usage: { inputTokens: 400 + 150 * turn, outputTokens: 20 + Math.floor(80 * random()) },
  }));
}

/** The same numbers in each run (the linear congruential generator of Numerical Recipes). */
function createNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
