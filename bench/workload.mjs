// The work every turn loop does: T turns, each a call of a trivial async tool `add({ a, b })` (or several), then "done". The
// model answers at once and does nothing else.

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

/** A model for one run of `turns` turns with `calls` tool calls in each but the last. */
export function createModel(turns, calls = 1) {
  let turn = 0;
  return {
    name: "bench:instant",
    async turn() {
      turn++;
      const usage = { inputTokens: 100, outputTokens: 10 };
      if (turn >= turns) {
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

/** Throws unless a finished run did all of the work. */
export function assertWork({ finalAnswer, messages }, turns, calls = 1) {
  const results = messages.filter((message) => message.role === "tool");
  const sum = results.reduce((total, message) => total + Number(message.content), 0);
  const steps = turns - 1;
  const expected = (calls * steps * (steps + 1)) / 2 + (steps * calls * (calls - 1)) / 2;
  if (finalAnswer !== "done" || results.length !== steps * calls || sum !== expected) {
    throw new Error(
      `the run did not do its work: ${finalAnswer}, ${results.length} results, sum ${sum}, not ${expected}`,
    );
  }
}
