// Laws of sessions: the grammar of every run, overlays that leave no trace, handles against a plain list, and ids that never repeat.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../src/core/session/event.js";
import type { SessionHandle } from "../../src/core/session/live/handle.js";
import type { AgentRun } from "../../src/core/session/run/run.js";
import { CallIds } from "../../src/core/session/turn/call-ids.js";
import type { ScriptStep } from "../../src/core/providers/scripted.js";
import { ask, say, tool } from "../support/script.js";
import { scriptedAgent, testStore, type TestStore } from "../support/sessions.js";

/** One letter for each event, so that a run is a word. */
const LETTERS: Readonly<Record<SessionEvent["type"], string>> = {
  "user-text": "U",
  "user-message": "U",
  "turn-start": "T",
  "step-start": "S",
  "step-end": "E",
  "runtime-input": "i",
  "overlay-accepted": "o",
  "overlay-expired": "x",
  "assistant-text": "a",
  "assistant-reasoning": "a",
  "assistant-text-delta": "d",
  "assistant-reasoning-delta": "d",
  "tool-call": "c",
  "tool-result": "r",
  "subagent-job-start": "j",
  "subagent-job-update": "j",
  "subagent-job-end": "j",
  "turn-end": "F",
  "turn-abort": "A",
  "turn-error": "X",
};

/** Whole steps with input between them, then perhaps a step that was cut off, the overlays' ends and the last event. */
const GRAMMAR = /^Uo*(?:To*i*(?:So*i*[ad]*c*o*r*o*Eo*i*)*(?:So*i*[ad]*c*o*r*)?)?x*[FAX]$/;

type Act = "steer" | "overlay" | "interrupt" | "none";
type StepPlan = { readonly kind: "say" | "call" | "both" | "fail" | "refused"; readonly during: Act };

interface Plan {
  readonly steps: readonly StepPlan[];
  readonly at: Readonly<Record<string, Act>>;
  readonly drive: "events" | "result" | "leave";
  readonly maxTurns: number;
  readonly maxToolCalls: number;
}

const act = fc.constantFrom<Act>("none", "none", "steer", "overlay", "interrupt");
const plans: fc.Arbitrary<Plan> = fc.record({
  steps: fc.array(fc.record({ kind: fc.constantFrom("say", "call", "both", "fail", "refused"), during: act }), {
    minLength: 1,
    maxLength: 5,
  }),
  at: fc.dictionary(fc.constantFrom("T0", "S0", "E0", "S1", "E1", "E2"), act, { maxKeys: 4 }),
  drive: fc.constantFrom("events", "result", "leave"),
  maxTurns: fc.integer({ min: 0, max: 6 }),
  maxToolCalls: fc.integer({ min: 0, max: 4 }),
});

async function play(plan: Plan, store: TestStore, withOverlays = true) {
  let current: Act = "none";
  let joined = 0;
  const doAct = async (what: Act) => {
    const session: SessionHandle = agent.session("default");
    if (what === "steer" && (await session.steer("steered")) === run) joined += 1;
    if (what === "overlay" && withOverlays) await session.overlay("overlaid");
    if (what === "interrupt") session.interrupt();
  };
  const script = plan.steps.map(({ kind, during }): ScriptStep => () => {
    current = during;
    if (kind === "fail") throw new Error("broken");
    if (kind === "say") return say("text");
    const calls = kind === "both" ? [{ name: "look" }, { name: "look", id: "c1" }] : [{ name: "look" }];
    return ask(kind === "refused" ? [{ name: "gone" }] : calls, { content: kind === "both" ? "text" : "" });
  });
  const look = tool("look", async () => {
    const own = current;
    current = "none";
    await doAct(own);
    return "seen";
  });
  const { agent, asked } = scriptedAgent([...script, ...Array<ScriptStep>(20).fill(say("rest"))], {
    tools: [look],
    host: { sessionStore: store },
    budget: { maxTurns: plan.maxTurns, maxToolCalls: plan.maxToolCalls },
  });
  const run = await agent.send("first");
  const counts: Record<string, number> = {};
  const events =
    plan.drive === "result"
      ? []
      : await readSome(run, plan.drive === "leave" ? 3 : Infinity, async (event) => {
          const letter = LETTERS[event.type];
          const count = (counts[letter] = (counts[letter] ?? -1) + 1);
          await doAct(plan.at[`${letter}${count}`] ?? "none");
        });
  return { events, result: await run.result(), asked, joined };
}

