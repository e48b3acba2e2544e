import { describe, expect, it } from "vitest";
import { createBaton, type Runner } from "../../../src/cli/bench/baton.js";

/** Lets every promise that can settle do so. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

function twoRunners() {
  const baton = createBaton(2);
  const log: string[] = [];
  const take = (name: string, runner: Runner) => void runner.take().then(() => log.push(name));
  return { a: baton.join(), b: baton.join(), log, take };
}

describe("a baton", () => {
  it("goes from one command to the other with each request, once both have begun", async () => {
    const { a, b, log, take } = twoRunners();
    take("a", a);
    await settle();
    expect(log).toEqual([]);
    take("b", b);
    await settle();
    expect(log).toEqual(["a"]);
    a.give();
    take("a", a);
    await settle();
    expect(log).toEqual(["a", "b"]);
    b.give();
    await settle();
    expect(log).toEqual(["a", "b", "a"]);
  });

  it("answers requests at the same time in one turn", async () => {
    const { a, b, log, take } = twoRunners();
    take("a1", a);
    take("a2", a);
    take("b", b);
    await settle();
    expect(log).toEqual(["a1", "a2"]);
    take("a3", a);
    await settle();
    expect(log).toEqual(["a1", "a2", "a3"]);
  });

  it("stays with the one that is left, and lets the waiting answers of an ended one go", async () => {
    const { a, b, log, take } = twoRunners();
    take("a", a);
    take("b", b);
    await settle();
    b.leave();
    await settle();
    expect(log).toEqual(["a", "b"]);
    a.give();
    take("a", a);
    await settle();
    expect(log).toEqual(["a", "b", "a"]);
  });

  it("does not wait for a command that never begins", async () => {
    const { a, b, log, take } = twoRunners();
    take("a", a);
    b.leave();
    await settle();
    expect(log).toEqual(["a"]);
  });

  it("always is with a command that is alone", async () => {
    const runner = createBaton(1).join();
    await runner.take();
    runner.give();
    await expect(runner.take()).resolves.toBeUndefined();
  });
});
