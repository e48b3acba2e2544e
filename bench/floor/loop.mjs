// The hand-written floor: the least that a turn loop must cost. Nothing here is meant to be used. The real loop is
// compared with it, and test/bench.test.ts checks that both do the same work.

import { sign } from "node:crypto";
import { canonical, growingHash, sha256 } from "./canonical.mjs";

/** Calls the model, runs the tools, and repeats. No budget, no events, no checks. */
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

/** The same with the minimum for every run: caps, a log of events, arguments checked by hand. */
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

/**
 * The guarded loop around a model whose every turn is hashed incrementally, as in a version 2 cassette. `head` is the part that
 * the envelope covers in addition to the entries.
 */
export async function hashedLoop(model, tool, system, goal, head = { cassetteId: "00", version: 2 }) {
  const entries = [];
  const hashOf = growingHash();
  const watched = {
    async turn({ messages }) {
      const promptHash = hashOf(messages);
      const response = await model.turn({ messages });
      const bound = { cassetteId: head.cassetteId, promptHash, response, turnIndex: entries.length };
      entries.push({ promptHash, response, responseHash: sha256(canonical(bound)) });
      return response;
    },
  };
  const result = await guardedLoop(watched, tool, system, goal);
  const envelope = canonical({ ...head, entryDigests: entries.map((entry) => entry.responseHash) });
  return { ...result, entries, envelopeHash: sha256(envelope) };
}

async function runCalls(calls, tool, messages) {
  const results = await Promise.all(calls.map((call) => tool(call.arguments)));
  calls.forEach((call, index) => {
    messages.push({ role: "tool", toolCallId: call.id, name: call.name, content: JSON.stringify(results[index]) });
  });
}

/** The guarded loop around a model that answers from recorded entries: each prompt and each response is hashed and compared. */
export async function replayedLoop({ cassetteId, entries }, tool, system, goal) {
  const hashOf = growingHash();
  let next = 0;
  const model = {
    async turn({ messages }) {
      const { turnIndex, promptHash, response, responseHash } = entries[next++];
      if (hashOf(messages) !== promptHash) throw new Error(`no recording fits turn ${turnIndex}`);
      const bound = { cassetteId, promptHash, response, turnIndex };
      if (sha256(canonical(bound)) !== responseHash) throw new Error(`response ${turnIndex} was changed`);
      return response;
    },
  };
  return guardedLoop(model, tool, system, goal);
}

/** The guarded loop with a signed receipt of every turn and every call, each with the signature of the one before. */
export async function signedLoop(model, tool, system, goal, key) {
  const receipts = [];
  let parentSig = null;
  const add = (body) => {
    const unsigned = { body, parentSig, seq: receipts.length };
    parentSig = sign(null, Buffer.from(canonical(unsigned)), key).toString("base64");
    receipts.push({ ...unsigned, sig: parentSig });
  };
  const watched = {
    async turn(request) {
      const response = await model.turn(request);
      add({ kind: "turn", responseHash: sha256(canonical(response)), stopReason: response.stopReason });
      return response;
    },
  };
  const watchedTool = async (args) => {
    const result = await tool(args);
    add({ kind: "tool", argumentsHash: sha256(canonical(args)), resultHash: sha256(canonical(result)) });
    return result;
  };
  return { ...(await guardedLoop(watched, watchedTool, system, goal)), receipts };
}
