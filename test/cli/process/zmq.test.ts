// An agent over ZeroMQ. The test is its fabric, and has no code of ours on the sockets.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Context, curveKeyPair, Pull, Push } from "zeromq";
import { repositoryRoot } from "../../support/built.js";
import { PATIENCE } from "../../support/patience.js";
import { freePort } from "../../../scripts/free-port.mjs";
import { sized } from "../../support/process/sized.js";
import { startVendor, type LocalVendor } from "../../support/process/vendor.js";

const BIN = join(repositoryRoot, "dist/cli/bin.js");

let folder = "";
let vendor: LocalVendor | undefined;
let sockets: (Push | Pull)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "playhead-zmq-"));
});
afterEach(async () => {
  for (const socket of sockets) {
    if (socket.closed) continue;
    socket.linger = 0;
    socket.close();
  }
  sockets = [];
  await vendor?.close();
  vendor = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const ipc = (name: string): string => `ipc://${join(folder, name)}`;
const NO_ENDPOINTS = Object.fromEntries(
  ["INPUT", "OUTPUT", "CTRL_IN", "CTRL_OUT", "TELEMETRY", "TOOL_REQ", "TOOL_RESP"].map((name) => [
    `PLUMB_ENDPOINT_${name}`,
    "",
  ]),
);

/** Preloaded, it says when the process has got SIGTERM. */
const ECHO = `--import=data:text/javascript,${encodeURIComponent('process.on("SIGTERM", () => process.stderr.write("got SIGTERM\\n"))')}`;

function start(fields: object, env: Record<string, string>) {
  const path = join(folder, "spec.json");
  const base = {
    name: "poet",
    provider: "anthropic",
    model: "claude-haiku-4-5",
    endpoint: vendor?.endpoint ?? "http://127.0.0.1:9",
  };
  writeFileSync(path, JSON.stringify({ ...base, ...fields }));
  const own = { CI: "", ANTHROPIC_API_KEY: "k", PLUMB_TELEMETRY: "", ...NO_ENDPOINTS, ...env };
  const child = spawn(process.execPath, [BIN, "agent", path], { env: { ...process.env, ...own } });
  const said = { stderr: "", stdout: "" };
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text));
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...said }));
  return { child, said, ended };
}

function frame(payload: string | Buffer): Buffer {
  const topic = Buffer.from("poet");
  return Buffer.concat([Buffer.from([0, 0, 0, topic.length]), topic, Buffer.from(payload)]);
}
const END = frame("");

/** A message with provenance. */
function traced(value: unknown, trace: object): Buffer {
  const provenance = Buffer.from(JSON.stringify(trace));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(provenance.length);
  return frame(Buffer.concat([Buffer.from([2]), length, provenance, Buffer.from(JSON.stringify(value))]));
}

async function bind(endpoint: string, options: object = {}): Promise<Push> {
  const push = new Push({ sendHighWaterMark: 0, ...options });
  sockets.push(push);
  await push.bind(endpoint);
  return push;
}

function connect(endpoint: string, options: object = {}): Pull {
  const pull = new Pull(options);
  sockets.push(pull);
  pull.connect(endpoint);
  return pull;
}

/** The payload of the next frame: its provenance, if it has one, and its text. */
async function next(pull: Pull): Promise<{ trace?: Record<string, unknown>; text: string }> {
  const frames = await pull.receive();
  expect(frames).toHaveLength(1);
  const [bytes = Buffer.alloc(0)] = frames;
  const length = bytes.readUInt32BE(0);
  expect(bytes.subarray(4, 4 + length).toString()).toBe("poet");
  const payload = bytes.subarray(4 + length);
  if (payload[0] !== 2) return { text: payload.toString() };
  const end = 5 + payload.readUInt32BE(1);
  const trace = JSON.parse(payload.subarray(5, end).toString()) as Record<string, unknown>;
  return { trace, text: payload.subarray(end).toString() };
}

