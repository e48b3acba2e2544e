import { expect, it } from "vitest";
import { readSchedule } from "../../../../src/core/process/agent/schedule.js";

const point = { n: 0, input: 2, turn: 5 };

it("reads the schedule of an agent", () => {
  const schedule = { version: 1, control: [point], clock: [1_767_225_600] };
  expect(readSchedule(schedule)).toEqual(schedule);
});

it.each([
  undefined,
  [],
  { version: 2, control: [], clock: [] },
  { version: 1, control: [] },
  { version: 1, control: [{ ...point, n: 1 }], clock: [] },
  { version: 1, control: [{ ...point, turn: -1 }], clock: [] },
  { version: 1, control: [{ ...point, input: 0.5 }], clock: [] },
  { version: 1, control: [null], clock: [] },
  { version: 1, control: [], clock: ["1"] },
])("refuses %j", (value) => {
  expect(() => readSchedule(value)).toThrow(expect.objectContaining({ code: "schedule-malformed" }) as Error);
});
