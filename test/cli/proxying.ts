// `cassette record --proxy` inside a test's own process, and a vendor behind it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { recordProxy, type ProxyOptions } from "../../src/cli/proxy/proxy.js";
import { nodeFiles } from "../../src/host/files.js";
import { afterEachTest } from "../support/hooks.js";
import { listen } from "../support/wire.js";
import { folder } from "./run.js";

const closing: (() => Promise<unknown>)[] = [];
afterEachTest(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Closes with the test. */
export function closeLater(close: () => Promise<unknown>): void {
  closing.push(close);
}

/** A vendor that answers every request with the same body. */
export async function vendor(body: string | Uint8Array, headers: Record<string, string> = {}): Promise<string> {
  const live = await listen((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(200, { "content-type": "application/json", ...headers }).end(body));
  });
  closeLater(live.close);
  return live.baseURL;
}

export const ANSWER = JSON.stringify({
  choices: [{ message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
});
export const chat = (content: string, extra: object = {}) =>
  JSON.stringify({ model: "m", messages: [{ role: "user", content }], ...extra });
export const ask = (url: string, body: string | Uint8Array, headers = {}) =>
  fetch(`${url}/chat/completions`, { method: "POST", body: body as string, headers });

export interface Proxy {
  url: string;
  printed: { out: string; err: string; code: number };
  stop(): Promise<void>;
}

/** Starts a proxy, and resolves when it has said where it listens. */
export async function proxying(target: string, out: string, given: Partial<ProxyOptions> = {}): Promise<Proxy> {
  const printed = { out: "", err: "", code: 0 };
  let end: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (end = resolve));
  let isUp: () => void = () => undefined;
  const up = new Promise<void>((resolve) => (isUp = resolve));
  const io = {
    stdout: (text: string) => {
      printed.out += text;
      if (printed.out.includes("recording at")) isUp();
    },
    stderr: (text: string) => void (printed.err += text),
    env: {},
    cwd: folder,
    isTTY: false,
    stderrIsTTY: false,
    files: nodeFiles(),
    exit: (code: number) => void (printed.code = code),
  };
  const done = recordProxy({ target, out, port: 0, refresh: false, json: false, ...given }, io, { stopped, now: end });
  await Promise.race([up, done]);
  const stop = async (): Promise<void> => {
    end();
    await done;
  };
  closeLater(() => stop().catch(() => undefined));
  return { url: /http:\/\/127\.0\.0\.1:\d+/.exec(printed.out)?.[0] ?? "", printed, stop };
}

export const load = (file: string) => parseCassette(readFileSync(join(folder, file))) as CassetteV2;
