// A worker of one engine, in a process of its own. Arguments: the module of the engine, and what to do as JSON. Prints lines of JSON.

import { writeSync } from "node:fs";

const [module, given] = process.argv.slice(2);
const task = JSON.parse(given);
const engine = await (await import(module)).open(task);
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
const DO = { deliver, steps, hold, idle };
await DO[task.kind](task);

/** Jobs that do nothing: microseconds for each, from the first `add` to the last end. */
async function deliver({ jobs, concurrency, warm }) {
  const ended = new Map();
  await engine.start(async (id) => ended.get(id)?.(), concurrency);
  const batch = async (count, letter) => {
    const ids = Array.from({ length: count }, (_, index) => `${task.name}-${letter}${index}`);
    const all = ids.map((id) => new Promise((resolve) => ended.set(id, resolve)));
    await inParallel(ids, 16, (id) => engine.add(id));
    await Promise.all(all);
  };
  await batch(warm, "w");
  const started = performance.now();
  await batch(jobs, "j");
  say({ micros: ((performance.now() - started) * 1_000) / jobs });
  await end();
}

/** One job of many steps: microseconds for each. */
async function steps({ count, warm }) {
  let settle;
  const measured = new Promise((resolve) => (settle = resolve));
  await engine.start(async (id, step) => {
    let started = 0;
    for (let index = 0; index < warm + count; index++) {
      if (index === warm) started = performance.now();
      await step(`step-${index}`, async () => "word ".repeat(40));
    }
    settle(((performance.now() - started) * 1_000) / count);
  }, 1);
  await engine.add(`${task.name}-steps`);
  say({ micros: await measured });
  await end();
}

/** Says when it begins the job, which never ends. */
async function hold({ adds }) {
  await engine.start((id) => {
    say({ began: id });
    return new Promise(() => undefined);
  }, 1);
  say({ ready: true });
  if (adds) await engine.add(`${task.name}-held`);
  await new Promise(() => setInterval(() => undefined, 60_000));
}

async function idle({ concurrency }) {
  await engine.start(async () => undefined, concurrency);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  say({ ready: true });
  await new Promise(() => setInterval(() => undefined, 60_000));
}

async function inParallel(items, places, work) {
  const rest = items.values();
  const place = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: places }, place));
}

async function end() {
  await Promise.race([engine.close(), new Promise((resolve) => setTimeout(resolve, 5_000))]);
  process.exit(0);
}
