// Conversations on one environment: a run in memory against our bare loop, a step on SQLite against a flushed insert by
// hand, opening a long conversation against reading its rows, and the text of a compaction against JSON.stringify.

import { join } from "node:path";
import { createEnvRuntime, createInMemoryStorage } from "playhead/env";
import { openFileStorage } from "playhead/host";
import { findCut } from "../.playhead/modules/core/context/cut.js";
import { createContextMeter } from "../.playhead/modules/core/context/meter.js";
import { toSummaryRequest } from "../.playhead/modules/core/context/compaction.js";
import { assertTurns, send } from "./env-ways.mjs";
import { measure } from "./measure.mjs";
import { closeScratch, openScratch } from "./scratch.mjs";
import { runPlayhead } from "./turn-loop-ways.mjs";
import { createModel, SYSTEM } from "./workload.mjs";

// Node 20 has none of its own.
const { DatabaseSync } = process.getBuiltinModule?.("node:sqlite") ?? (await import("@photostructure/sqlite"));

export async function* env({ turns = [10, 100, 1000], ...options } = {}) {
  const loops = turns.map((count) => ({
    name: `send in memory, ${count} turns`,
    units: count,
    run: () => send(createModel(count), count, createInMemoryStorage()),
    check: assertTurns(count),
  }));
  const bare = {
    name: "playhead: run, 100 turns",
    units: 100,
    run: () => runPlayhead(createModel(100), 100),
    check: assertTurns(100),
  };
  const rows = await measure([bare, ...loops], options);
  yield { key: "loop", title: "a turn of a conversation in memory", unit: "µs a turn", rows };

  const folder = openScratch("env");
  try {
    yield await steps(folder, options);
    yield await opening(folder, options);
  } finally {
    closeScratch(folder);
  }
  yield await transcript(options);
}

/** Flushed as our store is. */
function openByHand(path) {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE row (text TEXT) STRICT;");
  return database;
}

async function steps(folder, options) {
  const turns = 50;
  const storage = await openFileStorage(join(folder, "steps"));
  const database = openByHand(join(folder, "hand.db"));
  const insert = database.prepare("INSERT INTO row VALUES (?)");
  let number = 0;
  const contestants = [
    {
      name: "send on SQLite",
      units: turns,
      run: () => send(createModel(turns), turns, storage, `${number++}`),
      check: assertTurns(turns),
    },
    {
      name: "our loop, and a flushed insert a turn by hand",
      units: turns,
      async run() {
        const result = await runPlayhead(createModel(turns), turns);
        for (let turn = 0; turn < turns; turn++)
          insert.run(JSON.stringify(result.messages.slice(2 * turn + 1, 2 * turn + 3)));
        return result;
      },
      check: assertTurns(turns),
    },
  ];
  const rows = await measure(contestants, options);
  storage.close();
  database.close();
  return { key: "sqlite", title: `a step on SQLite, ${turns} turns`, unit: "µs a turn", rows };
}

async function opening(folder, options) {
  const storage = await openFileStorage(join(folder, "long"));
  const content = "a line of about eighty characters, as people write to each other in a chat.";
  const entries = Array.from({ length: 10_000 }, (_, place) => {
    if (place === 0) return { kind: "created", version: 1, agent: "bench", sender: "" };
    if (place === 9_900) return { kind: "archive", name: "archive-1", from: 1, to: 9_880, summary: content };
    return { kind: "message", message: { role: place % 2 === 1 ? "user" : "assistant", content } };
  });
  storage.conversations.append("bench:", 0, entries);
  const database = new DatabaseSync(join(folder, "long", "conversations.db"), { readOnly: true });
  const read = database.prepare("SELECT value FROM entry WHERE place >= ? ORDER BY place LIMIT 256");
  const provider = createModel(1);
  const contestants = [
    {
      name: "open a conversation of 10,000 entries",
      units: 1,
      async run() {
        const agents = [{ name: "bench", instructions: SYSTEM }];
        return createEnvRuntime({ storage, provider, env: {} }, { agents }).conversation("bench");
      },
      check: ({ entries: count }) => {
        if (count !== 10_000) throw new Error(`it has ${count} entries`);
      },
    },
    {
      name: "read 256 rows by hand",
      units: 1,
      run: () => read.all(9_744).map(({ value }) => JSON.parse(value)),
      check: (found) => {
        if (found.length !== 256) throw new Error(`it read ${found.length} rows`);
      },
    },
  ];
  const rows = await measure(contestants, options);
  database.close();
  storage.close();
  return { key: "open", title: "open a long conversation", unit: "µs", rows };
}

async function transcript(options) {
  const messages = Array.from({ length: 400 }, (_, index) => [
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: `c${index}`, name: "read", arguments: { path: `f${index}` } }],
    },
    { role: "tool", toolCallId: `c${index}`, name: "read", content: "word ".repeat(200) },
  ]).flat();
  const contestants = [
    {
      name: "cut, and transcript of 100,000 tokens",
      units: 1,
      run() {
        const meter = createContextMeter();
        meter.measure(messages);
        return toSummaryRequest(messages.slice(0, findCut(messages, meter.sizes, 1_000)), 1_024);
      },
      check: ([, { content }]) => {
        if (!content.includes("[result of read]")) throw new Error("there is no transcript");
      },
    },
    { name: "JSON.stringify of them", units: 1, run: () => JSON.stringify(messages) },
  ];
  return {
    key: "transcript",
    title: "the text of a compaction",
    unit: "µs",
    rows: await measure(contestants, options),
  };
}
