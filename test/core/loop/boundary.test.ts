import { describe, expect, it } from "vitest";
import { AgentError } from "../../../src/core/errors.js";
import { seal } from "../../../src/core/canon/copy.js";
import {
  askAside,
  type AsideOutcome,
  type Boundary,
  type BoundaryPlace,
  type LoopInput,
} from "../../../src/core/loop/boundary.js";
import { createBudget } from "../../../src/core/loop/budget.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { gate, playLoop, toolResults } from "../../support/loop.js";
import { ask, say, tool, watchedScript } from "../../support/script.js";

const echo = tool("echo", () => "fine");
const user = (content: string): LlmMessage => seal({ role: "user", content });
const texts = (messages: readonly LlmMessage[] | undefined) => messages?.map(({ content }) => content);
const turns = (count: number) => Array.from({ length: count }, () => ask([{ name: "echo" }]));
const places = ["before", "begin", "after"] as const;

/** A boundary that does something at one place of one turn. */
const once = (at: BoundaryPlace["at"], turnIndex: number, act: Boundary): Boundary => {
  return (place) => (place.at === at && place.turnIndex === turnIndex ? act(place) : undefined);
};

describe("the places of a turn", () => {
  it("come in the order of the contract, between the events of the turn", async () => {
    const told: string[] = [];
    const provider = watchedScript([...turns(1), say("done")]);
    const run = await playLoop({
      provider: {
        turn(request) {
          told.push("provider");
          return provider.turn(request);
        },
      },
      tools: [tool("echo", () => void told.push("tool"))],
      boundary: (place) => void told.push(`${place.at} ${place.turnIndex}`),
      prepare: (turnIndex) => void told.push(`prepare ${turnIndex}`),
      journal: {
        begin: ({ turnIndex }) => void told.push(`journal ${turnIndex}`),
        known: () => undefined,
        end: (callIndex) => void told.push(`end ${callIndex}`),
      },
    });
    expect(told).toEqual([
      ...["before 0", "begin 0", "prepare 0", "provider", "journal 0", "tool", "end 0", "after 0"],
      ...["before 1", "begin 1", "prepare 1", "provider", "after 1"],
    ]);
    expect(run.stop).toEqual({ kind: "finished", finalAnswer: "done" });
  });

  it("are told before the turn starts and after its results, with the outcome and the very input", async () => {
    const inputs = new Set<LoopInput>();
    const seen: unknown[] = [];
    await playLoop({
      steps: [ask([{ name: "gone" }]), say("done")],
      boundary(place) {
        inputs.add(place.loop);
        seen.push([place.at, place.loop.history.length, place.at === "after" ? place.outcome : undefined]);
      },
    });
    expect(inputs.size).toBe(1);
    expect(seen).toEqual([
      ["before", 1, undefined],
      ["begin", 1, undefined],
      ["after", 3, { kind: "continue", refused: true }],
      ["before", 3, undefined],
      ["begin", 3, undefined],
      ["after", 4, { kind: "finished", finalAnswer: "done" }],
    ]);
  });

  it.each([
    [undefined, 0],
    [{ assertWhole: () => undefined, settle: async () => undefined }, 1 + 3 + 5],
  ])("copy the conversation for receipts alone (%j: %i messages copied)", async (receipts, expected) => {
    const history: LlmMessage[] = [user("go")];
    let copied = 0;
    const { error } = await playLoop({
      steps: [...turns(2), say("done")],
      tools: [echo],
      boundary: () => undefined,
      history,
      ...(receipts === undefined ? {} : { receipts }),
      onDetail(detail) {
        if (detail?.kind === "turn" && detail.messages !== history) copied += detail.messages?.length ?? 0;
      },
    });
    expect(error).toBeUndefined();
    expect(copied).toBe(expected);
  });

  it("are left out by a cap: neither `begin` nor `after` of a turn that was never taken", async () => {
    const seen: string[] = [];
    const { stop } = await playLoop({
      steps: turns(2),
      tools: [echo],
      limits: { maxTurns: 1 },
      boundary: ({ at, turnIndex }) => void seen.push(`${at} ${turnIndex}`),
    });
    expect(stop).toEqual({ kind: "budget", cap: "turns" });
    expect(seen).toEqual(["before 0", "begin 0", "after 0", "before 1"]);
  });

  it("tell `after` of a turn that the cap of tool calls cut short, where no decision has an effect", async () => {
    for (const decision of [{ kind: "stop", reason: "x" }, { kind: "continue" }, { kind: "changed" }] as const) {
      const outcomes: unknown[] = [];
      const { stop, events } = await playLoop({
        steps: [ask([{ name: "echo" }, { name: "echo" }])],
        tools: [echo],
        limits: { maxToolCalls: 1 },
        boundary(place) {
          if (place.at !== "after") return undefined;
          outcomes.push(place.outcome);
          return decision;
        },
      });
      expect(outcomes).toEqual([{ kind: "budget", cap: "toolCalls" }]);
      expect(stop).toEqual({ kind: "budget", cap: "toolCalls" });
      expect(events.at(-1)).toMatchObject({ type: "budget-exhausted", cap: "toolCalls" });
    }
  });

  it("come before too many corrections end the run", async () => {
    const seen: string[] = [];
    const { error } = await playLoop({
      steps: [ask([{ name: "gone" }])],
      maxCorrections: 0,
      boundary: ({ at }) => void seen.push(at),
    });
    expect(error).toMatchObject({ code: "tool-failed" });
    expect(seen).toEqual(["before", "begin", "after"]);
  });
});

