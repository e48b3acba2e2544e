// The cassette that Playhead serves in the benchmarks of servers.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatCassette, recordingProvider } from "playhead/cassette";
import { openScratch } from "../scratch.mjs";
import { completionOf, HELD, REQUEST, requestOf } from "./exchange.mjs";

/** Writes the cassette, and resolves to its path. */
export async function record() {
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
  for (let index = 0; index < HELD; index++)
    await recorder.turn({ messages: requestOf(index).messages, settings: { temperature } });
  const path = join(openScratch("serve"), "served.cassette.json");
  writeFileSync(path, formatCassette(recorder.toCassette()));
  return path;
}
