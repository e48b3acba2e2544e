// The hand-written floor: what a turn loop must cost at least. Nothing here is meant to be used; it is what the real loop is
// measured against, and test/bench.test.ts checks that it does the same work.

import { createHash } from "node:crypto";

/** Ask, run the tools, go on. No budget, no events, no checks. */
export async function bareLoop(model, tool, system, goal) {
  const messages = [
    { role: "system", content: system },
    { role: "user", content: goal },
  ];
  for (;;) {
    const { message, finalAnswer } = await model.turn({ messages });
    messages.push(message);
    if (message.toolCalls === undefined) return { finalAnswer, messages };
    await runCalls(message.toolCalls, tool, messages);
  }
}

/** The same with what every run owes its owner: caps, a log of events, arguments checked by hand. */
export async function guardedLoop(model, tool, system, goal, limits = { turns: 20_000, calls: 60_000 }) {
  const messages = [
    { role: "system", content: system },
    { role: "user", content: goal },
  ];
  const events = [];
  let [turns, calls, tokens] = [0, 0, 0];
  const emit = (event) => events.push({ seq: events.length, at: Date.now(), ...event });
  for (;;) {
    if (turns++ >= limits.turns) return { finalAnswer: "", messages, events, tokens };
    emit({ type: "turn-start" });
    const { message, finalAnswer, usage, stopReason } = await model.turn({ messages });
    tokens += usage.inputTokens + usage.outputTokens;
    emit({ type: "llm-turn", stopReason });
    messages.push(message);
    if (message.toolCalls === undefined) return { finalAnswer, messages, events, tokens };
    for (const call of message.toolCalls) {
      if (calls++ >= limits.calls) return { finalAnswer: "", messages, events, tokens };
      const { a, b } = call.arguments;
      if (typeof a !== "number" || typeof b !== "number") throw new TypeError("bad arguments");
      emit({ type: "tool-call", callId: call.id, tool: call.name });
    }
    await runCalls(message.toolCalls, tool, messages);
    for (const call of message.toolCalls) emit({ type: "tool-result", callId: call.id });
  }
}

/** The guarded loop around a model whose every turn is hashed as a version 2 cassette hashes it, incrementally. */
export async function hashedLoop(model, tool, system, goal) {
  const entries = [];
  const state = createHash("sha256").update("[");
  let absorbed = 0;
  const watched = {
    async turn({ messages }) {
      for (; absorbed < messages.length; absorbed++) {
        state.update((absorbed === 0 ? "" : ",") + canonical(messages[absorbed]));
      }
      const promptHash = state.copy().update("]").digest("hex");
      const response = await model.turn({ messages });
      const bound = { cassetteId: "00", promptHash, response, turnIndex: entries.length };
      entries.push({ promptHash, response, responseHash: createHash("sha256").update(canonical(bound)).digest("hex") });
      return response;
    },
  };
  const result = await guardedLoop(watched, tool, system, goal);
  const envelope = canonical({ entryDigests: entries.map((entry) => entry.responseHash), version: 2 });
  return { ...result, entries, envelopeHash: createHash("sha256").update(envelope).digest("hex") };
}

async function runCalls(calls, tool, messages) {
  const results = await Promise.all(calls.map((call) => tool(call.arguments)));
  calls.forEach((call, index) => {
    messages.push({ role: "tool", toolCallId: call.id, name: call.name, content: JSON.stringify(results[index]) });
  });
}

/** RFC 8785 for values known to be plain JSON. */
function canonical(value) {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}
