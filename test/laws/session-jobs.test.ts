// Background jobs in logical time: whatever a coordinator's model does with its subagents, whatever these do with their own, wherever it
// is interrupted, and however long each answer takes, a replay with other delays has the same events and asks the models the same.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/core/canon/digest.js";
import { ARRIVAL_WAIT_MS } from "../../src/core/limits.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../../src/core/model/provider.js";
import type { Ports } from "../../src/core/ports.js";
import { Agent } from "../../src/core/session/agent.js";
import type { SessionEvent } from "../../src/core/session/event.js";
import type { AgentOptions } from "../../src/core/session/options.js";
import type { Arrival } from "../../src/core/session/subagents/arrivals.js";
import { ask, quietPorts, say } from "../support/script.js";
import { readRun, testStore } from "../support/sessions.js";

interface Heard {
  events: SessionEvent[][];
  prompts: Map<string, string[]>;
  /** By agent. */
  arrivals: Record<string, Arrival[]>;
}

const SUBAGENTS = ["a", "b"];

/** A number below `count` that depends on the conversation and the seed alone. */
function choose(messages: readonly LlmMessage[], seed: number, salt: string, count: number): number {
  return parseInt(sha256Hex(JSON.stringify([messages, seed, salt])).slice(0, 8), 16) % count;
}

/** Task ids that the conversation holds, and one that nobody has. */
function tasksIn(messages: readonly LlmMessage[]): string[] {
  const found = JSON.stringify(messages).matchAll(/bg_[0-9a-f]{16}/g);
  return [...new Set([...found].map(([id]) => id)), "bg_0000000000000000"];
}

function coordinate(messages: readonly LlmMessage[], seed: number): LlmTurnResponse {
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  // Every conversation ends: the more steps, the likelier an answer.
  const steps = messages.slice(lastUser).filter(({ role }) => role === "assistant").length;
  const calls = choose(messages, seed, "calls", 5) - steps;
  if (calls <= 0) return say(`done ${choose(messages, seed, "text", 1000)}`);
  const tasks = tasksIn(messages);
  return ask(
    Array.from({ length: calls }, (_, index) => {
      const pick = (salt: string, count: number): number => choose(messages, seed, `${salt}${index}`, count);
      const task_id = tasks[pick("task", tasks.length)] ?? "";
      const subagent = SUBAGENTS[pick("agent", SUBAGENTS.length)] ?? "a";
      const prompt = `p${pick("prompt", 3)}`;
      switch (pick("kind", 8)) {
        case 0:
          return { name: `delegate_to_${subagent}`, arguments: { prompt } };
        case 1:
          return { name: `delegate_to_${subagent}`, arguments: { prompt, sessionKey: `k${pick("key", 2)}` } };
        case 2:
        case 3:
          return { name: `delegate_to_${subagent}`, arguments: { prompt, run_in_background: true } };
        case 4:
        case 7:
          return { name: "background_cancel", arguments: { task_id } };
        case 5:
          return { name: "background_output", arguments: { task_id, block: pick("block", 2) === 0, timeout: 10 } };
        default:
          return { name: "background_output", arguments: { task_id } };
      }
    }),
  );
}

/** The answer of a subagent. Equal first requests get different answers, in their order, as from a recording. */
function work(messages: readonly LlmMessage[], seed: number, count: number): LlmTurnResponse {
  const kind = choose(messages, seed, "work", 6);
  if (kind === 0) throw new Error("the model is broken");
  if (kind < 3 && messages.length < 4) return ask([{ name: "nothing" }]);
  return say(`answer ${choose(messages, seed, messages.length === 1 ? `answer${count}` : "answer", 1000)}`);
}

/** The answer of the subagent that has one of its own: like any other, or first a call that delegates or asks for a job. */
function workAbove(messages: readonly LlmMessage[], seed: number, count: number): LlmTurnResponse {
  const steps = messages.filter(({ role }) => role === "assistant").length;
  if (steps > 2 || choose(messages, seed, "above", 3) === 0) return work(messages, seed, count);
  const prompt = `c${choose(messages, seed, "below", 3)}`;
  const [task_id = ""] = tasksIn(messages);
  const calls = [
    { name: "delegate_to_c", arguments: { prompt, run_in_background: true } },
    { name: "delegate_to_c", arguments: { prompt } },
    { name: "background_output", arguments: { task_id } },
    { name: "background_cancel", arguments: { task_id } },
  ];
  const first = choose(messages, seed, "call", calls.length);
  return ask(calls.slice(first, first + 1 + choose(messages, seed, "calls", 2)));
}

/** Two sessions may ask it the same at once, in any order, so equal requests get equal answers. */
const workBelow: typeof work = (messages, seed) => work(messages, seed, 0);

/** How long things take: the scheduler chooses among what waits, and an answer waits up to seven times. */
interface Delays {
  readonly scheduler: fc.Scheduler;
  readonly hops: fc.Stream<number>;
}

const delays = fc.record({ scheduler: fc.scheduler(), hops: fc.infiniteStream(fc.nat(7)) });

