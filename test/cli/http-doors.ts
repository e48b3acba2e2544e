// Every way to record HTTP requests, and every way to play them, for tests that go over all of them.

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestHandler } from "msw";
import { setupServer } from "msw/node";
import { expect, vi } from "vitest";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { recordProxy, type ProxyOptions } from "../../src/cli/proxy/proxy.js";
import type { Stop } from "../../src/cli/serve/listen.js";
import { serve, type ServeOptions } from "../../src/cli/serve/serve.js";
import type { CommandIo } from "../../src/cli/terminal/io.js";
import { useCassette } from "../../src/entry/harness.js";
import { cassetteHandlers, recordingHandlers, useCassetteHandlers } from "../../src/entry/msw.js";
import { nodeFiles } from "../../src/host/files.js";
import { afterEachTest } from "../support/hooks.js";
import { folder } from "./run.js";

const closing: (() => Promise<unknown>)[] = [];
afterEachTest(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Closes with the test. */
export function closeLater(close: () => Promise<unknown>): void {
  closing.push(close);
}

const msw = setupServer();
/** Runs with these handlers alone. Without them, MSW is not in the way of fetch. */
export async function withHandlers(handlers: readonly RequestHandler[], use: () => Promise<void>): Promise<void> {
  msw.listen({ onUnhandledRequest: "bypass" });
  msw.resetHandlers(...handlers);
  try {
    await use();
  } finally {
    msw.resetHandlers();
    msw.close();
  }
}

export interface Door {
  url: string;
  stop(): Promise<{ code: number; out: string; err: string }>;
}

async function start(command: (io: CommandIo, stop: Stop) => Promise<void>): Promise<Door> {
  const printed = { out: "", err: "", code: 0 };
  let end: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (end = resolve));
  let isUp: () => void = () => undefined;
  const up = new Promise<void>((resolve) => (isUp = resolve));
  const look = (): void => void (/http:\/\/127\.0\.0\.1:\d+/.test(printed.out + printed.err) && isUp());
  const io: CommandIo = {
    stdout: (text) => void ((printed.out += text), look()),
    stderr: (text) => void ((printed.err += text), look()),
    env: {},
    cwd: folder,
    isTTY: false,
    stderrIsTTY: false,
    files: nodeFiles(),
    exit: (code) => void (printed.code = code),
  };
  const done = command(io, { stopped, now: end });
  await Promise.race([up, done]);
  const stop = async () => {
    end();
    await done;
    return printed;
  };
  closing.push(() => stop().catch(() => undefined));
  return { url: /http:\/\/127\.0\.0\.1:\d+/.exec(printed.out + printed.err)?.[0] ?? "", stop };
}

export const proxying = (target: string, out: string, options: Partial<ProxyOptions> = {}) =>
  start((io, stop) => recordProxy({ target, out, port: 0, refresh: false, json: false, ...options }, io, stop));
export const serving = (path: string, options: Partial<ServeOptions> = {}) =>
  start((io, stop) => serve([path], { port: 0, ...options }, io, stop));
export const load = (path: string) => parseCassette(readFileSync(join(folder, path))) as CassetteV2;
export const newFolder = () => mkdtempSync(join(folder, "kind-")).slice(folder.length + 1);
const basesOf = (url: string) => ({
  openai: [`${url}/v1`, url],
  anthropic: url,
  gemini: url,
  bedrock: url,
  cohere: url,
  ollama: url,
});

/** Records what `use` sends to `url`, errors too. Resolves to the file. */
type Recording = (target: string, use: (url: string) => Promise<void>) => Promise<string>;
/** Plays a file for what `use` sends. Fails for a miss and for an unused turn or exchange. */
type Playing = (path: string, use: (url: string) => Promise<void>) => Promise<void>;

export const RECORDERS: Readonly<Record<string, Recording>> = {
  async proxy(target, use) {
    const out = `${newFolder()}/run.cassette.json`;
    const proxy = await proxying(target, out, { keepErrors: true });
    await use(proxy.url);
    expect(await proxy.stop()).toMatchObject({ code: 0 });
    return out;
  },
  async msw(target, use) {
    const out = `${newFolder()}/run.cassette.json`;
    const recording = recordingHandlers({ baseUrls: basesOf(target), keepErrors: true });
    await withHandlers(recording, () => use(target));
    writeFileSync(join(folder, out), formatCassette(await recording.toCassette()));
    return out;
  },
  async useCassetteHandlers(target, use) {
    const out = `${newFolder()}/run.cassette.json`;
    const options = { mode: "record", baseUrls: basesOf(target), keepErrors: true } as const;
    const recording = await useCassetteHandlers(join(folder, out), options);
    await withHandlers(recording, () => use(target));
    await recording.done();
    return out;
  },
};

export const PLAYERS: Readonly<Record<string, Playing>> = {
  async serve(path, use) {
    const server = await serving(path);
    await use(server.url);
    expect(await server.stop()).toMatchObject({ code: 0, err: "" });
  },
  async msw(path, use) {
    const url = "http://vendor.test";
    const replay = cassetteHandlers(load(path), { baseUrls: basesOf(url) });
    await withHandlers(replay, () => use(url));
    await replay.done();
  },
  async useCassetteHandlers(path, use) {
    const url = "http://vendor.test";
    const replay = await useCassetteHandlers(join(folder, path), { mode: "replay", baseUrls: basesOf(url) });
    await withHandlers(replay, () => use(url));
    await replay.done();
  },
  async "a handle of useCassette"(path, use) {
    const url = "http://vendor.test";
    const warn = vi.spyOn(console, "warn");
    const handle = await useCassette(join(folder, path), () => Promise.reject(new Error("live")), { mode: "replay" });
    const replay = cassetteHandlers(handle, { baseUrls: basesOf(url) });
    await withHandlers(replay, () => use(url));
    await replay.done();
    expect(warn.mock.calls).toEqual([]);
    warn.mockRestore();
  },
};
