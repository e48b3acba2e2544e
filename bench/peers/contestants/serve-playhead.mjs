// cassette serve in a process of its own: every request hashed and compared, every turn used once.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatCassette, recordingProvider } from "playhead/cassette";
import { openScratch } from "../../scratch.mjs";
import { completionOf, REQUEST, requestOf, SERVED, startServer } from "../exchange.mjs";

const bin = fileURLToPath(new URL("../../../dist/cli/bin.js", import.meta.url));
let file;

export async function open() {
  file ??= await record();
  return startServer([bin, "serve", file, "--port", "0"]);
}

async function record() {
  let next = 0;
  const recorder = recordingProvider({
    name: "bench",
    turn: async () => {
      const { content } = completionOf(next++).choices[0].message;
      const usage = { inputTokens: 120, outputTokens: 350 };
      return { message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop", usage };
    },
  });
  const { temperature } = REQUEST;
  for (let index = 0; index < SERVED; index++)
    await recorder.turn({ messages: requestOf(index).messages, settings: { temperature } });
  const path = join(openScratch("serve"), "served.cassette.json");
  writeFileSync(path, formatCassette(recorder.toCassette()));
  return path;
}
