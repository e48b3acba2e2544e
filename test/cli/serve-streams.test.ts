// A stream through both servers: recorded by the proxy as it was cut, and served so again on every wire.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { recordProxy } from "../../src/cli/proxy/proxy.js";
import { serve, type ServeOptions } from "../../src/cli/serve/serve.js";
import type { CommandIo } from "../../src/cli/terminal/io.js";
import type { LlmProviderAdapter, LlmStreamEvent } from "../../src/core/index.js";
import { nodeFiles } from "../../src/host/files.js";
import { BUILDERS } from "../support/wire.js";
import { hello, listen } from "../support/wire.js";
import { cli, folder } from "./run.js";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Stop = { stopped: Promise<void>; now: () => void };

/** Starts a server, and resolves with its address when it has said it. */
async function start(command: (io: CommandIo, stop: Stop) => Promise<void>) {
  let printed = "";
  let end: () => void = () => undefined;
  let isUp: () => void = () => undefined;
  const up = new Promise<void>((resolve) => (isUp = resolve));
  const stopped = new Promise<void>((resolve) => (end = resolve));
  const write = (text: string) => {
    printed += text;
    if (/http:\S+:\d+/.test(printed)) isUp();
  };
  const look = { cwd: folder, isTTY: false, stderrIsTTY: false, files: nodeFiles(), env: {}, exit: () => undefined };
  const done = command({ stdout: write, stderr: write, ...look }, { stopped, now: () => end() });
  await Promise.race([up, done]);
  const stop = async () => {
    end();
    await done;
    return printed;
  };
  closing.push(() => stop().catch(() => undefined));
  return { url: /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? "", stop };
}

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const call = (text: string, extra: object = {}) =>
  chunk({
    tool_calls: [{ index: 0, ...extra, function: { ...("id" in extra ? { name: "look" } : {}), arguments: text } }],
  });
const BODY = [
  chunk({ role: "assistant", content: "Let" }),
  chunk({ content: " me look: " }),
  chunk({ content: "𝄞" }),
  call("", { id: "call_1", type: "function" }),
  call('{"pla'),
  call('ce": "Oslo"}'),
  chunk({}, "tool_calls"),
  "data: [DONE]\n\n",
];

async function eventsOf(provider: LlmProviderAdapter): Promise<LlmStreamEvent[]> {
  const all: LlmStreamEvent[] = [];
  for await (const event of (provider as Required<LlmProviderAdapter>).stream(hello)) all.push(event);
  return all;
}

const cutsOf = (events: readonly LlmStreamEvent[]) =>
  events
    .flatMap((event) =>
      event.type === "response" ? [] : event.type === "tool-call-delta" ? event.argumentsText : event.text,
    )
    .filter((text) => text !== "");
const PIECES = ["Let", " me look: ", "𝄞", '{"pla', 'ce": "Oslo"}'];

/** Records the stream above through a proxy, into a file of this name. */
async function recordThrough(name: string, streams: "boundaries" | "times" | false): Promise<CassetteV2> {
  const vendor = await listen((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const part of BODY) response.write(part);
      response.end();
    });
  });
  closing.push(vendor.close);
  const proxy = await start((io, stop) =>
    recordProxy({ target: vendor.baseURL, out: name, port: 0, refresh: false, json: false, streams }, io, stop),
  );
  const events = await eventsOf(BUILDERS.openai({ baseURL: `${proxy.url}/v1` }));
  expect(cutsOf(events)).toEqual(PIECES);
  await proxy.stop();
  return parseCassette(readFileSync(join(folder, name))) as CassetteV2;
}

const serving = (path: string, options: Partial<ServeOptions>) =>
  start((io, stop) => serve([path], { port: 0, ...options }, io, stop));

describe("a stream through the recording proxy", () => {
  it("is kept as it was cut, with times where they are asked for, or not at all", async () => {
    const deltas = "t3 t10 t2 c0in:0 c0:5 c0:12";
    const bounded = await recordThrough("cut.cassette.json", "boundaries");
    expect(bounded.extensions?.streams).toEqual([{ turn: 0, deltas, spaces: { 0: "9s" } }]);
    const [timed] = (await recordThrough("timed.cassette.json", "times")).extensions?.streams as [
      { deltas: string; end: number },
    ];
    expect(timed.deltas.replace(/\+\d+/g, "")).toBe(deltas);
    expect(timed.end).toBeGreaterThanOrEqual(0);
    expect((await recordThrough("none.cassette.json", false)).extensions).not.toHaveProperty("streams");
  });
});

describe("cassette serve", () => {
  it.each([
    ["openai", "chunked", PIECES],
    ["openai", "timed", PIECES],
    ["openai", "whole", ["Let me look: 𝄞", '{"place":"Oslo"}']],
    ["anthropic", "chunked", PIECES],
    ["anthropic", "timed", PIECES],
    ["ollama", "chunked", [...PIECES.slice(0, 3), '{"place":"Oslo"}']],
  ] as const)("cuts a stream on the wire of %s, %s", async (wire, streaming, pieces) => {
    mkdirSync(join(folder, "streams"), { recursive: true });
    const name = `streams/${wire}-${streaming}.cassette.json`;
    await recordThrough(name, "times");
    const { url, stop } = await serving(name, { streaming, speed: 1000 });
    const path = wire === "openai" ? "/v1" : "";
    const events = await eventsOf(BUILDERS[wire]({ baseURL: `${url}${path}` }));
    expect(cutsOf(events)).toEqual(pieces);
    expect(events.at(-1)).toMatchObject({
      type: "response",
      response: { message: { content: "Let me look: 𝄞", toolCalls: [{ name: "look", arguments: { place: "Oslo" } }] } },
    });
    expect(await stop()).toContain("1 of 1 turn used");
  });

  it("says which streams it cannot cut as recorded", async () => {
    const { extensions } = await recordThrough("boundless.cassette.json", "boundaries");
    expect(extensions?.streams).toHaveLength(1);
    const { stop } = await serving("boundless.cassette.json", { streaming: "timed" });
    expect(await stop()).toContain("no times were recorded");
  });

  it("refuses a speed that is invalid, or that nothing uses", async () => {
    writeFileSync(join(folder, "any.cassette.json"), "{}");
    const served = ["serve", "any.cassette.json"];
    expect((await cli([...served, "--streaming", "timed", "--speed", "0"])).err).toContain("above 0");
    expect((await cli([...served, "--speed", "2"])).err).toContain("--speed was given without --streaming timed");
    expect((await cli([...served, "--streaming", "slow"])).err).toContain("whole, chunked, timed");
    expect((await cli(["record", "--streams", "times", "--", "true"])).err).toContain("--streams needs --proxy");
  });
});