describe("a decision", () => {
  it.each(places)("stops the run at %s, with no event of its own", async (at) => {
    const budget = createBudget();
    const { stop, events } = await playLoop({
      ...{ steps: [...turns(1), say("done")], tools: [echo], budget },
      boundary: once(at, 1, () => ({ kind: "stop", reason: "closed" })),
    });
    expect(stop).toEqual({ kind: "stopped", at, reason: "closed" });
    expect(events.at(-1)?.type).toBe(at === "after" ? "llm-turn" : "tool-result");
    // The turn that a gate forbade is given back.
    expect(budget.turns).toBe(at === "after" ? 2 : 1);
  });

  it("replaces the conversation at `before`, and the cap is asked of what is left", async () => {
    const budget = createBudget({ maxTokens: 4_000 });
    const long = "x".repeat(12_000);
    const steps = [ask([{ name: "echo" }], { usage: { inputTokens: 3_000, outputTokens: 5 } }), say("done")];
    const history = [user("go"), user(long)];
    const compact = once("before", 1, ({ loop }) => {
      loop.history.splice(1, 1, user("short"));
      return { kind: "changed" };
    });
    const run = { steps, tools: [echo], history, boundary: compact };
    expect((await playLoop({ ...run, budget })).stop).toEqual({ kind: "finished", finalAnswer: "done" });
    const untold = { ...run, history: [user("go"), user(long)], boundary: once("before", 1, () => undefined) };
    expect((await playLoop({ ...untold, limits: { maxTokens: 4_000 } })).stop).toEqual({
      kind: "budget",
      cap: "tokens",
    });
  });

  it("takes one turn more after a final answer, which stays in the conversation", async () => {
    const { stop, history } = await playLoop({
      steps: [say("first"), say("second")],
      boundary: once("after", 0, ({ loop }) => {
        loop.history.push(user("and now?"));
        return { kind: "continue" };
      }),
    });
    expect(stop).toEqual({ kind: "finished", finalAnswer: "second" });
    expect(texts(history)).toEqual(["go", "first", "and now?", "second"]);
  });

  it("begins the row of corrections again with that turn", async () => {
    const wrong = () => ask([{ name: "gone" }]);
    const { stop } = await playLoop({
      steps: [wrong(), say("first"), wrong(), say("second")],
      maxCorrections: 1,
      boundary: once("after", 1, () => ({ kind: "continue", changed: true })),
    });
    expect(stop).toEqual({ kind: "finished", finalAnswer: "second" });
  });

  it("has no say at any other place or outcome", async () => {
    const { stop } = await playLoop({
      steps: [...turns(1), say("done")],
      tools: [echo],
      boundary: (place) => (place.at === "after" && place.turnIndex === 1 ? undefined : { kind: "continue" }),
    });
    expect(stop).toEqual({ kind: "finished", finalAnswer: "done" });
  });
});

