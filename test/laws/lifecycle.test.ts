// A run is aborted at every place where it calls out, one after another, with callees that heed the signal, that go on as if
// nothing were, and that hang until long after.

import { afterEach, beforeEach, expect, it } from "vitest";
import type { AgentEvent } from "../../src/core/events/event.js";
import { MEMORY_GRACE_MS } from "../../src/core/limits.js";
import type { LlmProviderAdapter, LlmTurnRequest, LlmTurnResponse } from "../../src/core/model/provider.js";
import type { Plan } from "../../src/core/runtime/plan.js";
import type { AgentRuntime } from "../../src/core/runtime/runtime.js";
import type { ToolPolicy } from "../../src/core/tools/policy-decision.js";
import { agent, runtime } from "../support/agents.js";
import { gate } from "../support/loop.js";
import { watchedMemory } from "../support/memories.js";
import { ask, quietPorts, say, tool } from "../support/script.js";

/** What a callee does once the run is aborted. */
type Manner = "heeds" | "goes on" | "hangs";
/** Whether the abort comes in the middle of the callee's own code, or as soon as it waits. */
type Moment = "at once" | "while it waits";
type How = "signal" | "destroy";
/** Whether policies look at each call and each result. */
type Guarded = "without policies" | "under policies";

class World {
  readonly controller = new AbortController();
  readonly released = gate();
  readonly points: string[] = [];
  readonly startedLate: string[] = [];
  readonly toolSignals: AbortSignal[] = [];
  readonly events: AgentEvent[] = [];
  isAborted = false;
  readonly runtime: AgentRuntime;
  readonly abortAt: number;
  readonly manner: Manner;
  readonly moment: Moment;
  readonly how: How;
  readonly guarded: Guarded;

  constructor(abortAt: number, manner: Manner, moment: Moment, how: How, guarded: Guarded) {
    [this.abortAt, this.manner, this.moment, this.how, this.guarded] = [abortAt, manner, moment, how, guarded];
    this.runtime = makeRuntime(this);
  }

  run() {
    return this.runtime.run({ goal: "g", plan: planIn(this), signal: this.controller.signal });
  }

  abort(): void {
    this.isAborted = true;
    if (this.how === "signal") this.controller.abort("enough");
    else void this.runtime.destroy();
  }

  /** A place where the run has called out. */
  point(name: string): void {
    if (this.points.length === this.abortAt) {
      if (this.moment === "at once") this.abort();
      else queueMicrotask(() => this.abort());
    }
    this.points.push(name);
  }

  /** The beginning of something that must not begin once the run is aborted. */
  start(name: string): void {
    if (this.isAborted) this.startedLate.push(name);
    this.point(`${name} begins`);
    this.obey();
  }

  async during(name: string): Promise<void> {
    await Promise.resolve();
    if (this.isAborted && this.manner === "hangs") await this.released.opened;
    this.point(`${name} goes on`);
    this.obey();
    await Promise.resolve();
    if (this.isAborted && this.manner === "hangs") await this.released.opened;
  }

  obey(): void {
    if (this.isAborted && this.manner === "heeds") throw new Error("stopped");
  }
}

/** Asks for `calls` until they are answered, then answers. */
function answer({ messages }: LlmTurnRequest, calls: readonly string[]): LlmTurnResponse {
  if (messages.at(-1)?.role === "tool") return say("done", { costUsd: 0.1 });
  return ask(
    calls.map((name) => ({ name })),
    { content: "Let me see." },
  );
}

function providerIn(world: World, name: string, calls: readonly string[]): LlmProviderAdapter {
  const call = async (request: LlmTurnRequest) => {
    world.start(name);
    await world.during(name);
    return answer(request, calls);
  };
  return {
    name,
    turn: call,
    async *stream(request) {
      const response = await call(request);
      for (const text of response.message.content) {
        yield { type: "text-delta", text } as const;
        await world.during(`${name} between deltas`);
      }
      yield { type: "response", response };
    },
  };
}

/** Two policies: the first waits and, once the run is aborted, denies or throws; the second looks at the call at once. */
function policiesIn(world: World): readonly ToolPolicy[] {
  const waiting = async (hook: "call" | "result") => {
    world.start(`${hook} hook`);
    await world.during(`${hook} hook`);
  };
  return [
    {
      async call() {
        await waiting("call");
        return world.isAborted && world.manner === "hangs" ? { action: "error", message: "too late" } : undefined;
      },
      async result() {
        await waiting("result");
        return undefined;
      },
    },
    {
      call: () => void world.start("second call hook") as undefined,
      result: () => void world.start("second result hook") as undefined,
    },
  ];
}

