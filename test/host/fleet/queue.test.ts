import { describe, expect, it } from "vitest";
import type { FleetCell } from "../../../src/host/fleet/cell.js";
import { createLocalQueue } from "../../../src/host/fleet/queue.js";

const held = (...targets: string[]) => new Map(targets.map((target) => [target, 1]));

describe("the queue of one process", () => {
  it("gives a member its own cells and those of anybody, in order and once", async () => {
    const queue = createLocalQueue();
    await queue.enqueue([
      { id: 0, target: "x", member: "ann" },
      { id: 1, target: "y", member: "bob" },
      { id: 2, target: "z" },
      { id: 3, target: "y", member: "ann" },
    ]);
    const claimed = [];
    for (const member of ["ann", "bob", "ann", "bob", "ann", "bob"]) claimed.push(await queue.claim(member, held()));
    expect(claimed.map((claim) => (claim.kind === "claimed" ? claim.cell.id : claim.kind))).toEqual([
      0,
      1,
      3,
      2,
      "empty",
      "empty",
    ]);
  });

  it("leaves the targets it is told to leave, and says that there are such", async () => {
    const queue = createLocalQueue();
    await queue.enqueue([
      { id: 0, target: "x", member: "ann" },
      { id: 1, target: "y", member: "ann" },
    ]);
    expect(await queue.claim("ann", held("x"))).toMatchObject({ cell: { id: 1 } });
    expect(await queue.claim("ann", held("x", "y"))).toEqual({ kind: "later" });
    expect(await queue.claim("bob", held("x"))).toEqual({ kind: "empty" });
    expect(await queue.claim("ann", held())).toMatchObject({ cell: { id: 0 } });
  });

  it("takes a cell as complete once, and only from who claimed it", async () => {
    const queue = createLocalQueue();
    const skipped: FleetCell = { status: "skipped", target: "x", attempts: 0, reason: "aborted" };
    await queue.enqueue([{ id: 0, target: "x" }]);
    expect(() => queue.complete(0, skipped)).toThrow("cell 0");
    await queue.claim("ann", held());
    expect(await queue.complete(0, skipped)).toBe(skipped);
    expect(() => queue.complete(0, skipped)).toThrow("without being claimed");
  });
});
