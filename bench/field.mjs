// Runs each contestant in a process of its own for each work. All are alive at once and sampled in turn. So code is not
// compiled for the values of another contestant or work, and a slow moment of the machine hits all of them.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { summarise } from "./measure.mjs";

const worker = fileURLToPath(new URL("worker.mjs", import.meta.url));

/** Time limit in ms for loading a contestant, and of one sample, including its preparation. */
const SAMPLE_TIMEOUT_MS = 180_000;
/** Time in ms on one work after which a contestant has enough samples. */
const SPENT_MS = 40_000;

/**
 * The rows of each of `works`. In every round each contestant does each work once. `file` of a contestant exports the timed work, or
 * several under the name `part`. A contestant with `failed` is only listed, with that reason. `note` is added to each failure.
 */
export async function sampleField(contestants, works, options = {}) {
  const { rounds = 15, sampleMs = 40, warmMs = 0, clock = "wall" } = options;
  const states = works.map(() => contestants.map((contestant) => openState(contestant)));
  try {
    await Promise.all(states.flat().map((state) => state.process?.ready));
    for (let round = 0; round < rounds; round++) {
      for (const index of contestants.keys()) {
        for (const [at, work] of works.entries())
          await takeSample(states[at][index], { ...work, sampleMs, warmMs, clock });
      }
    }
    return states.map((list) => list.map(toRow));
  } finally {
    for (const { process: started } of states.flat()) started?.child.kill("SIGKILL");
  }
}

function openState(contestant) {
  const { failed } = contestant;
  return { contestant, values: [], spentMs: 0, failed, process: failed === undefined ? start(contestant) : undefined };
}

function start({ file, part }) {
  const env = {
    ...process.env,
    NODE_ENV: "production",
    LANGSMITH_TRACING: "false",
    MASTRA_TELEMETRY_DISABLED: "1",
    OPENAI_AGENTS_DISABLE_TRACING: "1",
  };
  // The memory reducer collects all garbage of a process that waits for its turn, and drops compiled code.
  const child = fork(worker, part === undefined ? [file] : [file, part], {
    env,
    execArgv: ["--expose-gc", "--max-old-space-size=4096", "--no-memory-reducer"],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (printed = (printed + text).slice(-4_000)));
  const timer = setTimeout(() => {
    printed = `error: it was not loaded within ${SAMPLE_TIMEOUT_MS / 1000} s`;
    child.kill("SIGKILL");
  }, SAMPLE_TIMEOUT_MS);
  const ready = Promise.race([once(child, "message"), once(child, "exit")]).finally(() => clearTimeout(timer));
  return { child, ready, errorText: () => printed };
}

async function takeSample(state, message) {
  if (state.failed !== undefined || state.spentMs > SPENT_MS) return;
  const started = Date.now();
  const { failed, micros, isGone } = await request(state.process, message);
  state.spentMs += Date.now() - started;
  if (failed === undefined) state.values.push(micros);
  else state.failed = failed;
  if (isGone) state.process.child.kill("SIGKILL");
}

function toRow({ contestant: { name, note, isPeer = false }, values, failed }) {
  if (failed === undefined) return { name, isPeer, ...summarise(values) };
  return { name, isPeer, failed: note === undefined ? failed : `${failed} (${note})`, isOptional: isPeer };
}

/** One sample. Never rejects. */
function request({ child, errorText }, message) {
  return new Promise((resolve) => {
    const settle = (answer) => {
      clearTimeout(timer);
      child.off("message", settle).off("exit", onExit);
      resolve(answer);
    };
    const onExit = (code, signal) =>
      settle({ isGone: true, failed: `its process ended with ${signal ?? code}: ${lastError(errorText())}` });
    const timer = setTimeout(
      () => settle({ isGone: true, failed: `one sample took more than ${SAMPLE_TIMEOUT_MS / 1000} s` }),
      SAMPLE_TIMEOUT_MS,
    );
    child.once("message", settle).once("exit", onExit);
    if (child.connected) child.send(message);
    else onExit(child.exitCode, child.signalCode);
  });
}

/** The line of a stack trace with the error. */
function lastError(text) {
  return text.split("\n").find((line) => /error/i.test(line)) ?? "it printed no error";
}