describe("cassette agent over ZeroMQ", () => {
  it("PLM-26 PLM-27 PLM-28 PLM-29 PLM-30 PLM-33 PLM-35 PLM-154 has one socket for each stream, and ends them in order", async () => {
    vendor = await startVendor(({ user }) => user);
    const env = {
      PLUMB_ENDPOINT_INPUT: ipc("in"),
      PLUMB_ENDPOINT_OUTPUT: ipc("out"),
      PLUMB_ENDPOINT_CTRL_IN: ipc("ctrl_in"),
      PLUMB_ENDPOINT_CTRL_OUT: ipc("ctrl_out"),
      PLUMB_ENDPOINT_TELEMETRY: ipc("telemetry"),
    };
    const [input, control] = [await bind(ipc("in")), await bind(ipc("ctrl_in"))];
    const [output, replies, telemetry] = [connect(ipc("out")), connect(ipc("ctrl_out")), connect(ipc("telemetry"))];
    const { ended } = start({ control: true }, env);
    expect(await next(replies)).toEqual({ text: '{"status":"ready"}' });
    expect((await next(telemetry)).text).toMatch(/^\{"kind":"config"/);
    await input.send(frame('{ "bare": 1 }'));
    await input.send(traced("b", { id: "input:7", path: [] }));
    expect(await next(output)).toMatchObject({ trace: { path: [{ agent: "poet", seq: 1 }] }, text: '{"bare":1}' });
    expect(await next(output)).toMatchObject({
      trace: { id: "input:7", path: [{ agent: "poet", seq: 2 }] },
      text: '"b"',
    });
    expect((await next(telemetry)).trace).toMatchObject({ path: [{ agent: "poet" }] });
    await control.send(frame('{"pause":true}'));
    expect(await next(replies)).toEqual({ text: '{"kind":"pause_ack"}' });
    await control.send(traced({ resume: true }, { id: "x" }));
    expect(await next(replies)).toEqual({ text: '{"kind":"resume_ack"}' });
    await input.send(frame(Buffer.from("\u0001heat")));
    await input.send(END);
    expect(await next(output)).toEqual({ text: "\u0001heat" });
    expect(await next(output)).toEqual({ text: "" });
    await control.send(END);
    expect(await next(replies)).toEqual({ text: "" });
    expect(await ended).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("PLM-07 PLM-13 PLM-31 PLM-32 asks for a tool in bare JSON, and reads its result", async () => {
    vendor = await startVendor(({ user }) => (user === "1" ? { tool: "look", args: { at: 7 } } : JSON.stringify(user)));
    const list = join(folder, "tools.json");
    writeFileSync(list, JSON.stringify([{ name: "look", inputSchema: { type: "object" } }]));
    const env = {
      ...{ PLUMB_ENDPOINT_INPUT: ipc("in"), PLUMB_ENDPOINT_OUTPUT: ipc("out"), PLUMB_MCP_TOOLS: list },
      ...{ PLUMB_ENDPOINT_TOOL_REQ: ipc("req"), PLUMB_ENDPOINT_TOOL_RESP: ipc("resp") },
    };
    const [input, results] = [await bind(ipc("in")), await bind(ipc("resp"))];
    const [output, requests] = [connect(ipc("out")), connect(ipc("req"))];
    const { ended } = start({ tools: ["look"] }, env);
    await input.send(frame("1"));
    await input.send(END);
    const request = JSON.parse((await next(requests)).text) as { id: string };
    expect(request).toEqual({ id: request.id, name: "look", arguments: { at: 7 } });
    await results.send(frame(JSON.stringify({ id: request.id, content: { seen: "a cat" } })));
    expect((await next(output)).text).toBe(JSON.stringify('{"seen":"a cat"}'));
    expect(await next(output)).toMatchObject({ text: "" });
    expect(await next(requests)).toEqual({ text: "" });
    expect(await ended).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("delivers all of its output although its reader comes late", async () => {
    const text = "x".repeat(100_000);
    vendor = await startVendor(() => JSON.stringify(text));
    const input = await bind(ipc("in"));
    const env = { PLUMB_ENDPOINT_INPUT: ipc("in"), PLUMB_ENDPOINT_OUTPUT: ipc("out") };
    const first = connect(ipc("out"));
    const { ended } = start({ amnesiac: true }, env);
    const messages = sized(40, 250);
    for (let at = 0; at < messages; at++) await input.send(frame(String(at)));
    await input.send(END);
    // Reading begins after the last answer.
    await vi.waitUntil(() => vendor?.asked.length === messages, PATIENCE);
    await new Promise((resolve) => setTimeout(resolve, sized(0, 3_000)));
    for (let at = 0; at < messages; at++) expect((await next(first)).text).toHaveLength(text.length + 2);
    expect(await next(first)).toEqual({ text: "" });
    expect((await ended).code).toBe(0);
  });

  it("skips what is no item, and answers what comes behind it", async () => {
    vendor = await startVendor(() => "1");
    const [input, output] = [await bind(ipc("in")), connect(ipc("out"))];
    const { ended } = start({}, { PLUMB_ENDPOINT_INPUT: ipc("in"), PLUMB_ENDPOINT_OUTPUT: ipc("out") });
    await input.send(Buffer.from([0, 0]));
    await input.send([frame("1"), frame("2")]);
    await input.send(frame("no"));
    await input.send(frame("1"));
    await input.send(END);
    expect((await next(output)).text).toBe("1");
    const { stderr, code } = await ended;
    const codes = stderr
      .trim()
      .split("\n")
      .map((text) => (JSON.parse(text) as { code: string }).code);
    expect([codes, code]).toEqual([["frame-malformed", "frame-malformed", "not-json"], 0]);
  });

  it("PLM-39 ends with an error when it is aborted while nobody reads its output", async () => {
    vendor = await startVendor(() => "1");
    const input = await bind(ipc("in"));
    const env = { PLUMB_ENDPOINT_INPUT: ipc("in"), PLUMB_ENDPOINT_OUTPUT: ipc("out"), NODE_OPTIONS: ECHO };
    const { child, said, ended } = start({}, env);
    await input.send(frame("1"));
    await vi.waitUntil(() => vendor?.asked.length === 1, PATIENCE);
    child.kill("SIGTERM");
    await vi.waitUntil(() => said.stderr.includes("got SIGTERM"), PATIENCE);
    child.kill("SIGTERM");
    const { code, stderr } = await ended;
    expect(code).toBe(143);
    expect(stderr).toContain('"code":"aborted"');
  });

  it("PLM-09 exits with 2 if an address is missing, unusable, in the open without keys, or keys are no keys", async () => {
    const input = { PLUMB_ENDPOINT_INPUT: ipc("in") };
    const both = { ...input, PLUMB_ENDPOINT_OUTPUT: ipc("out") };
    const key = "x".repeat(40);
    const cases: [Record<string, string>, string][] = [
      [input, "PLUMB_ENDPOINT_OUTPUT is not"],
      [{ ...both, PLUMB_ENDPOINT_TOOL_REQ: ipc("req") }, "PLUMB_ENDPOINT_TOOL_RESP is not"],
      [{ ...both, PLUMB_ENDPOINT_OUTPUT: "tcp://0.0.0.0:5550" }, "other machines"],
      [{ ...both, PLUMB_ENDPOINT_OUTPUT: "tcp://*:5550" }, "is not an address"],
      [{ ...both, PLUMB_ENDPOINT_OUTPUT: ipc("no/such/folder") }, "cannot be opened"],
      [{ ...both, PLUMB_CURVE_PUBLIC: key, PLUMB_CURVE_SECRET: key, PLUMB_CURVE_PEER: "short" }, "not the keys"],
    ];
    const ends = await Promise.all(cases.map(([env]) => start({}, env).ended));
    for (const [index, { code, stderr }] of ends.entries()) {
      expect(JSON.parse(stderr)).toMatchObject({
        code: "endpoint-invalid",
        error: expect.stringContaining(cases[index]?.[1] ?? "") as string,
      });
      expect([code, stderr.includes(key)]).toEqual([2, false]);
    }
  });

  it("PLM-13 exits with 2 if its spec has tools, and a stream of tools has no address", async () => {
    const list = join(folder, "tools.json");
    writeFileSync(list, JSON.stringify([{ name: "look", inputSchema: { type: "object" } }]));
    const env = { PLUMB_ENDPOINT_INPUT: ipc("in"), PLUMB_ENDPOINT_OUTPUT: ipc("out"), PLUMB_MCP_TOOLS: list };
    const { code, stderr } = await start({ tools: ["look"] }, env).ended;
    expect(JSON.parse(stderr)).toMatchObject({
      code: "endpoint-invalid",
      error: "the spec has tools, but PLUMB_ENDPOINT_TOOL_REQ is not set",
    });
    expect(code).toBe(2);
  });

  it("talks over TCP to the keys on its list alone", async () => {
    vendor = await startVendor(() => "1");
    const [agent, fabric, stranger] = [curveKeyPair(), curveKeyPair(), curveKeyPair()];
    const ports = await Promise.all(Array.from({ length: 4 }, freePort));
    const [inAddress = "", outAddress = "", controlAddress = "", replyAddress = ""] = ports.map(
      (port) => `tcp://127.0.0.1:${port}`,
    );
    const asServer = (own: typeof agent) => ({
      curveServer: true,
      curvePublicKey: own.publicKey,
      curveSecretKey: own.secretKey,
    });
    const asClient = (own: typeof agent) => ({
      curveServerKey: agent.publicKey,
      curvePublicKey: own.publicKey,
      curveSecretKey: own.secretKey,
    });
    const foreign = connect(outAddress, { ...asClient(stranger), context: new Context() });
    const plain = connect(outAddress, { context: new Context() });
    const stolen = [foreign, plain].map((pull) =>
      pull.receive().then(
        () => "taken",
        () => "nothing",
      ),
    );
    // A stranger has the address of control.
    const orders = await bind(controlAddress, { ...asServer(stranger), context: new Context() });
    void orders.send(frame('{"set_model":"evil"}')).catch(() => undefined);
    const { ended } = start(
      { control: true, amnesiac: true },
      {
        PLUMB_ENDPOINT_INPUT: inAddress,
        PLUMB_ENDPOINT_OUTPUT: outAddress,
        PLUMB_ENDPOINT_CTRL_IN: controlAddress,
        PLUMB_ENDPOINT_CTRL_OUT: replyAddress,
        PLUMB_CURVE_PUBLIC: agent.publicKey,
        PLUMB_CURVE_SECRET: agent.secretKey,
        PLUMB_CURVE_PEER: fabric.publicKey,
      },
    );
    const [output, replies] = [connect(outAddress, asClient(fabric)), connect(replyAddress, asClient(fabric))];
    const input = await bind(inAddress, asServer(fabric));
    const messages = sized(20, 1_000);
    for (let at = 0; at < messages; at++) await input.send(frame(String(at)));
    for (let at = 0; at < messages; at++) expect((await next(output)).text).toBe("1");
    expect(new Set(vendor.asked.map(({ model }) => model))).toEqual(new Set(["claude-haiku-4-5"]));
    // The same order counts once it comes from the fabric.
    orders.linger = 0;
    orders.close();
    // A closed socket gives its address up a moment later.
    const control = await vi.waitFor(() => bind(controlAddress, asServer(fabric)), PATIENCE);
    await control.send(frame('{"set_model":"mine","get_memory":true}'));
    expect((await next(replies)).text).toBe('{"status":"ready"}');
    expect((await next(replies)).text).toContain('"kind":"memory"');
    await input.send(frame("1"));
    expect((await next(output)).text).toBe("1");
    expect(vendor.asked.at(-1)?.model).toBe("mine");
    await input.send(END);
    expect((await next(output)).text).toBe("");
    await control.send(END);
    expect((await next(replies)).text).toBe("");
    expect((await ended).code).toBe(0);
    for (const pull of [foreign, plain]) pull.close();
    expect(await Promise.all(stolen)).toEqual(["nothing", "nothing"]);
  });
});
