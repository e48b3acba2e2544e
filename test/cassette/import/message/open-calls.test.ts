import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOpenCalls, UNKNOWN_TOOL } from "../../../../src/cassette/import/message/open-calls.js";
import type { LlmToolCall } from "../../../../src/core/index.js";

/** The rule as it is written down, looking through every open call each time. */
function naive() {
  const open: { call: LlmToolCall; logId: string | undefined; batch: number }[] = [];
  return {
    add: (call: LlmToolCall, logId: string | undefined, batch: number) => void open.push({ call, logId, batch }),
    take(logId: string | undefined, name: string | undefined, batch: number): LlmToolCall | undefined {
      const same = logId === undefined ? [] : open.filter((one) => one.logId === logId);
      const latest = same.at(-1)?.batch;
      const candidates =
        same.length > 0
          ? same.filter((one) => one.batch === latest)
          : open.filter((one) => one.batch === batch && (logId === undefined || one.logId === undefined));
      const fits = ({ call }: { call: LlmToolCall }) =>
        name === undefined || call.name === name || call.name === UNKNOWN_TOOL;
      const found = candidates.find(fits) ?? (same.length > 0 ? candidates[0] : undefined);
      if (found !== undefined) open.splice(open.indexOf(found), 1);
      return found?.call;
    },
  };
}

const id = fc.constantFrom("a", "b", undefined);
const step = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), id, name: fc.constantFrom("f", "g", UNKNOWN_TOOL) }),
  fc.record({ kind: fc.constant("take" as const), id, name: fc.constantFrom("f", "g", UNKNOWN_TOOL, undefined) }),
  fc.record({ kind: fc.constant("batch" as const) }),
);

describe("open calls", () => {
  it("are taken as if every one of them were looked at", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const [open, model] = [createOpenCalls(), naive()];
        let batch = 0;
        steps.forEach((one, index) => {
          if (one.kind === "batch") batch++;
          else if (one.kind === "take") {
            expect(open.take(one.id, one.name, batch)).toBe(model.take(one.id, one.name, batch));
          } else {
            const call = { id: `call ${index}`, name: one.name, arguments: {} };
            open.add(call, one.id, batch);
            model.add(call, one.id, batch);
          }
        });
      }),
      { numRuns: 2_000 },
    );
  });

  it("may be any number, and so may be the results that fit none", () => {
    const open = createOpenCalls();
    const calls = Array.from({ length: 100_000 }, (_, n) => ({ id: `c${n}`, name: "f", arguments: {} }));
    for (const call of calls) open.add(call, call.id, 1);
    const stray = calls.filter((_, n) => open.take(`stray ${n}`, "f", 1) !== undefined);
    expect(stray).toEqual([]);
    const inOrder = calls.filter((call) => open.take(undefined, undefined, 1) === call);
    expect(inOrder).toHaveLength(100_000);
  });
});
