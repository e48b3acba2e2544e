// Agents as processes: a message of 1 KiB through a fabric with an agent that echoes, compared with a bare child over a pipe, and the time
// until an agent is ready.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runFabric } from "playhead/process";
import { measure } from "./measure.mjs";
import { closeScratch, openScratch } from "./scratch.mjs";

const MESSAGE = "x".repeat(1_024);
const file = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

export async function* processes({ messages = 1_000, ...options } = {}) {
  const folder = openScratch("process");
  try {
    yield await passing(folder, messages, options);
    yield await starting(options);
  } finally {
    closeScratch(folder);
  }
}

async function passing(folder, messages, options) {
  const spec = join(folder, "echo.json");
  writeFileSync(spec, JSON.stringify({ name: "echo" }));
  const opened = [openPipe(), await openFabric(spec, "stdio", "peer"), await openFabric(spec, "ipc", "zmq-peer")];
  const names = ["a bare child over a pipe", "a fabric over standard streams", "a fabric over ipc"];
  const contestants = opened.map(({ pass }, index) => ({
    name: names[index],
    units: messages,
    run: () => pass(messages),
    check: (last) => assertEcho(last),
  }));
  try {
    return { key: "message", title: "a message and its answer", unit: "µs", rows: await measure(contestants, options) };
  } finally {
    for (const { close } of opened) await close();
  }
}

/** The same child, 16 messages ahead of its answers, as a fabric sends them. */
function openPipe() {
  const child = spawn(process.execPath, [file("test/support/process/peer.mjs"), "echo"], { stdio: "pipe" });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async pass(messages) {
      let last;
      for (let sent = 0, read = 0; read < messages; read++) {
        for (; sent < messages && sent < read + 16; sent++) child.stdin.write(`${JSON.stringify(MESSAGE)}\n`);
        last = JSON.parse((await lines.next()).value);
      }
      return last;
    },
    close: () => child.kill(),
  };
}

async function openFabric(spec, transport, peer) {
  const command = [process.execPath, file(`test/support/process/${peer}.mjs`), "echo"];
  const wires = [
    { from: "input", to: "echo" },
    { from: "echo", to: "output" },
  ];
  const options = { transport, maxMessages: Number.MAX_SAFE_INTEGER };
  const fabric = await runFabric({ agents: { echo: { spec, command } }, wires }, options);
  const outputs = fabric.output[Symbol.asyncIterator]();
  const send = async (messages) => {
    for (let sent = 0; sent < messages; sent++) await fabric.send(MESSAGE);
  };
  return {
    async pass(messages) {
      const sending = send(messages);
      let last;
      for (let read = 0; read < messages; read++) last = (await outputs.next()).value;
      await sending;
      return last;
    },
    close: () => fabric.cancel(),
  };
}

async function starting(options) {
  const contestants = [
    { name: "node -e 0", units: 1000, run: () => ended(spawn(process.execPath, ["-e", "0"])) },
    { name: "a fabric of one agent, from its start to its end", units: 1000, run: greet },
  ];
  return {
    key: "start",
    title: "start",
    unit: "ms",
    rows: await measure(contestants, { ...options, sampleMs: 1, warmMs: 0 }),
  };
}

const ended = (child) => new Promise((resolve) => child.on("close", resolve));

async function greet() {
  const wires = [{ from: "input", to: "greeter" }];
  const greeter = {
    spec: file("examples/process/greeter.json"),
    cassette: file("examples/process/greeter.cassette.json"),
    env: { CASSETTE_MODE: "replay" },
  };
  const fabric = await runFabric({ agents: { greeter }, wires });
  await fabric.send("hello");
  fabric.end();
  await fabric.done();
}

function assertEcho(last) {
  if (last !== MESSAGE) throw new Error("an answer is not the message");
}
