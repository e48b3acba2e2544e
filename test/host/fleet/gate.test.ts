import { expect, it } from "vitest";
import { createGates } from "../../../src/host/fleet/gate.js";

it("forgets no target whose run has not settled, so that its failure still counts", () => {
  const gates = createGates({ breaker: { failures: 1, cooldownMs: 1_000 } });
  const entry = gates.enter("x", 0);
  gates.forget(0, 10);
  expect(entry.kind).toBe("in");
  gates.settle("x", entry.kind === "in" ? entry.pass : undefined, "failed", 1);
  expect(gates.enter("x", 2).kind).toBe("refused");
});

it("forgets a target that settled and has nothing against it", () => {
  const gates = createGates({ breaker: { failures: 2, cooldownMs: 1_000 } });
  const entry = gates.enter("x", 0);
  gates.settle("x", entry.kind === "in" ? entry.pass : undefined, "succeeded", 1);
  gates.forget(1, 0);
  expect(gates.held(1).size).toBe(0);
});
