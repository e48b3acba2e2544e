// The work of every turn loop: T turns, each a call of a trivial async tool `add({ a, b })` (or several), then "done".
// The model answers at once and does nothing else. Also the texts and conversations that are hashed, copied and read.

export const SYSTEM = "You are a calculator. Use the add tool.";
export const GOAL = "Add the numbers you are told to add, then say done.";
export const ADD_SCHEMA = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
};

export async function add({ a, b }) {
  return a + b;
}

/** A model for one run of `turns` turns with `calls` tool calls in each but the last. `onLast` is called at the request for that last turn. */
export function createModel(turns, calls = 1, onLast = () => {}) {
  let turn = 0;
  return {
    name: "bench:instant",
    async turn() {
      turn++;
      const usage = { inputTokens: 100, outputTokens: 10 };
      if (turn >= turns) {
        onLast();
        return { message: { role: "assistant", content: "done" }, finalAnswer: "done", stopReason: "stop", usage };
      }
      const toolCalls = [];
      for (let index = 0; index < calls; index++) {
        toolCalls.push({ id: `call_${turn}_${index}`, name: "add", arguments: { a: turn, b: index } });
      }
      return { message: { role: "assistant", content: "", toolCalls }, stopReason: "toolUse", usage };
    },
  };
}

/** The total of the sums of all calls of a run. */
export function expectedSum(turns, calls) {
  const steps = turns - 1;
  return (calls * steps * (steps + 1)) / 2 + (steps * calls * (calls - 1)) / 2;
}

/** Throws unless a finished run did all of the work. */
export function assertWork({ finalAnswer, messages }, turns, calls = 1) {
  const results = messages.filter((message) => message.role === "tool");
  const sum = results.reduce((total, message) => total + Number(message.content), 0);
  const [count, expected] = [(turns - 1) * calls, expectedSum(turns, calls)];
  if (finalAnswer !== "done" || results.length !== count || sum !== expected) {
    throw new Error(
      `the run did not do its work: ${finalAnswer}, ${results.length} results, sum ${sum}, not ${expected}`,
    );
  }
}

const WORDS =
  "the agent reads a file and finds that total of seven orders is 42.17 euro so it writes to report.md and calls lint with --fix";

/** About `length` characters of running text, always the same for one `seed`. With `quotes`, not all of it is ASCII. */
export function textOf(length, seed = 0, quotes = false) {
  const words = WORDS.split(" ");
  let state = 12_345 + seed * 7_919;
  let text = "";
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    const word = words[(state >>> 16) % words.length];
    text += quotes && state % 11 === 0 ? `“${word}” ` : `${word} `;
  }
  return text.slice(0, length);
}

/** The message at a place of a conversation, about `bytes` long: a call at an even place, its result at an odd place. */
export function messageAt(index, bytes = 500, quotes = false) {
  const text = textOf(Math.max(8, bytes - 180), index, quotes);
  if (index % 2 === 1) return { role: "tool", toolCallId: `call_${index - 1}`, name: "read_file", content: text };
  const call = { path: `src/module-${index}.ts`, offset: index, limit: 200, raw: false };
  return {
    role: "assistant",
    content: text,
    toolCalls: [{ id: `call_${index}`, name: "read_file", arguments: call }],
  };
}

/** A conversation of `turns` prompts. Each has two more messages than the one before. */
export function createConversation(turns, bytes = 500, quotes = false) {
  const start = [
    { role: "system", content: "You are a careful agent." },
    { role: "user", content: "Do what the orders ask." },
  ];
  return start.concat(Array.from({ length: 2 * (turns - 1) }, (_, index) => messageAt(index, bytes, quotes)));
}

/** The same as JSON text of about `size` bytes. */
export function createDocument(size, quotes = false) {
  return createConversation(Math.max(1, Math.round(size / 1_020)), 500, quotes);
}
