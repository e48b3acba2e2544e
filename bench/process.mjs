// Agents as processes: frames and lines next to bare JSON, a message of 1 KiB through a fabric next to a bare child, an agent over a pipe
// with and without a recording, an agent that lasts, and the time until an agent is ready.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { runFabric } from "playhead/process";
import { Pull, Push } from "zeromq";
import { decodeFrame, decodeLine, encodeFrame, encodeLine } from "../.playhead/modules/core/process/index.js";
import { createReporter, openWire, runAgentProcess } from "../.playhead/modules/host/process/index.js";
import { repeat } from "../scripts/crash/fabric.mjs";
import { measure } from "./measure.mjs";
import { closeScratch, openScratch } from "./scratch.mjs";

const MESSAGE = "x".repeat(1_024);
const AHEAD = 16;
const file = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

export async function* processes({ messages = 1_000, lasting = 10_000, ...options } = {}) {
  const folder = openScratch("process");
  try {
    yield await coding(options);
    yield await passing(folder, messages, options);
    yield await answering(folder, Math.ceil(messages / 10), options);
    yield await lastingLong(lasting, options);
    yield await starting(options);
  } finally {
    closeScratch(folder);
  }
}

async function coding(options) {
  const value = { topic: "rain", lines: Array.from({ length: 16 }, (_, at) => `line ${at} ${"x".repeat(48)}`) };
  const item = { kind: "message", value };
  const assertValue = (read) => {
    if (read.lines.length !== value.lines.length) throw new Error("a message is not whole");
  };
  const contestants = [
    { name: "JSON.stringify and JSON.parse", run: () => JSON.parse(JSON.stringify(value)) },
    { name: "a line", run: () => decodeLine(encodeLine("data_out", item), "data_out").item.value },
    { name: "a frame", run: () => decodeFrame(encodeFrame("poet", item)).item.value },
  ].map((contestant) => ({ ...contestant, units: 1, check: assertValue }));
  return {
    key: "codec",
    title: "writing and reading a message of 1 KiB",
    unit: "µs",
    rows: await measure(contestants, options),
  };
}

async function passing(folder, messages, options) {
  const spec = join(folder, "echo.json");
  writeFileSync(spec, JSON.stringify({ name: "echo" }));
  const peer = (name) => [process.execPath, file(`test/support/process/${name}.mjs`), "echo"];
  const opened = [
    openPipe(),
    await openSockets(folder),
    await openFabric({ spec, command: peer("peer") }, "stdio"),
    await openFabric({ spec, command: peer("zmq-peer") }, "ipc"),
  ];
  const names = [
    "a bare child over a pipe",
    "a bare child over zeromq",
    "a fabric over standard streams",
    "a fabric over ipc",
  ];
  return await compare(opened, names, messages, { key: "message", title: "a message and its answer", options });
}

/** Our agent and a vendor that repeats what it is asked. */
async function answering(folder, messages, options) {
  const server = createServer(repeat);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${server.address().port}/v1`;
  const agent = (name, more) => {
    const spec = join(folder, `${name}.json`);
    const fields = { provider: "anthropic", model: "claude-haiku-4-5", endpoint, amnesiac: true };
    writeFileSync(spec, JSON.stringify({ name, ...fields }));
    return { spec, env: { ANTHROPIC_API_KEY: "k", CI: "", CASSETTE_MODE: "record" }, ...more };
  };
  const recorded = agent("recorded", { cassette: join(folder, "recorded.cassette.json") });
  const opened = [await openFabric(agent("plain"), "stdio"), await openFabric(recorded, "stdio")];
  const names = ["an agent", "an agent that records"];
  try {
    return await compare(opened, names, messages, {
      key: "agent",
      title: "a message and its answer by a vendor",
      options,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function compare(opened, names, messages, { key, title, options }) {
  const contestants = opened.map(({ pass }, index) => ({
    name: names[index],
    units: messages,
    run: () => pass(messages),
    check: assertEcho,
  }));
  try {
    return { key, title, unit: "µs", rows: await measure(contestants, options) };
  } finally {
    for (const { close } of opened) await close();
  }
}

/** The same child, as many messages ahead of its answers as a fabric sends them. */
function openPipe() {
  const child = spawn(process.execPath, [file("test/support/process/peer.mjs"), "echo"], { stdio: "pipe" });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pass: (messages) =>
      ahead(messages, {
        send: () => child.stdin.write(`${JSON.stringify(MESSAGE)}\n`),
        read: async () => JSON.parse((await lines.next()).value),
      }),
    close: () => child.kill(),
  };
}

/** The same child over ZeroMQ, without a fabric. */
async function openSockets(folder) {
  const address = (name) => `ipc://${join(folder, name)}`;
  const [input, output, replies] = [new Push({ linger: 0 }), new Pull({ linger: 0 }), new Pull({ linger: 0 })];
  await input.bind(address("in"));
  output.connect(address("out"));
  replies.connect(address("replies"));
  const env = {
    ...process.env,
    ...{ PLUMB_ENDPOINT_INPUT: address("in"), PLUMB_ENDPOINT_OUTPUT: address("out") },
    ...{ PLUMB_ENDPOINT_CTRL_IN: "", PLUMB_ENDPOINT_CTRL_OUT: address("replies") },
  };
  const child = spawn(process.execPath, [file("test/support/process/zmq-peer.mjs"), "echo"], { stdio: "ignore", env });
  await replies.receive();
  const head = Buffer.from([0, 0, 0, 4, ...Buffer.from("echo")]);
  const readHead = (bytes) => 4 + bytes.readUInt32BE(0);
  return {
    pass: (messages) =>
      ahead(messages, {
        send: () => input.send(Buffer.concat([head, Buffer.from(JSON.stringify(MESSAGE))])),
        async read() {
          const [bytes] = await output.receive();
          return JSON.parse(bytes.subarray(readHead(bytes)).toString());
        },
      }),
    close() {
      child.kill();
      for (const socket of [input, output, replies]) socket.close();
    },
  };
}