describe("a boundary that fails, or is still at work at an abort", () => {
  const all = [...places, "prepare"] as const;
  const at = (place: (typeof all)[number], act: () => Promise<undefined> | undefined) =>
    place === "prepare" ? { prepare: act } : { boundary: once(place, 0, act) };

  it.each(all)("ends the run with what it throws at %s", async (place) => {
    const thrown = new Error("store is gone");
    const act = (): undefined => {
      throw thrown;
    };
    const later = () => Promise.reject(thrown);
    for (const how of [act, later]) {
      const budget = createBudget();
      const { error, events } = await playLoop({ steps: [say("x")], budget, ...at(place, how) });
      expect(error).toBe(thrown);
      expect(events.map(({ type }) => type)).not.toContain("llm-error");
      expect(budget.turns).toBe(place === "before" ? 0 : 1);
    }
  });

  it.each(all)("ends at once with `aborted` at %s, whatever hangs and whatever comes late", async (place) => {
    for (const late of ["never", "resolves", "rejects"] as const) {
      const control = new AbortController();
      const { opened, open } = gate();
      const act = async (): Promise<undefined> => {
        queueMicrotask(() => control.abort(new Error("enough")));
        await (late === "never" ? new Promise(() => undefined) : opened);
        if (late === "rejects") throw new Error("too late");
      };
      const run = await playLoop({ steps: [say("x")], signal: control.signal, ...at(place, act) });
      expect(run.error).toMatchObject({ code: "aborted" });
      open();
      await opened;
    }
  });

  it.each(all)("ends with `aborted` at %s where it answers or throws after it aborted the run", async (place) => {
    for (const throws of [false, true]) {
      const control = new AbortController();
      const act = (): undefined => {
        control.abort();
        if (throws) throw new Error("hidden by the abort");
      };
      const run = await playLoop({ steps: [say("x")], signal: control.signal, ...at(place, act) });
      expect(run.error).toMatchObject({ code: "aborted" });
    }
  });
});

