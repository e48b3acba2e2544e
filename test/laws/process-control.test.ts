// Law of control: whatever comes in whatever order, the last setting counts, and replies come in the order of what was asked.

import fc from "fast-check";
import { expect, it } from "vitest";
import { ControlDesk } from "../../src/core/process/agent/desk.js";
import "../support/law-seed.js";

it("PLM-103 PLM-149 the last setting counts, a memory request replaces one that waits, and replies keep the order", () => {
  const messages = fc.record(
    {
      set_temp: fc.constantFrom(0, 0.5, null),
      get_memory: fc.constant(true),
      pause: fc.constant(true),
      resume: fc.constant(true),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(messages, fc.constant("settle")), { maxLength: 30 }), (steps) => {
      let temperature: number | null = null;
      const desk = new ControlDesk({
        override: (change) => void (temperature = change.temperature ?? null),
        memory: () => ({ kind: "memory" }),
        replace: () => ({ kind: "refused", reason: "" }),
      });
      let expected: string[] = [];
      let last: number | null = null;
      for (const step of [...steps, "settle"]) {
        if (typeof step === "string") {
          const kinds = desk.settle().replies.map((reply) => (reply as { kind: string }).kind);
          expect(kinds).toEqual(expected);
          expected = [];
          continue;
        }
        desk.take(step);
        if (step.set_temp !== undefined) last = step.set_temp;
        if (step.get_memory === true) expected = [...expected.filter((kind) => kind !== "memory"), "memory"];
        if (step.pause === true) expected.push("pause_ack");
        if (step.resume === true) expected.push("resume_ack");
        expect(temperature).toBe(last);
      }
      expect(desk.hasWork).toBe(false);
    }),
  );
});