async function play(seed: number, { scheduler, hops }: Delays, arrivals?: Heard["arrivals"]): Promise<Heard> {
  const wait = async (what: string): Promise<void> => {
    for (let hop: number = hops.next().value; hop >= 0; hop--) await scheduler.schedule(Promise.resolve(), what);
  };
  let running = 0;
  const asked = new Map<string, number>();
  const heard: Heard = { events: [], prompts: new Map(), arrivals: {} };
  const ports: Ports = {
    ...quietPorts(),
    timer(ms, fn) {
      let isOn = true;
      if (ms < ARRIVAL_WAIT_MS) void wait(`timer ${ms}`).then(() => isOn && fn());
      return () => (isOn = false);
    },
  };
  const model = (name: string, answer: typeof work) => ({
    async turn({ messages, signal }: LlmTurnRequest) {
      const sent = [...messages];
      const key = `${name} ${JSON.stringify(sent[0]?.content)}`;
      const prompt = JSON.stringify(sent);
      const count = asked.get(name + prompt) ?? 0;
      asked.set(name + prompt, count + 1);
      running++;
      await wait(`${name} answers`);
      running--;
      signal?.throwIfAborted();
      const response = answer(sent, seed, count);
      // A recording keeps what was answered.
      heard.prompts.set(key, [...(heard.prompts.get(key) ?? []), prompt]);
      return response;
    },
  });
  const logical = (name: string): Pick<AgentOptions, "arrivals" | "onNote"> => ({
    ...(arrivals === undefined ? {} : { arrivals: arrivals[name] ?? [] }),
    onNote: (note) => {
      if (note.type === "arrival") (heard.arrivals[name] ??= []).push(note.arrival);
    },
  });
  const agentOf = (name: string, answer: typeof work, own: Partial<AgentOptions> = {}): Agent =>
    new Agent({ name, description: `Does ${name}.`, model: model(name, answer), ports, ...own });
  const below = agentOf("c", workBelow);
  const subagents = [agentOf("a", workAbove, { subagents: [below], ...logical("a") }), agentOf("b", work)];
  // Turns begin after a while too, since their state is loaded.
  const store = testStore();
  const load: typeof store.load = async (key) => {
    await wait("load");
    return store.load(key);
  };
  const agent = new Agent({
    name: "lead",
    host: { sessionStore: { ...store, load }, capabilities: { backgroundSubagents: "in-process" } },
    model: model("lead", coordinate),
    subagents,
    ports,
    ...logical("lead"),
  });
  const session = agent.session("s");
  let boundaries = 0;
  const pause = async ({ type }: SessionEvent): Promise<void> => {
    if (type !== "turn-start" && type !== "step-start" && type !== "step-end") return;
    if (type === "step-start") await wait("consumer");
    if (choose([], seed, `interrupt ${boundaries++}`, 12) === 0) session.interrupt();
  };
  for (const text of ["one", "two"]) {
    heard.events.push(await readRun(await session.send(text), pause));
    for (let round = 0; round < 3; round++) {
      const id = await session.nextNotification();
      if (id === null) break;
      const run = await agent.resume(id);
      if (run !== null) heard.events.push(await readRun(run, pause));
    }
  }
  // Jobs that nobody waits for work to their end too.
  for (let quiet = 0; quiet < 20; quiet++) {
    if (running > 0) quiet = 0;
    await scheduler.schedule(Promise.resolve(), "quiet");
  }
  return heard;
}

function comparable({ events, prompts }: Heard) {
  return {
    events: events.map((run) => run.filter(({ type }) => type !== "subagent-job-update")),
    // How far a job of a job gets before the one above it has ended is timing.
    prompts: Object.fromEntries(
      [...prompts].flatMap(([key, own]) => (key.startsWith("c ") ? [] : [[key, [...own].sort()]])),
    ),
  };
}

/** Which session of an agent learns of something first is timing. */
function bySession(arrivals: Heard["arrivals"]) {
  const sorted = (own: readonly Arrival[]) => own.toSorted((one, other) => one.session - other.session);
  return Object.fromEntries(Object.entries(arrivals).map(([name, own]) => [name, sorted(own)]));
}

async function scheduled(seed: number, own: Delays, arrivals?: Heard["arrivals"]): Promise<Heard> {
  const { scheduler } = own;
  const running = play(seed, own, arrivals);
  running.catch(() => undefined);
  await scheduler.waitFor(running);
  return running;
}

describe("background jobs", () => {
  it("have the same events and prompts when they are replayed with other delays", async () => {
    const seen = { cancelled: 0, differ: 0, interrupted: 0, nested: 0, kinds: new Set<string>() };
    await fc.assert(
      fc.asyncProperty(fc.nat(), delays, delays, delays, async (seed, one, two, other) => {
        const recorded = await scheduled(seed, one);
        const replayed = await scheduled(seed, two, recorded.arrivals);
        expect(comparable(replayed)).toEqual(comparable(recorded));
        expect(bySession(replayed.arrivals)).toEqual(bySession(recorded.arrivals));
        const { lead = [], a = [] } = recorded.arrivals;
        seen.cancelled += lead.filter(({ steps }) => steps !== undefined).length;
        for (const { at } of lead) seen.kinds.add(at.replace(/\d+/g, ""));
        if (a.length > 0) seen.nested++;
        if (recorded.events.some((run) => run.at(-1)?.type === "turn-abort")) seen.interrupted++;
        const again = await scheduled(seed, other);
        if (JSON.stringify(comparable(again)) !== JSON.stringify(comparable(recorded))) seen.differ++;
      }),
      { numRuns: 120 },
    );
    // The law says something: most delays would lead to another run, and jobs became known at every kind of place.
    expect(seen.differ).toBeGreaterThan(10);
    expect([...seen.kinds].sort()).toEqual(["..call.", "..step-end", "..step-start", ".idle"]);
    expect(seen.cancelled).toBeGreaterThan(0);
    expect(seen.nested).toBeGreaterThan(5);
    expect(seen.interrupted).toBeGreaterThan(10);
  });
});
