import { describe, expect, it } from "vitest";
import { handoffText, inputOf, nextEdge, toPlan, type Plan, type PlanEdge } from "../../../src/core/runtime/plan.js";
import { refusal } from "../../support/refusal.js";

const AGENTS = ["router", "specialist", "fallback"];
const good: Plan = { entry: "router", edges: [{ from: "router", to: "specialist" }], exits: ["specialist"] };

describe("a plan", () => {
  it("PLK-17 has an entry, edges with an optional condition, and exits", () => {
    const when = () => true;
    const plan: Plan = {
      ...good,
      edges: [
        { from: "router", to: "specialist", when },
        { from: "router", to: "fallback" },
      ],
    };
    expect(toPlan(plan, AGENTS)).toEqual(plan);
  });

  it("is copied at the door, so that a later change of it changes no run", () => {
    const edges: PlanEdge[] = [...good.edges];
    const exits = [...good.exits];
    const plan = toPlan({ ...good, edges, exits }, AGENTS);
    edges.pop();
    exits.pop();
    expect(plan).toEqual(good);
  });

  it.each<[string, unknown, string[]]>([
    ["null", null, ["the plan is not an object"]],
    ["no entry", { edges: [], exits: [] }, ["entry is undefined, which is not an agent"]],
    ["an unknown entry", { ...good, entry: "boss" }, ['entry is "boss", which is not an agent']],
    ["no edges", { entry: "router", exits: [] }, ["its edges are not a list"]],
    ["exits that are not a list", { ...good, exits: "specialist" }, ["its exits are not a list"]],
    ["an unknown exit", { ...good, exits: ["specialist", "x"] }, ['exits[1] is "x"']],
    ["an edge from nowhere", { ...good, edges: [{ to: "router" }] }, ["edges[0].from is undefined"]],
    [
      "an edge to an unknown agent",
      { ...good, edges: [...good.edges, { from: "router", to: "b" }] },
      ['edges[1].to is "b"'],
    ],
    ["an invalid edge", { ...good, edges: [null] }, ["edges[0] is not an object"]],
    ["a hole among the edges", { ...good, edges: new Array(1) }, ["edges[0] is not an object"]],
    [
      "a condition that is not a function",
      { ...good, edges: [{ ...good.edges[0], when: "yes" }] },
      ["edges[0].when is not a function"],
    ],
    [
      "an input that is not a function",
      { ...good, edges: [{ ...good.edges[0], input: "x" }] },
      ["edges[0].input is not a function"],
    ],
    ["an option of the plan nobody reads", { ...good, exit: [] }, ["it has an unknown option exit"]],
    [
      "an option of an edge nobody reads",
      { ...good, edges: [{ ...good.edges[0], if: 1 }] },
      ["edges[0] has an unknown option if"],
    ],
    ["several flaws, all of them named", { entry: "x", edges: [], exits: ["y"] }, ['entry is "x"', 'exits[0] is "y"']],
  ])("PLK-17 is refused with %s", (_name, plan, parts) => {
    const error = refusal(() => toPlan(plan as Plan, AGENTS)) as Error;
    expect(error).toMatchObject({ code: "invalid-options" });
    for (const part of parts) expect(error.message).toContain(part);
  });

  it("is refused with the names of the agents there are", () => {
    const hint = refusal(() => toPlan({ ...good, entry: "boss" }, AGENTS)) as { hint: string };
    expect(hint.hint).toContain('"router", "specialist", "fallback"');
  });

  it("is refused with the place where maxAgentVisits belongs", () => {
    expect(refusal(() => toPlan({ ...good, maxAgentVisits: 2 } as Plan, AGENTS))).toMatchObject({
      message: "the plan cannot work: it has an unknown option maxAgentVisits",
      hint: expect.stringMatching(/^maxAgentVisits is an option of createRuntime\. The agents are /) as string,
    });
  });

  it("is refused in bounded words, however much is wrong with it", () => {
    const exits = Array.from({ length: 50_000 }, (_, index) => `x${index}`);
    const { message } = refusal(() => toPlan({ ...good, exits }, AGENTS)) as Error;
    expect(message.length).toBeLessThan(2_000);
    expect(message).toContain("and 49980 more");
  });
});

