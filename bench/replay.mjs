// Microseconds to replay a recorded completion of 2 KB: hash the request, verify the response, return a fresh answer.

import { cassetteProvider, formatCassette, parseCassette, recordingProvider } from "playhead/cassette";
import { createReplay } from "./floor/cassette.mjs";
import { measure } from "./measure.mjs";
import { textOf } from "./workload.mjs";

export const CONTENT_LENGTH = 1_500;

/** Requests of 600 bytes with completions of 2 KB, each a conversation of its own. */
export function createExchanges(count) {
  return Array.from({ length: count }, (_, index) => {
    const content = textOf(CONTENT_LENGTH, index);
    const usage = { inputTokens: 120, outputTokens: 350 };
    return {
      messages: [
        { role: "system", content: "You are a careful agent that reads orders and writes reports." },
        { role: "user", content: `${index}: ${textOf(400, index + 1_000)}` },
      ],
      response: { message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop", usage },
    };
  });
}

export async function recordExchanges(exchanges) {
  let next = 0;
  const recorder = recordingProvider({ name: "bench", turn: async () => exchanges[next++].response });
  for (const { messages } of exchanges) await recorder.turn({ messages });
  return formatCassette(recorder.toCassette());
}

export async function* replay({ count = 100, ...options } = {}) {
  for (const size of [1, count]) {
    const exchanges = createExchanges(size);
    const text = await recordExchanges(exchanges);
    const bytes = new TextEncoder().encode(text);
    const loaded = parseCassette(bytes);
    const answer = createReplay(exchanges);
    const asked = (cassette) => {
      const provider = cassetteProvider(cassette);
      return (messages) => provider.turn({ messages });
    };
    const ways = [
      ["floor: request hashed, response verified, fresh object", () => answer],
      ["playhead: cassetteProvider of the parsed JSON, every hash verified", () => asked(JSON.parse(text))],
      ["playhead: the same from bytes, parsed strictly", () => asked(parseCassette(bytes))],
      ["playhead: cassetteProvider of a loaded cassette", () => asked(loaded)],
    ];
    const contestants = ways.map(([name, create]) => ({
      name,
      units: size,
      run: () => askAll(create(), exchanges),
      check: (length) => assertAnswers(name, length, size),
    }));
    const title = size === 1 ? "replay of one completion of 2 KB" : `replay of ${size} completions of 2 KB, each`;
    yield { key: size === 1 ? "one" : "many", title, unit: "µs", rows: await measure(contestants, options) };
  }
}

/** The number of characters in the answer. */
async function askAll(ask, exchanges) {
  let length = 0;
  for (const { messages } of exchanges) length += (await ask(messages)).message.content.length;
  return length;
}

function assertAnswers(name, length, count) {
  if (length !== count * CONTENT_LENGTH) throw new Error(`${name} gave ${length} characters for ${count} completions`);
}
