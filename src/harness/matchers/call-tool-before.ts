// toCallToolBefore: the `before` rule of a rules file as a matcher. Calls of one turn have no order.

import { handleAdvice } from "../text/rerun-commands.js";
import { callLines, compareCall, expectedText, parseCallSpec, type ComparedCall } from "./expected-call.js";
import { misuse, undecided, type MatcherContext, type MatcherResult } from "./matcher.js";
import { madeCallsOf } from "./run-result.js";
import { cutText } from "../text/hide.js";

const NAME = "toCallToolBefore";
const SHOWN_CALLS = 3;
const SHOWN_TOOL_CHARACTERS = 200;

/** If one of the two was never called, there is no order: the assertion fails, with or without `.not`. */
export function callToolBefore(
  this: MatcherContext,
  received: unknown,
  first: unknown,
  second: unknown,
  ...rest: unknown[]
): MatcherResult {
  const [earlier, later] = [parseCallSpec(NAME, first), parseCallSpec(NAME, second)];
  if (rest.length > 0) throw misuse(NAME, "it takes exactly two calls", "Pass a name or { name, args } for each.");
  if (earlier.name === later.name && earlier.args === later.args) {
    throw misuse(NAME, `both calls are ${expectedText(earlier)}`, "Pass two different calls.");
  }
  const { calls } = madeCallsOf(NAME, received);
  const [before, after] = [earlier, later].map((expected) =>
    calls.map((call) => compareCall(this, expected, call)).filter(({ differences }) => differences?.length === 0),
  ) as [ComparedCall[], ComparedCall[]];
  const wanted = `${expectedText(earlier)} before ${expectedText(later)}`;
  const [start, end] = [before[0], after[0]];
  if (start === undefined || end === undefined) {
    const absent = [...(start === undefined ? [earlier] : []), ...(end === undefined ? [later] : [])];
    const tools = cutText([...new Set(calls.map(({ name }) => name))].join(", "), SHOWN_TOOL_CHARACTERS);
    const message = () =>
      `expected ${this.isNot === true ? "not " : ""}${wanted}, but ${absent.map(expectedText).join(" and ")} ` +
      `${absent.length === 1 ? "was" : "were"} never called, so there is no order.\n` +
      `${tools === "" ? "No tool was called." : `The run called ${tools}.`}\n` +
      `Correct the name or the arguments. Use .not.toCallTool() for a tool that must not be called.${handleAdvice(this, received)}`;
    return undecided(this, message);
  }
  const isBefore = start.call.turn < end.call.turn;
  return {
    pass: isBefore,
    message: () =>
      [
        isBefore ? `expected not ${wanted}, but that is the order:` : `expected ${wanted}, but ${whyNot(start, end)}:`,
        `${expectedText(earlier)}:`,
        ...callLines(before, SHOWN_CALLS),
        `${expectedText(later)}:`,
        ...callLines(after, SHOWN_CALLS),
        isBefore
          ? "Remove .not, or correct the prompt or tool description that led to this order."
          : "Correct the expectation, or the prompt or tool description that should have kept the order.",
      ].join("\n") + (isBefore ? "" : handleAdvice(this, received)),
  };
}

function whyNot(first: ComparedCall, second: ComparedCall): string {
  return first.call.turn === second.call.turn
    ? "both calls are in one turn, where calls have no order"
    : "the order is reversed";
}