describe("the next edge", () => {
  const from = (...edges: (Partial<PlanEdge> & { to: string })[]) =>
    toPlan({ ...good, edges: edges.map((edge) => ({ from: "router", ...edge })) }, AGENTS);

  it("PLK-75 is the first in declared order whose condition holds for the answer", () => {
    const asked: string[] = [];
    const when = (word: string) => (answer: string) => {
      asked.push(word);
      return answer.includes(word);
    };
    const plan = from(
      { to: "router", when: when("a") },
      { to: "specialist", when: when("b") },
      { to: "fallback", when: when("c") },
    );
    expect(nextEdge(plan, "router", "b or c")).toMatchObject({ to: "specialist", edge: 1 });
    expect(asked).toEqual(["a", "b"]);
    expect(nextEdge(plan, "router", "nothing")).toBeUndefined();
  });

  it("PLK-76 without a condition always matches, so that none behind it is asked", () => {
    const never = () => {
      throw new Error("asked");
    };
    expect(nextEdge(from({ to: "fallback" }, { to: "specialist", when: never }), "router", "")).toMatchObject({
      edge: 0,
    });
  });

  it("belongs to the agent that answered", () => {
    expect(nextEdge(from({ from: "specialist", to: "router" }), "router", "x")).toBeUndefined();
  });

  it.each<[string, () => unknown, string]>([
    [
      "throws",
      () => {
        throw new Error("no sk-abcdefgh12345678 here");
      },
      "threw: no *** here",
    ],
    ["gives a promise", () => Promise.reject(new Error("late")), "returned a promise, not a boolean"],
    ["gives nothing", () => undefined, "returned undefined, not a boolean"],
    ["gives text", () => "yes", "returned a string, not a boolean"],
    ["gives null", () => null, "returned null, not a boolean"],
    ["gives an object", () => ({}), "returned an object, not a boolean"],
  ])("is an error naming the edge when a condition %s", (_name, when, text) => {
    const plan = from({ to: "specialist", when: () => false }, { to: "fallback", when: when as () => boolean });
    const error = refusal(() => nextEdge(plan, "router", "x")) as Error;
    expect(error).toMatchObject({ code: "handoff-failed", retryable: false });
    expect(error.message).toContain("edges[1] (router to fallback)");
    expect(error.message).toContain(text);
  });

  it("keeps what a condition threw as the cause", () => {
    const cause = new Error("broken");
    const when = () => {
      throw cause;
    };
    expect(refusal(() => nextEdge(from({ to: "fallback", when }), "router", ""))).toMatchObject({ cause });
  });
});

describe("what is handed over", () => {
  const edge = { from: "router", to: "fallback", edge: 3 };

  it("is the goal and the answer, in words that do not change", () => {
    expect(inputOf(edge, "Do it.", "Done:\nhalf.")).toBe("Do it.\n\nAnswer of the agent router:\nDone:\nhalf.");
    expect(handoffText({ goal: "g", from: "a", answer: "" })).toBe("g\n\nAnswer of the agent a:\n");
  });

  it("may be replaced by the edge, which sees the whole handoff and cannot change it", () => {
    const input = (handoff: object) => `${JSON.stringify(handoff)} ${Object.isFrozen(handoff)}`;
    expect(inputOf({ ...edge, input }, "g", "a")).toBe(
      '{"goal":"g","from":"router","to":"fallback","answer":"a"} true',
    );
  });

  it.each<[string, () => unknown, string]>([
    [
      "throws",
      () => {
        throw new Error("empty");
      },
      "the input of edges[3] (router to fallback) threw: empty",
    ],
    ["gives a promise", () => Promise.reject(new Error("late")), "returned a promise, not text"],
    ["gives nothing", () => undefined, "returned undefined, not text"],
  ])("is an error naming the edge when its input %s", (_name, input, text) => {
    const error = refusal(() => inputOf({ ...edge, input: input as () => string }, "g", "a")) as Error;
    expect(error).toMatchObject({ code: "handoff-failed" });
    expect(error.message).toContain(text);
  });
});