async function readSome(
  run: AgentRun,
  most: number,
  at: (event: SessionEvent) => Promise<void>,
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of run.events()) {
    events.push(event);
    await at(event);
    if (events.length >= most) break;
  }
  return events;
}

describe("every run", () => {
  it("PSS-19 has events of one grammar, a result that fits them, and leaves whole steps behind", async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const store = testStore();
        const { events, result } = await play(plan, store);
        const word = events.map(({ type }) => LETTERS[type]).join("");
        if (plan.drive === "events") expect(word).toMatch(GRAMMAR);
        const end = { completed: "F", aborted: "A", error: "X", suspended: "?" }[result.status];
        if (plan.drive === "events") expect(word.at(-1)).toBe(end);
        const history = store.history("default");
        if (result.status === "error") expect(history).toEqual([]);
        else expect(history[0]).toEqual({ role: "user", content: "first" });
        const open = new Map<string, number>();
        for (const message of history) {
          if (message.role === "tool") open.set(message.toolCallId, (open.get(message.toolCallId) ?? 0) - 1);
          else expect([...open.values()].every((count) => count === 0)).toBe(true);
          if (message.role !== "assistant") continue;
          for (const { id } of message.toolCalls ?? []) open.set(id, (open.get(id) ?? 0) + 1);
        }
        expect([...open.values()].every((count) => count === 0)).toBe(true);
      }),
    );
  });

  it("PSS-25 loses no input: each is in the history, or unapplied, or dropped with a failed turn", async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (given) => {
        const plan = { ...given, drive: "events" as const };
        const store = testStore();
        const { events, result, joined } = await play(plan, store);
        const told = events.filter(({ type }) => type === "runtime-input").length;
        const kept = store.history("default").filter(({ content }) => content === "steered").length;
        expect(kept).toBe(result.status === "error" ? 0 : told);
        expect(told + result.unapplied.length).toBe(joined);
      }),
    );
  });

  it("PSS-100 leaves the same snapshot with and without overlays", async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (given) => {
        // A consumer who leaves after some events would leave elsewhere.
        const plan = { ...given, drive: "events" as const };
        const [one, two] = [testStore(), testStore()];
        await play(plan, one, true);
        await play(plan, two, false);
        expect(one.states).toEqual(two.states);
        expect(JSON.stringify([...one.states])).not.toContain("overlaid");
      }),
    );
  });

  it("PSS-100 asks prompts that only grow within a turn, overlays among them", async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { asked } = await play(plan, testStore());
        for (const [index, { messages }] of asked.entries()) {
          if (index === 0) continue;
          const before = asked[index - 1]?.messages ?? [];
          expect(messages.slice(0, before.length)).toEqual(before);
        }
      }),
    );
  });
});

/** What a session is to its user: turns in order, and a history that only whole turns enter. */
interface Model {
  history: string[];
  waiting: string[];
  isKilled: boolean;
}

interface Real {
  readonly session: SessionHandle;
  readonly store: TestStore;
  readonly runs: { readonly run: AgentRun; readonly text: string }[];
}

