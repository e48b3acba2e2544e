import { describe, expect, it } from "vitest";
import { importOf, importOne } from "../verify.js";

const record = {
  task_id: 7,
  reward: 1,
  info: { task: { actions: [{ name: "book", kwargs: { seat: "1A" } }, { name: "odd" }, "odder"] } },
  traj: [
    { role: "user", content: "book 1A" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "1", function: { name: "book", arguments: '{"seat":"1A"}' } }],
    },
    { role: "tool", name: "book", tool_call_id: "1", content: "done" },
  ],
  trial: 3,
};
const options = { source: "results/tau-bench-gpt-4o-airline.json.gz" };

describe("a tau-bench result", () => {
  it("is named after its file, its number and its trial", () => {
    expect(importOne(record, options)).toMatchObject({
      model: "tau-bench-gpt-4o-airline",
      task: "task_7",
      trial: "3",
      path: "tau-bench-gpt-4o-airline/task_7.3.cassette.json",
    });
    expect(importOne(record, { ...options, model: "gpt-4o" }).path).toBe("gpt-4o/task_7.3.cassette.json");
  });

  it("keeps its reward and the calls it was expected to make", () => {
    expect(importOf(importOne(record).cassette)).toMatchObject({
      format: "tau-bench",
      outcome: { reward: 1 },
      expected: [{ name: "book", arguments: { seat: "1A" } }, { name: "odd" }, "odder"],
      repairs: { "content-null": 1 },
      trailing: [{ role: "tool", toolCallId: "1", name: "book", content: "done" }],
    });
  });

  it("says nothing of what the record does not say", () => {
    const { cassette, task } = importOne({ task_id: "x", traj: record.traj });
    expect(task).toBe("task_x");
    for (const name of ["trial", "outcome", "expected", "origin"]) expect(importOf(cassette)).not.toHaveProperty(name);
  });
});
