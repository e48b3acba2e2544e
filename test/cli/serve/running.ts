// `cassette serve` inside a test's own process, until it is stopped.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { createRecorder } from "../../../src/cassette/record/recorder.js";
import { serve, type ServeOptions } from "../../../src/cli/serve/serve.js";
import { nodeFiles } from "../../../src/host/files.js";
import { afterEachTest } from "../../support/hooks.js";
import { assertDocument } from "../../support/published-schemas.js";
import { fixedPorts, prompt } from "../../support/recording.js";
import { say } from "../../support/script.js";
import { folder } from "../run.js";

const closing: (() => Promise<unknown>)[] = [];
afterEachTest(async () => {
  for (const close of closing.splice(0)) await close().catch(() => undefined);
});

/** Closes with the test. */
export function closeLater(close: () => Promise<unknown>): void {
  closing.push(close);
}

/** Starts a server, and resolves when it has said where it listens. */
export async function startServe(paths: string[], options: Partial<ServeOptions> = {}, env = {}) {
  const printed = { out: "", err: "", code: 0 };
  let end: () => void = () => undefined;
  let isUp: () => void = () => undefined;
  const up = new Promise<void>((resolve) => (isUp = resolve));
  const stopped = new Promise<void>((resolve) => (end = resolve));
  const look = (): void => void (/http:\/\/127\.0\.0\.1:\d+/.test(printed.out + printed.err) && isUp());
  const done = serve(
    paths,
    { port: 0, ...options },
    {
      stdout: (text) => void ((printed.out += text), look()),
      stderr: (text) => void ((printed.err += text), look()),
      ...{ env, cwd: folder, isTTY: false, stderrIsTTY: false, files: nodeFiles() },
      exit: (code) => (printed.code = code),
    },
    { stopped, now: () => end() },
  );
  await Promise.race([up, done]);
  const stop = async () => {
    end();
    await done;
    const document = options.json === true ? (JSON.parse(printed.out) as Record<string, unknown>) : {};
    if (options.json === true) assertDocument(document as { command: string });
    return { ...printed, document };
  };
  closeLater(stop);
  return { url: /http:\/\/127\.0\.0\.1:\d+/.exec(printed.out + printed.err)?.[0] ?? "", stop };
}

/** Writes a JSON file, and returns its path. */
export function placeJson(name: string, value: unknown): string {
  writeFileSync(join(folder, name), JSON.stringify(value));
  return join(folder, name);
}

/** A cassette of single turns, by question and answer. */
export function cassetteOf(turns: Readonly<Record<string, string>>): CassetteV2 {
  const recorder = createRecorder(() => "proxy", { ports: fixedPorts() });
  for (const [question, answer] of Object.entries(turns)) recorder.open(prompt(question)).answer(say(answer));
  return recorder.toCassette();
}

/** Sends one question as a client of OpenAI or Anthropic does. */
export async function send(url: string, question: string, given: Readonly<Record<string, unknown>> = {}) {
  const { path = "/v1/chat/completions", ...more } = given;
  const body = { model: "m", messages: [{ role: "user", content: question }], ...more };
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}${String(path)}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
