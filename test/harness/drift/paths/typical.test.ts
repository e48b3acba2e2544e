import { expect, it } from "vitest";
import type { CallOrder } from "../../../../src/cassette/diff/order.js";
import { describeTypical } from "../../../../src/harness/drift/paths/typical.js";
import { call, runOf, stepsOf } from "../../../cassette/diff/runs.js";

const single = stepsOf(call("a"), call("b"));
const together = runOf([{ calls: [call("a"), call("b")] }]);

it.each<[string, CallOrder, typeof single, typeof single, string]>([
  ["made in one turn", "strict", single, together, "unordered"],
  ["made in several turns", "strict", together, single, "in_order"],
])("names the order that allows calls %s", (_name, order, base, candidate, allowedBy) => {
  const side = (cassette: typeof single) => ({ file: "a", cassette, lines: [] });
  const compared = { ignore: [], content: false };
  expect(describeTypical(side(base), side(candidate), { ...compared, order }).edits).toMatchObject([{ allowedBy }]);
  const allowed = describeTypical(side(base), side(candidate), { ...compared, order: allowedBy as CallOrder });
  expect(allowed.edits).toEqual([]);
});