describe("a turn outside the conversation", () => {
  const summary = [user("Sum up.")];

  it("is counted and logged like any other, without tools, and leaves the conversation alone", async () => {
    const provider = watchedScript([...turns(1), say("short"), say("done")]);
    let aside: AsideOutcome | undefined;
    const run = await playLoop({
      provider,
      tools: [echo],
      boundary: once("before", 1, async ({ loop }) => {
        aside = await askAside(loop, summary, { maxTokens: 9 });
        return undefined;
      }),
    });
    expect(aside).toMatchObject({ kind: "answered", turnIndex: 1, response: { finalAnswer: "short" } });
    expect(run.events.map(({ turn, type }) => `${turn} ${type}`)).toEqual([
      ...["0 turn-start", "0 llm-turn", "0 tool-call", "0 tool-result"],
      ...["1 turn-start", "1 llm-turn", "2 turn-start", "2 llm-turn"],
    ]);
    expect(texts(run.history)).toEqual(["go", "", "fine", "done"]);
    expect(provider.asked[1]).toMatchObject({ tools: undefined, messages: summary });
    expect(texts(provider.asked[2]?.messages)).toEqual(["go", "", "fine"]);
  });

  it("works in `after`, and leaves the index of the turn that it follows", async () => {
    const seen: number[] = [];
    const { events } = await playLoop({
      steps: [ask([{ name: "gone" }]), say("short"), say("done")],
      maxCorrections: 1,
      boundary: async (place) => {
        seen.push(place.turnIndex);
        if (place.at !== "after" || place.turnIndex !== 0) return undefined;
        await askAside(place.loop, summary);
        place.loop.emit(place.turnIndex, { type: "turn-start" });
        return undefined;
      },
    });
    expect(seen).toEqual([0, 0, 0, 2, 2, 2]);
    expect(events.map(({ turn, type }) => `${turn} ${type}`).slice(4)).toEqual([
      ...["1 turn-start", "1 llm-turn", "0 turn-start", "2 turn-start", "2 llm-turn"],
    ]);
  });

  it("frames itself: neither conversation is estimated by the tokens of the other", async () => {
    const usage = { inputTokens: 900, outputTokens: 5 };
    const steps = [
      ask([{ name: "echo" }], { usage: { inputTokens: 10, outputTokens: 5 } }),
      say("s", { usage }),
      say("done"),
    ];
    const { stop } = await playLoop({
      ...{ steps, tools: [echo], limits: { maxTokens: 1_000 } },
      boundary: once("before", 1, async ({ loop }) => void (await askAside(loop, summary))),
    });
    expect(stop).toEqual({ kind: "finished", finalAnswer: "done" });
  });

  it("gives the cap that forbids it, and sends nothing", async () => {
    const outcomes: AsideOutcome[] = [];
    const provider = watchedScript(turns(1));
    await playLoop({
      ...{ provider, tools: [echo], limits: { maxTurns: 1 } },
      boundary: once("before", 1, async ({ loop }) => void outcomes.push(await askAside(loop, summary))),
    });
    expect(outcomes).toEqual([{ kind: "budget", cap: "turns" }]);
    expect(provider.asked).toHaveLength(1);
  });

  it("refuses calls in its answer, which count as tool calls", async () => {
    const budget = createBudget();
    const { events } = await playLoop({
      ...{ steps: [ask([{ name: "echo" }]), say("done")], tools: [echo], budget },
      boundary: once("before", 0, async ({ loop }) => void (await askAside(loop, summary))),
    });
    expect(events).toContainEqual(expect.objectContaining({ turn: 0, type: "tool-rejected", tool: "echo" }));
    expect(budget.toolCalls).toBe(1);
  });

  it("ends the run as the provider does", async () => {
    const fails = () => {
      throw new AgentError("timeout", "slow");
    };
    const { error, events } = await playLoop({
      steps: [fails],
      boundary: once("before", 0, async ({ loop }) => void (await askAside(loop, summary))),
    });
    expect(error).toMatchObject({ code: "timeout" });
    expect(events.at(-1)).toMatchObject({ turn: 0, type: "llm-error", code: "timeout" });
  });

  it("works with no loop running", async () => {
    let loop: LoopInput | undefined;
    const steps = [say("done"), say("short")];
    await playLoop({ steps, boundary: (place) => void (loop = place.loop) });
    expect(await askAside(loop as LoopInput, summary)).toMatchObject({
      turnIndex: 1,
      response: { finalAnswer: "short" },
    });
  });
});

describe("a prepared turn", () => {
  it("sends its messages and settings in place of the loop's own, which stay as they are", async () => {
    const settings = { temperature: 0 };
    const asked: unknown[] = [];
    const script = watchedScript([...turns(1), say("done")]);
    const { history } = await playLoop({
      provider: {
        turn(request) {
          asked.push([texts(request.messages), request.settings]);
          return script.turn(request);
        },
      },
      tools: [echo],
      settings,
      prepare: (turnIndex) =>
        turnIndex === 0 ? { messages: [user("go"), user("overlay")] } : { settings: { temperature: 1 } },
    });
    expect(asked).toEqual([
      [["go", "overlay"], settings],
      [["go", "", "fine"], { temperature: 1 }],
    ]);
    expect(texts(history)).toEqual(["go", "", "fine", "done"]);
    expect(toolResults(history)).toEqual(["c0: fine"]);
  });

  it("is not asked by an aside", async () => {
    const asked: number[] = [];
    await playLoop({
      steps: [say("short"), say("done")],
      prepare: (turnIndex) => void asked.push(turnIndex),
      boundary: once("before", 0, async ({ loop }) => void (await askAside(loop, [user("Sum up.")]))),
    });
    expect(asked).toEqual([1]);
  });

  it("may wait, and is seen by the turn that it holds", async () => {
    const provider = watchedScript([say("done")]);
    const { opened, open } = gate();
    const running = playLoop({
      provider,
      prepare: async () => {
        await opened;
        return { messages: [user("late")] };
      },
    });
    await Promise.resolve();
    expect(provider.asked).toHaveLength(0);
    open();
    await running;
    expect(texts(provider.asked[0]?.messages)).toEqual(["late"]);
  });
});
