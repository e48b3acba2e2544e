// The model's answers and the tool's work in every turn loop, with a tally that shows whether a peer did all of the
// work. The tally has the number of calls of each, the sum of the results, and whether the last prompt held the whole
// conversation.

export const SYSTEM = "You are a calculator. Use the add tool.";
export const GOAL = "Add the numbers you are told to add, then say done.";
export const DESCRIPTION = "Adds two numbers";
export const SCHEMA = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
};

export function createScript(turns, calls) {
  const tally = { asked: 0, added: 0, sum: 0, promptLength: 0 };
  return {
    /** The next answer: calls of the tool with their arguments as JSON text, or the last text. */
    answer(promptLength) {
      tally.asked++;
      tally.promptLength = promptLength;
      if (tally.asked >= turns) return { text: "done" };
      const asked = tally.asked;
      return {
        calls: Array.from({ length: calls }, (_, index) => {
          return { id: `call_${asked}_${index}`, name: "add", json: `{"a":${asked},"b":${index}}` };
        }),
      };
    },
    async add({ a, b }) {
      const sum = a + b;
      tally.added++;
      tally.sum += sum;
      return sum;
    },
    /** Throws unless all work was done and the run ended with the last text. */
    assertDone(text) {
      const steps = turns - 1;
      const sum = (calls * steps * (steps + 1)) / 2 + (steps * calls * (calls - 1)) / 2;
      const wrong = [];
      if (text !== "done") wrong.push(`the answer is ${JSON.stringify(text)}`);
      if (tally.asked !== turns) wrong.push(`the model was asked ${tally.asked} times, not ${turns}`);
      if (tally.added !== steps * calls || tally.sum !== sum)
        wrong.push(`${tally.added} sums come to ${tally.sum}, not ${sum}`);
      // The goal, and for each turn an answer and at least one message of results.
      const least = 1 + 2 * steps;
      if (tally.promptLength < least)
        wrong.push(`the last prompt had ${tally.promptLength} messages, fewer than ${least}`);
      if (wrong.length > 0) throw new Error(`the work was not done: ${wrong.join("; ")}`);
    },
  };
}

/** Throws unless a store kept at least this many items of a run. */
export function assertKept(count, least) {
  if (!(count >= least)) throw new Error(`the work was not done: ${count} items were kept, fewer than ${least}`);
}