async function ahead(messages, { send, read }) {
  let last;
  for (let sent = 0, count = 0; count < messages; count++) {
    for (; sent < messages && sent < count + AHEAD; sent++) await send();
    last = await read();
  }
  return last;
}

async function openFabric(agent, transport) {
  const wires = [
    { from: "input", to: "echo" },
    { from: "echo", to: "output" },
  ];
  const options = { transport, maxMessages: Number.MAX_SAFE_INTEGER };
  const fabric = await runFabric({ agents: { echo: agent }, wires }, options);
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

/** One agent that forgets each message, in this process: what message 100 costs, and what the last one costs. */
async function lastingLong(messages, options) {
  const part = Math.min(100, Math.floor(messages / 2));
  const late = [];
  const early = async () => {
    const micros = await lastOnce(messages, part);
    late.push(micros.late);
    return micros.early;
  };
  const contestants = [
    { name: "message 100", sample: early },
    { name: "message 10,000", sample: () => late.shift() },
  ];
  return {
    key: "lasting",
    title: "a message to an agent that lasts",
    unit: "µs",
    rows: await measure(contestants, options),
  };
}

/** Microseconds of a message: of the `part` messages from `part` on, and of the last ones. */
async function lastOnce(messages, part) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const reporter = createReporter(() => undefined);
  const spec = { name: "poet", amnesiac: true, max_tokens: 100 };
  const loaded = { spec, documents: [], providerName: "anthropic" };
  const streams = { input, output };
  const wire = await openWire(loaded, {
    env: {},
    streams,
    reporter,
    hasTelemetry: false,
    signal: new AbortController().signal,
  });
  const process = runAgentProcess({ loaded, provider: { turn: repeatLast }, wire, reporter });
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const send = () => input.write(`${JSON.stringify(MESSAGE)}\n`);
  const read = async () => (await lines.next()).value;
  const pass = async (count) => {
    const started = performance.now();
    if ((await ahead(count, { send, read })) !== JSON.stringify(MESSAGE))
      throw new Error("an answer is not the message");
    return ((performance.now() - started) * 1_000) / count;
  };
  await pass(part);
  const early = await pass(part);
  await pass(messages - 3 * part);
  const late = await pass(part);
  input.end();
  await process;
  return { early, late };
}

async function repeatLast({ messages }) {
  const { content } = messages.at(-1);
  return { message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" };
}

async function starting(options) {
  const contestants = [
    { name: "node -e 0", units: 1000, run: () => ended(spawn(process.execPath, ["-e", "0"])) },
    { name: "a fabric of one agent, until it is ready", sample: untilReady },
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

const GREETERS = {
  agents: {
    greeter: {
      spec: file("examples/process/greeter.json"),
      cassette: file("examples/process/greeter.cassette.json"),
      env: { CASSETTE_MODE: "replay" },
    },
  },
  wires: [{ from: "input", to: "greeter" }],
};

async function untilReady() {
  const started = performance.now();
  const fabric = await runFabric(GREETERS);
  const took = performance.now() - started;
  await fabric.cancel();
  return took;
}

async function greet() {
  const fabric = await runFabric(GREETERS);
  await fabric.send("hello");
  fabric.end();
  await fabric.done();
}

function assertEcho(last) {
  if (last !== MESSAGE) throw new Error("an answer is not the message");
}
