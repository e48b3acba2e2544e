// `cassette record --proxy`: stands between an agent and its vendor until it is stopped, and writes what is said.

import {
  CassetteError,
  createCassetteStore,
  secretsOf,
  withValues,
  type RecordedStreaming,
} from "../../cassette/index.js";
import { resolveMode } from "../../harness/index.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../io.js";
import { count, createNotes, createPrinter, writeJson } from "../output.js";
import { listen } from "../serve/listen.js";
import { untilSignal, type Stop } from "../serve/stop.js";
import { proxyHandler } from "./handler.js";
import { createProxyOutput } from "./output.js";
import { createProxyRecorder, type ProxyRecorder, type ProxyWatcher } from "./recorder.js";
import { createSaver, type Saved } from "./saver.js";
import { parseTarget } from "./target.js";

/** What `cassette record --proxy` was asked. */
export interface ProxyOptions {
  target: string;
  out: string;
  port: number;
  refresh: boolean;
  /** False records secrets in clear. */
  redact?: boolean;
  json: boolean;
  /** What is kept of how streamed answers came. Default `boundaries`. */
  streams?: RecordedStreaming;
}

/** Records until `stop`. Throws where recording is refused, or nothing was recorded. */
export async function recordProxy(options: ProxyOptions, io: CommandIo, stop: Stop = untilSignal()): Promise<void> {
  try {
    const { refresh, json } = options;
    resolveMode({ CI: io.env["CI"] }, refresh ? "refresh" : "record");
    const target = parseTarget(options.target);
    const files = filesAt(io);
    const store = createCassetteStore(files);
    const output = await createProxyOutput(options.out, { files, store, cwd: io.cwd, overwrite: refresh });
    await output.check();

    const note = createNotes(io);
    const watcher: ProxyWatcher = {
      lost: (why) => note("not recorded: ", why),
      kept: (conversation) => saver.changed(conversation),
    };
    const redact = options.redact === false ? false : withValues(undefined, secretsOf(io.env));
    const { streams = "boundaries" } = options;
    const recorder: ProxyRecorder = createProxyRecorder(watcher, { redact, streams });
    const saver = createSaver({
      cassetteOf: (conversation) => recorder.toCassette(conversation),
      write: (conversation, cassette) => output.write(conversation, cassette),
      failed: (why) => note("not written: ", why),
    });
    const server = await listen(
      proxyHandler(target, recorder, (why) => note("not answered: ", why)),
      { port: options.port },
    );
    const print = json ? note : createPrinter(io);
    print(`recording at ${server.url}, in front of `, target.href);
    print(`   OPENAI_BASE_URL=${server.url}/v1 ANTHROPIC_BASE_URL=${server.url} OLLAMA_HOST=${server.url}`);
    await stop.stopped;
    await server.close();
    await recorder.idle();
    const saved = await saver.finish();
    for (const file of output.stale()) note("left from an earlier recording: ", file);
    finish(recorder, saved, options, io);
  } finally {
    stop.now();
  }
}

function finish(recorder: ProxyRecorder, saved: readonly Saved[], { json, out }: ProxyOptions, io: CommandIo): void {
  const { lost } = recorder;
  if (saved.length === 0) {
    const also = lost.length === 0 ? "" : `; ${count(lost.length, "turn")} could not be`;
    throw new CassetteError("nothing-recorded", `no turn was recorded${also}`, {
      file: out,
      hint: "Point the client's base URL at this proxy, and see what it answered.",
    });
  }
  const unwritten = saved.filter((one) => "error" in one);
  const exitCode = unwritten.length > 0 ? EXIT.failed : lost.length > 0 ? EXIT.drift : EXIT.ok;
  io.exit(exitCode);
  if (json) {
    writeJson(io, "record", exitCode, { cassettes: saved, lost });
    return;
  }
  const print = createPrinter(io);
  for (const one of saved) {
    if ("error" in one) print({ look: "bad", text: `not written, ${count(one.turns, "turn")}: ` }, one.error);
    else print("recorded ", one.file, `, ${count(one.turns, "turn")}`);
  }
  if (lost.length > 0) print({ look: "bad", text: `${count(lost.length, "turn")} could not be recorded` });
}
