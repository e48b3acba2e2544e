// Megabytes per second of importing a log of OpenAI conversations, one on each line, as cassettes with all hashes.

import { parseImport } from "playhead/cassette";
import { importLines } from "./floor/cassette.mjs";
import { measure } from "./measure.mjs";
import { messageAt } from "./workload.mjs";

const OPTIONS = {
  source: "log.jsonl",
  format: "openai-messages",
  recordedAt: "2026-01-01T00:00:00.000Z",
  model: "bench",
  // Like the floor, this keeps secrets.
  redact: false,
};

/** `runs` conversations of `turns` turns. */
export function createLog(runs, turns) {
  return Array.from({ length: runs }, (_, run) => {
    const messages = [{ role: "user", content: `Conversation ${run}.` }];
    for (let index = 0; index < 2 * (turns - 1); index++) messages.push(toOpenAi(messageAt(index)));
    messages.push({ role: "assistant", content: "done" });
    return JSON.stringify({ messages }) + "\n";
  }).join("");
}

function toOpenAi({ role, content, toolCallId, toolCalls }) {
  if (role === "tool") return { role, tool_call_id: toolCallId, content };
  const calls = toolCalls.map(({ id, name, arguments: args }) => {
    return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
  });
  return { role, content, tool_calls: calls };
}

export async function* importing({ runs = 100, turns = [5, 50], ...options } = {}) {
  for (const length of turns) {
    const text = createLog(runs, length);
    const wanted = importLines(text).flat().join();
    const contestants = [
      {
        name: "JSON.parse, nothing kept",
        run: () =>
          text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line)),
      },
      { name: "floor: every prompt hashed", run: () => importLines(text) },
      {
        name: "playhead: parseImport",
        async run() {
          const imported = [];
          for await (const run of parseImport(text, OPTIONS)) imported.push(run);
          return imported;
        },
        check: (imported) => {
          const hashes = imported.flatMap(({ cassette }) => cassette.entries.map((entry) => entry.promptHash));
          if (hashes.join() !== wanted) throw new Error("parseImport and the floor hash different prompts");
        },
      },
    ];
    const micros = await measure(
      contestants.map((each) => ({ ...each, units: 1 })),
      options,
    );
    const rows = toMegabytesPerSecond(micros, text.length);
    yield { key: String(length), title: `import of ${runs} conversations of ${length} turns`, unit: "MB/s", rows };
  }
}

/** Bytes divided by microseconds are megabytes per second. */
export function toMegabytesPerSecond(rows, bytes) {
  return rows.map((row) =>
    row.failed === undefined
      ? {
          ...row,
          median: bytes / row.median,
          low: bytes / row.high,
          high: bytes / row.low,
          values: row.values.map((micros) => bytes / micros),
        }
      : row,
  );
}
