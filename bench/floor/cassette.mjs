// The floors of verifying, replaying and importing: the cost of the hashes of a version 2 cassette, written by hand.
// Only hashes are checked, and no error says where.

import { canonical, growingHash, sha256 } from "./canonical.mjs";

export function hashResponse(cassetteId, turnIndex, promptHash, response) {
  return sha256(canonical({ cassetteId, promptHash, response, turnIndex }));
}

export function hashEnvelope({ entries, envelopeHash: _, signature: __, ...covered }) {
  return sha256(canonical({ ...covered, entryDigests: entries.map((entry) => entry.responseHash) }));
}

/** A cassette from its text with every hash recomputed. For conversations that only grow. */
export function verifyText(text) {
  const cassette = JSON.parse(text);
  const hashOf = growingHash();
  const messages = [];
  for (const { turnIndex, prompt, promptHash, response, responseHash } of cassette.entries) {
    if (prompt.keep !== messages.length) throw new Error("the conversation did not only grow");
    messages.push(...prompt.messages);
    if (hashOf(messages) !== promptHash) throw new Error(`prompt ${turnIndex} was changed`);
    const hash = hashResponse(cassette.cassetteId, turnIndex, promptHash, response);
    if (hash !== responseHash) throw new Error(`response ${turnIndex} was changed`);
  }
  if (hashEnvelope(cassette) !== cassette.envelopeHash) throw new Error("the envelope was changed");
  return cassette;
}

/** Answers a request by its hash: the request hashed, the response verified, a fresh object each time. */
export function createReplay(exchanges) {
  const shelf = new Map();
  for (const { messages, response } of exchanges) {
    const text = JSON.stringify(response);
    shelf.set(sha256(canonical(messages)), { text, hash: sha256(canonical(response)) });
  }
  return async (messages) => {
    const found = shelf.get(sha256(canonical(messages)));
    if (found === undefined) throw new Error("no recording fits");
    const response = JSON.parse(found.text);
    if (sha256(canonical(response)) !== found.hash) throw new Error("the response was changed");
    return response;
  };
}

/** The hashes of a log of one OpenAI conversation on each line: a turn for each assistant message. */
export function importLines(text) {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const names = new Map();
      const messages = JSON.parse(line).messages.map((message) => toMessage(message, names));
      const hashOf = growingHash();
      return messages.flatMap((message, index) =>
        message.role === "assistant" ? [hashOf(messages.slice(0, index))] : [],
      );
    });
}

function toMessage({ role, content, tool_calls: calls, tool_call_id: id }, names) {
  if (role === "tool") return { role, toolCallId: id, name: names.get(id), content };
  if (calls === undefined) return { role, content };
  const toolCalls = calls.map(({ id: callId, function: { name, arguments: text } }) => {
    names.set(callId, name);
    return { id: callId, name, arguments: JSON.parse(text) };
  });
  return { role, content: content ?? "", toolCalls };
}
