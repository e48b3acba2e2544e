// Megabytes per second of verifying cassettes: UTF-8, strict JSON, shape and every hash. In this process, which is one
// core, and by the command on folders, once with one thread and once with one for each core.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { seal } from "../.playhead/modules/core/index.js";
import { formatCassette, parseCassette, recordingProvider } from "../.playhead/modules/cassette/index.js";
import { verifyText } from "./floor/cassette.mjs";
import { toMegabytesPerSecond } from "./import.mjs";
import { measure } from "./measure.mjs";
import { closeScratch, endWith, openScratch, pause } from "./scratch.mjs";
import { createConversation } from "./workload.mjs";

const bin = fileURLToPath(new URL("../dist/cli/bin.js", import.meta.url));

/** `sizes` in MB of single files; `files` of `fileKb` KB below one folder. */
export async function* verify({ sizes = [0.1, 1, 10, 200], files = 10_000, fileKb = 20, ...options } = {}) {
  for (const size of sizes) {
    const bytes = await cassetteOf(size * 1e6);
    const maxBytes = bytes.length + 1;
    // One text of 200 MB takes seconds.
    const few = size > 50 ? { ...options, rounds: Math.min(options.rounds ?? 3, 3) } : options;
    const contestants = [
      { name: "JSON.parse, nothing verified", units: 1, run: () => void JSON.parse(decode(bytes)) },
      { name: "floor: JSON.parse and every hash", units: 1, run: () => void verifyText(decode(bytes)) },
      { name: "playhead: parseCassette", units: 1, run: () => void parseCassette(bytes, { maxBytes }) },
    ];
    const rows = toMegabytesPerSecond(await measure(contestants, few), bytes.length);
    yield {
      key: `${size} MB`,
      title: `verify one cassette of ${(bytes.length / 1e6).toPrecision(3)} MB`,
      unit: "MB/s",
      rows,
    };
  }
  yield* verifyFolder(files, fileKb, options);
}

async function* verifyFolder(files, fileKb, options) {
  const folder = openScratch("verify");
  try {
    const bytes = await cassetteOf(fileKb * 1000);
    for (let index = 0; index < files; index++) {
      const inner = join(folder, String(index % 100));
      if (index < 100) mkdirSync(inner);
      if (index % 100 === 0) await pause();
      writeFileSync(join(inner, `${index}.cassette.json`), bytes);
    }
    const command = [process.execPath, bin, "verify", folder];
    const contestants = [
      { name: "cassette verify, all cores", run: () => runCommand(command), units: 1 },
      { name: "cassette verify, one core", run: () => runCommand([...command, "--jobs", "1"]), units: 1 },
    ];
    const micros = await measure(contestants, {
      ...options,
      rounds: Math.min(options.rounds ?? 3, 5),
      sampleMs: 1,
      warmMs: 0,
      clock: "wall",
    });
    const title = `verify ${files} cassettes of ${(bytes.length / 1000).toPrecision(3)} KB`;
    yield { key: "folder", title, unit: "MB/s", rows: toMegabytesPerSecond(micros, files * bytes.length) };
  } finally {
    closeScratch(folder);
  }
}

function runCommand([file, ...args]) {
  const result = spawnSync(file, args, { encoding: "utf8", maxBuffer: 2 ** 30 });
  endWith(result);
  const { status, error, stderr } = result;
  if (error !== undefined) throw new Error(`${file} could not be started: ${error.message}`);
  if (status !== 0) throw new Error(`${args.join(" ")} exited ${status}: ${stderr}`);
}

function decode(bytes) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}

/** A recorded conversation of about `size` bytes with 10 to 10,000 turns. */
export async function cassetteOf(size) {
  const turns = Math.min(10_000, Math.max(10, Math.round(size / 2_000)));
  // Every turn stores two messages, one of them also as the answer, and about 500 bytes around them.
  // Sealed like the loop's own messages. Unsealed ones would be read again from the start at each turn.
  const bytes = Math.max(200, Math.round((size / turns - 500) / 3));
  const messages = createConversation(turns, bytes).map((message) => seal(message));
  let length = 0;
  const recorder = recordingProvider({
    name: "bench",
    turn: async () => {
      const message = messages[length] ?? { role: "assistant", content: "done" };
      return message.toolCalls === undefined
        ? { message, finalAnswer: message.content, stopReason: "stop" }
        : { message, stopReason: "toolUse" };
    },
  });
  for (length = 2; length <= messages.length; length += 2) await recorder.turn({ messages: messages.slice(0, length) });
  return new TextEncoder().encode(formatCassette(recorder.toCassette()));
}
