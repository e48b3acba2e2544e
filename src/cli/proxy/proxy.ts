// `cassette record --proxy`: stands between an agent and its vendor until it is stopped, then writes what was said.

import { CassetteError, createCassetteStore } from "../../cassette/index.js";
import { resolveMode } from "../../harness/index.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../io.js";
import { count, createNotes, createPrinter, writeJson } from "../output.js";
import { listen } from "../serve/listen.js";
import { untilSignal, type Stop } from "../serve/stop.js";
import { proxyHandler } from "./handler.js";
import { createProxyOutput } from "./output.js";
import { createProxyRecorder, type ProxyRecorder } from "./recorder.js";
import { parseTarget } from "./target.js";

/** What `cassette record --proxy` was asked. */
export interface ProxyOptions {
  target: string;
  out: string;
  port: number;
  refresh: boolean;
  json: boolean;
}

/** Records until `stop`. Throws where recording is refused, or nothing was recorded. */
export async function recordProxy(options: ProxyOptions, io: CommandIo, stop: Stop = untilSignal()): Promise<void> {
  try {
    const { refresh, json } = options;
    resolveMode({ CI: io.env["CI"] }, refresh ? "refresh" : "record");
    const target = parseTarget(options.target);
    const files = filesAt(io);
    const store = createCassetteStore(files);
    const output = await createProxyOutput(options.out, { files, store, overwrite: refresh });
    await output.check();

    const note = createNotes(io);
    const recorder = createProxyRecorder((text) => note("not recorded: ", text));
    const server = await listen(proxyHandler(target, recorder), { port: options.port });
    const print = json ? note : createPrinter(io);
    print(`recording at ${server.url}, in front of `, target.href);
    await stop.stopped;
    await server.close();
    await recorder.idle();
    await finish(recorder, output, options, io);
  } finally {
    stop.now();
  }
}

async function finish(
  recorder: ProxyRecorder,
  output: Awaited<ReturnType<typeof createProxyOutput>>,
  { json, out }: ProxyOptions,
  io: CommandIo,
): Promise<void> {
  const cassettes = recorder.toCassettes();
  const { lost } = recorder;
  if (cassettes.length === 0) {
    const also = lost.length === 0 ? "" : `; ${count(lost.length, "turn")} could not be`;
    throw new CassetteError("nothing-recorded", `no turn was recorded${also}`, {
      file: out,
      hint: "Point the client's base URL at this proxy, and see what it answered.",
    });
  }
  const paths = await output.write(cassettes);
  const written = paths.map((file, index) => ({ file, turns: cassettes[index]?.entries.length ?? 0 }));
  const exitCode = lost.length === 0 ? EXIT.ok : EXIT.drift;
  io.exit(exitCode);
  if (json) {
    writeJson(io, "record", exitCode, { cassettes: written, lost });
    return;
  }
  const print = createPrinter(io);
  for (const { file, turns } of written) print("recorded ", file, `, ${count(turns, "turn")}`);
  if (lost.length > 0) print({ look: "bad", text: `${count(lost.length, "turn")} could not be recorded` });
}
