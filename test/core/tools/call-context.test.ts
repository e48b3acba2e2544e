import { describe, expect, it } from "vitest";
import { playLoop } from "../../support/loop.js";
import { ask, say, tool } from "../../support/script.js";
import type { CustomTool, CustomToolContext } from "../../../src/core/tools/tool.js";
import type { LoopCase } from "../../support/loop.js";

/** The contexts of the calls of two turns with the same ids, as models repeat them. */
async function contexts(play: LoopCase = {}, extra: Partial<CustomTool> = {}): Promise<CustomToolContext[]> {
  const seen: CustomToolContext[] = [];
  const look = tool("look", (_args, context) => void seen.push(context), extra);
  const turn = () => ask([{ name: "look" }, { name: "look" }]);
  await playLoop({ steps: [turn(), turn(), say("x")], tools: [look], ...play });
  return seen;
}

describe("the context of a call", () => {
  it("has a key of its own for every call of a run, though the ids repeat", async () => {
    const seen = await contexts({ runId: "r" });
    expect(seen.map(({ toolCallId }) => toolCallId)).toEqual(["c0", "c1", "c0", "c1"]);
    expect(seen.map(({ idempotencyKey }) => idempotencyKey)).toEqual(["r:0.0", "r:0.1", "r:1.0", "r:1.1"]);
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
  });

  it("has the ids that the run gives, and keys made of them", async () => {
    const seen = await contexts({ runId: "r", callIds: ({ id }, turn, call) => `${id}/${turn}/${call}` });
    expect(seen.map(({ toolCallId }) => toolCallId)).toEqual(["c0/0/0", "c1/0/1", "c0/1/0", "c1/1/1"]);
    expect(seen[3]?.idempotencyKey).toBe("r:c1/1/1");
  });

  it("is the same under policies", async () => {
    const seen = await contexts({ runId: "r", policies: [{ call: () => undefined }] });
    expect(seen.map(({ idempotencyKey }) => idempotencyKey)).toEqual(["r:0.0", "r:0.1", "r:1.0", "r:1.1"]);
  });

  it("refuses a key in a run without an id", async () => {
    const [first] = await contexts();
    expect(() => first?.idempotencyKey).toThrow(expect.objectContaining({ code: "capability-missing" }));
  });

  it("loses what is made when it is read in a spread", async () => {
    const [first] = await contexts({ runId: "r" });
    expect(Object.keys({ ...first })).toEqual(["agentId", "pluck", "memory"]);
  });

  it.each<[Partial<CustomTool>, string]>([
    [{}, "manual-recovery"],
    [{ effect: "write" }, "manual-recovery"],
    [{ effect: "read" }, "pure"],
    [{ effect: "write", retryPolicy: "idempotent" }, "idempotent"],
  ])("has the retry policy of %o: %s", async (extra, policy) => {
    const [first] = await contexts({}, extra);
    expect(first?.retryPolicy).toBe(policy);
  });
});