class Send implements fc.AsyncCommand<Model, Real> {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  check = () => true;
  async run(model: Model, { session, runs }: Real): Promise<void> {
    const sent = session.send(this.#text);
    if (model.isKilled) {
      await expect(sent).rejects.toMatchObject({ code: "session-closed" });
      return;
    }
    runs.push({ run: await sent, text: this.#text });
    model.waiting.push(this.#text);
  }
  toString = () => `send(${this.#text})`;
}

/** Reads the oldest run to its end. Text that begins with "!" fails. */
class Finish implements fc.AsyncCommand<Model, Real> {
  check = ({ waiting }: Readonly<Model>) => waiting.length > 0;
  async run(model: Model, { runs, store }: Real): Promise<void> {
    const next = runs.shift() as Real["runs"][number];
    const text = model.waiting.shift() as string;
    expect(next.text).toBe(text);
    const result = await next.run.result();
    if (text.startsWith("!")) expect(result.status).toBe("error");
    else {
      expect(result).toMatchObject({ status: "completed", text: `re ${text}` });
      model.history.push(text, `re ${text}`);
    }
    expect(store.history("s").map(({ content }) => content)).toEqual(model.history);
  }
  toString = () => "finish";
}

/** Aborts the oldest run, which keeps its user message. */
class Interrupt implements fc.AsyncCommand<Model, Real> {
  check = ({ waiting }: Readonly<Model>) => waiting.length > 0;
  async run(model: Model, { runs, session, store }: Real): Promise<void> {
    const next = runs.shift() as Real["runs"][number];
    session.interrupt();
    expect((await next.run.result()).status).toBe("aborted");
    model.history.push(model.waiting.shift() as string);
    expect(store.history("s").map(({ content }) => content)).toEqual(model.history);
  }
  toString = () => "interrupt";
}

class Delete implements fc.AsyncCommand<Model, Real> {
  check = () => true;
  async run(model: Model, { runs, session, store }: Real): Promise<void> {
    const deleted = session.delete();
    if (model.isKilled) {
      await expect(deleted).rejects.toMatchObject({ code: "session-closed" });
      return;
    }
    await deleted;
    for (const { run } of runs.splice(0)) expect((await run.result()).status).toBe("aborted");
    model.waiting = [];
    model.history = [];
    expect(store.states.size).toBe(0);
  }
  toString = () => "delete";
}

class Kill implements fc.AsyncCommand<Model, Real> {
  check = () => true;
  async run(model: Model, { runs, session, store }: Real): Promise<void> {
    await session.kill();
    for (const { run } of runs.splice(0)) expect((await run.result()).status).toBe("aborted");
    // The turn under way keeps its user message.
    model.history.push(...model.waiting.splice(0).slice(0, 1));
    model.isKilled = true;
    expect(store.history("s").map(({ content }) => content)).toEqual(model.history);
  }
  toString = () => "kill";
}

it("PSS-22 PSS-99 PSS-135 PSS-137 PSS-138 a session behaves as a plain list of turns", async () => {
  const text = fc.oneof(fc.constantFrom("a", "b", "!c"), fc.nat(9).map(String));
  const commands = fc.commands(
    [
      text.map((word) => new Send(word)),
      text.map((word) => new Send(word)),
      fc.constant(new Finish()),
      fc.constant(new Finish()),
      fc.constant(new Interrupt()),
      fc.constant(new Delete()),
      fc.constant(new Kill()),
    ],
    { maxCommands: 20 },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (cmds) => {
      const store = testStore();
      const model = {
        turn: async ({ messages }: { messages: readonly { content: unknown }[] }) => {
          const last = messages.at(-1)?.content as string;
          if (last.startsWith("!")) throw new Error("broken");
          return say(`re ${last}`);
        },
      };
      const { agent } = scriptedAgent([], { model, host: { sessionStore: store } });
      const real: Real = { session: agent.session("s"), store, runs: [] };
      await fc.asyncModelRun(() => ({ model: { history: [], waiting: [], isKilled: false }, real }), cmds);
      await agent.close();
    }),
  );
});

it("PSS-128 PSS-130 public ids of calls are of one form, and no two calls of a run share one", () => {
  const id = fc.oneof(fc.constantFrom("call_1", "call-1", "c0", "", "toolu_1"), fc.string());
  fc.assert(
    fc.property(fc.array(fc.array(id, { maxLength: 4 }), { maxLength: 6 }), (steps) => {
      const [first, again] = [new CallIds(), new CallIds()];
      const nameAll = (ids: CallIds) =>
        steps.flatMap((calls, step) =>
          ids.name(step, {
            role: "assistant",
            content: "",
            toolCalls: calls.map((own) => ({ id: own, name: "x", arguments: {} })),
          }),
        );
      const named = nameAll(first);
      expect(new Set(named).size).toBe(named.length);
      for (const own of named) expect(own).toMatch(/^call[-_]/);
      expect(nameAll(again)).toEqual(named);
      const asked = steps.flatMap((calls, step) => calls.map((own, index) => first.of(step, index, own)));
      expect(asked).toEqual(named);
    }),
  );
});
