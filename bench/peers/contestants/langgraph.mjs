// LangGraph: createReactAgent, without a checkpointer or with one in memory or on SQLite, arguments checked by zod.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { assertKept, createScript, DESCRIPTION, GOAL, SYSTEM } from "./script.mjs";

const schema = z.object({ a: z.number(), b: z.number() });
const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };

class ScriptedModel extends BaseChatModel {
  constructor(script) {
    super({});
    this.script = script;
  }

  _llmType() {
    return "bench";
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const { calls = [], text = "" } = this.script.answer(messages.length);
    const toolCalls = calls.map(({ id, name, json }) => ({ id, name, args: JSON.parse(json), type: "tool_call" }));
    const message = new AIMessage({ content: text, tool_calls: toolCalls, usage_metadata: usage });
    return { generations: [{ text, message }] };
  }
}

async function runAgent(turns, calls, kept = {}) {
  const script = createScript(turns, calls);
  const agent = createReactAgent({
    ...kept,
    llm: new ScriptedModel(script),
    tools: [tool((input) => script.add(input), { name: "add", description: DESCRIPTION, schema })],
    prompt: SYSTEM,
  });
  const start = { messages: [{ role: "user", content: GOAL }] };
  const configurable = { thread_id: "bench" };
  const { messages } = await agent.invoke(start, { recursionLimit: 4 * turns + 10, configurable });
  script.assertDone(messages.at(-1).content);
}

export const run = (turns, calls) => runAgent(turns, calls);

/**
 * The saver of SQLite takes any database with the methods of better-sqlite3. That one must be compiled, and nothing is compiled here, so this
 * is the SQLite of the durable host.
 */
async function openSaver(path) {
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const { DatabaseSync } = process.getBuiltinModule?.("node:sqlite") ?? (await import("@photostructure/sqlite"));
  const database = new DatabaseSync(path);
  const transaction = (work) => (rows) => {
    database.exec("BEGIN");
    work(rows);
    database.exec("COMMIT");
  };
  return new SqliteSaver({
    pragma: (text) => database.exec(`PRAGMA ${text}`),
    exec: (text) => database.exec(text),
    prepare: (text) => toStatement(database.prepare(text)),
    transaction,
    close: () => database.close(),
  });
}

/** That of Node refuses undefined, which better-sqlite3 takes as null. */
function toStatement(statement) {
  const bind = (values) => values.map((value) => value ?? null);
  return {
    run: (...values) => statement.run(...bind(values)),
    get: (...values) => statement.get(...bind(values)),
    all: (...values) => statement.all(...bind(values)),
  };
}

/** One file for each run, since a thread goes on with what is stored of it. */
async function runStored(turns, calls) {
  const folder = mkdtempSync(join(tmpdir(), "bench-langgraph-"));
  const checkpointer = await openSaver(join(folder, "run.db"));
  try {
    await runAgent(turns, calls, { checkpointer });
    const { kept } = checkpointer.db.prepare("SELECT count(*) AS kept FROM checkpoints").get();
    assertKept(kept, 2 * turns);
  } finally {
    checkpointer.db.close();
    rmSync(folder, { recursive: true });
  }
}

export const contestants = {
  kept: { run: (turns, calls) => runAgent(turns, calls, { checkpointer: new MemorySaver() }) },
  sqlite: { run: runStored },
};