function makeRuntime(world: World): AgentRuntime {
  const working = (name: string, effect: "read" | "write") =>
    tool(
      name,
      async (_args, { signal, memory }) => {
        world.start(name);
        world.toolSignals.push(signal);
        await world.during(name);
        await memory.set("agent", name, 1);
        return name;
      },
      { effect },
    );
  const policies = world.guarded === "under policies" ? { policies: policiesIn(world) } : {};
  const agents = [
    agent(providerIn(world, "a", ["p1", "p2"]), {
      id: "a",
      ...policies,
      customTools: [working("p1", "read"), working("p2", "read")],
    }),
    agent(providerIn(world, "b", ["s1", "s2"]), {
      id: "b",
      ...policies,
      streaming: true,
      customTools: [working("s1", "write"), working("s2", "read")],
    }),
  ];
  const memory = watchedMemory(async (method, scope) => {
    // Forgetting is what an aborted run still does; what a tool does with the memory is the tool's.
    if (method === "clear" || !scope.startsWith("shared")) return world.point(`memory ${method}`);
    world.start(`memory ${method}`);
    await world.during(`memory ${method}`);
  });
  const onEvent = (event: AgentEvent) => {
    world.events.push(event);
    world.point(`event ${event.type}`);
  };
  return runtime(agents, {
    memory,
    onEvent,
    maxAgentVisits: 2,
    ports: { ...quietPorts(), timer: immediateGrace },
  });
}

/** Waits for no memory; the limits of tools do not matter here. */
function immediateGrace(ms: number, fire: () => void): () => void {
  if (ms === MEMORY_GRACE_MS) fire();
  return () => undefined;
}

function planIn(world: World): Plan {
  const when = () => {
    world.start("when");
    return true;
  };
  const input = () => {
    world.point("input");
    return "Go on.";
  };
  return {
    entry: "a",
    edges: [
      { from: "a", to: "b", when, input },
      { from: "b", to: "a", when },
    ],
    exits: [],
  };
}

async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
}

const unhandled: unknown[] = [];
const listen = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => void process.on("unhandledRejection", listen));
afterEach(() => {
  process.off("unhandledRejection", listen);
  expect(unhandled.splice(0)).toEqual([]);
});

async function placesOf(guarded: Guarded): Promise<string[]> {
  const calm = new World(Infinity, "goes on", "at once", "signal", guarded);
  const result = await calm.run();
  expect(result.ended).toEqual({ kind: "cycle", agentId: "a", limit: 2 });
  return calm.points;
}

it("calls out in every kind of place that the law is about", async () => {
  const kinds = new Set(await placesOf("under policies"));
  const calls = [
    "a",
    "b",
    "p1",
    "p2",
    "s1",
    "s2",
    "memory set",
    "memory keys",
    "memory get",
    "call hook",
    "result hook",
  ];
  for (const name of calls) {
    expect(kinds).toContain(`${name} begins`);
    expect(kinds).toContain(`${name} goes on`);
  }
  for (const name of [
    "b between deltas goes on",
    "when begins",
    "input",
    "second call hook begins",
    "second result hook begins",
    "memory clear",
    "event handoff",
    "event run-end",
  ]) {
    expect(kinds).toContain(name);
  }
});

const cases = (["heeds", "goes on", "hangs"] as const).flatMap((manner) =>
  (["at once", "while it waits"] as const).flatMap((moment) =>
    (["signal", "destroy"] as const).flatMap((how) =>
      (["without policies", "under policies"] as const).map((guarded) => [how, moment, guarded, manner] as const),
    ),
  ),
);

it.each(cases)(
  "PLK-50 PLK-97 PLK-101 a run that is aborted by %s %s, anywhere %s, rejects and starts nothing more, whoever %s",
  async (how, moment, guarded, manner) => {
    const places = await placesOf(guarded);
    for (const [abortAt, place] of places.entries()) {
      const world = new World(abortAt, manner, moment, how, guarded);
      const outcome = await world.run().then(
        () => "a result",
        (error: { code?: string }) => error.code,
      );
      const events = world.events.length;
      // What hears of the end of a run is too late to abort it.
      expect([place, outcome]).toEqual([place, place === "event run-end" ? "a result" : "aborted"]);
      world.released.open();
      await settle();
      expect([place, world.startedLate]).toEqual([place, []]);
      expect([place, world.toolSignals.filter(({ aborted }) => !aborted)]).toEqual([place, []]);
      expect(world.events).toHaveLength(events);
      expect(world.events.filter(({ type }) => type === "run-end")).toHaveLength(1);
      expect(world.events.at(-1)?.type).toBe("run-end");
      await world.runtime.destroy();
    }
  },
);
