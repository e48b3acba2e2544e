// A turn of a session, driven by its result and by its events, without a host and with the execution host in memory. Each is timed in its own
// process (worker.mjs).

import { createInMemoryExecutionHost } from "playhead/execution";
import { Agent } from "playhead/session";
import { add, ADD_SCHEMA, assertWork, createModel, GOAL, SYSTEM } from "./workload.mjs";

const addTool = { name: "add", description: "Adds two numbers", schema: ADD_SCHEMA, invoke: add };

function openAgent(model, turns, host) {
  const budget = { maxTurns: turns, maxToolCalls: turns * 10 };
  return new Agent({ name: "bench", model, instructions: SYSTEM, tools: [addTool], budget, host });
}

/** The run also keeps the messages of its last prompt, so that the work can be checked. */
export async function runResult(turns, calls, host) {
  let messages;
  const model = createModel(turns, calls);
  const watched = { name: model.name, turn: (request) => ((messages = request.messages), model.turn(request)) };
  const { status, error, text } = await (await openAgent(watched, turns, host).send(GOAL)).result();
  if (status !== "completed") throw error ?? new Error(`the turn ended as ${status}`);
  return { finalAnswer: text, messages };
}

/** Its messages are those that the events tell of. */
async function runEvents(turns, calls) {
  const messages = [];
  let finalAnswer;
  for await (const event of (await openAgent(createModel(turns, calls), turns).send(GOAL)).events()) {
    if (event.type === "tool-result") messages.push({ role: "tool", content: event.output });
    else if (event.type === "assistant-text") finalAnswer = event.text;
    else if (event.type === "turn-error") throw new Error(event.message);
  }
  return { finalAnswer, messages };
}

async function runOnHost(turns, calls) {
  const host = createInMemoryExecutionHost();
  try {
    return await runResult(turns, calls, host);
  } finally {
    await host.close();
  }
}

export const contestants = {
  "session: result()": { run: (turns, calls) => runResult(turns, calls), check: assertWork },
  "session: events()": { run: runEvents, check: assertWork },
  "session: result(), host in memory": { run: runOnHost, check: assertWork },
};
