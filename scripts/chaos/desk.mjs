// The flows of a session that the sweep breaks off: an input is scheduled, a turn begins, steps and tools follow, a
// background job is launched and ends, its notification runs, and the turn ends. Each process goes on as the one before.

import { createHash } from "node:crypto";
import { Agent, resumeAndDrain } from "../../.playhead/modules/core/session/index.js";

const NAMESPACE = "agent:desk";
const KEY = "ann";
const ENDED = ["completed", "error", "cancelled"];

/** Retries and polls come at once. Limits of time stay. */
const LONG_MS = 10_000;

/** Ports whose bytes and clock are the same in each round. */
export function fixedPorts() {
  let [now, drawn] = [1_000_000, 0];
  const ports = {
    now: () => now,
    /** A store with a clock of its own sets `passed`. */
    pass: (ms) => ports.passed((now += ms)),
    passed: async () => undefined,
    randomBytes: (length) => Uint8Array.from(createHash("sha512").update(String(drawn++)).digest().subarray(0, length)),
    warn: () => undefined,
    timer: (ms, fire) => {
      const handle = setTimeout(fire, ms < LONG_MS ? 0 : ms);
      return () => clearTimeout(handle);
    },
  };
  return ports;
}

const say = (content) => ({ message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" });
const ask = (id, name, args) => ({
  message: { role: "assistant", content: "", toolCalls: [{ id, name, arguments: args }] },
  stopReason: "toolUse",
});

/** Answers by what the conversation holds, so that a new process continues as the old one would. */
function lead({ messages }) {
  const last = messages.at(-1);
  const text = String(last.content);
  if (text.startsWith("<system-reminder>"))
    return ask("call_3", "background_output", { task_id: /bg_[0-9a-f]{16}/.exec(text)[0] });
  if (last.role === "user") return ask("call_1", "note", { number: 1 });
  if (text === "noted 1") return ask("call_2", "delegate_to_helper", { prompt: "Go.", run_in_background: true });
  return say(text.includes('"running"') ? "launched" : "done");
}

const help = ({ messages }) =>
  messages.some(({ role }) => role === "tool") ? say("found") : ask("call_1", "note", { number: 2 });

/** A new process. `ledger` is what its tools and models did, over all processes. */
function agentOn(host, ports, ledger) {
  const note = {
    description: "Notes.",
    inputSchema: { type: "object", properties: { number: { type: "integer" } } },
    retryPolicy: "idempotent",
    execute: ({ number }, { idempotencyKey }) => {
      ledger.push(`tool ${number} ${idempotencyKey}`);
      return `noted ${number}`;
    },
  };
  const helper = new Agent({
    ...{ name: "helper", description: "Helps.", tools: { note }, ports },
    model: { turn: async (request) => (ledger.push("model"), help(request)) },
  });
  return new Agent({
    ...{ name: "desk", host, tools: { note }, subagents: [helper], ports },
    model: { turn: async (request) => (ledger.push("model"), lead(request)) },
  });
}

/** Executes the open runs until none is left, or until nothing changes any more. `look` reads them past the faults. */
async function workOff(agent, look) {
  let before = "";
  for (let round = 0; round < 30; round++) {
    const open = (await look.admin.list({ limit: 1_000 })).filter(({ status }) => !ENDED.includes(status));
    const now = JSON.stringify(open.map(({ runId, status, checkpointVersion }) => [runId, status, checkpointVersion]));
    if (open.length === 0 || now === before) return;
    before = now;
    for (const { runId } of open) await resumeAndDrain(agent, runId).catch(() => undefined);
  }
  throw new Error("runs stay open forever");
}

/** Ids differ between rounds, so each is named by its first place. */
function nameIds(text) {
  const names = new Map();
  return text.replace(/[0-9a-f]{16,64}/g, (id) => {
    if (!names.has(id)) names.set(id, `#${names.size}`);
    return names.get(id);
  });
}

async function endOf(host, ledger) {
  const runs = await host.admin.list({ limit: 1_000 });
  const events = [];
  for (const { runId, kind, status } of runs) {
    const own = [];
    for await (const { event } of host.store.events.read(runId)) own.push(event);
    events.push(JSON.stringify([kind, status, own]));
  }
  const tools = ledger.filter((line) => line.startsWith("tool"));
  const state = {
    history: (await host.store.sessions.load(KEY))?.state.history,
    pending: (await host.store.notifications.listPending(NAMESPACE, KEY)).length,
    events: events.sort(),
    keys: new Set(tools).size,
  };
  return {
    text: nameIds(JSON.stringify(state)),
    twice: tools.length - state.keys,
    asked: ledger.length - tools.length,
  };
}

/** One round: a process on `faulty` works until it can do no more, and another one on `whole` goes on to the end. */
export async function runDesk({ faulty, whole, ports }) {
  const ledger = [];
  const first = agentOn(faulty, ports, ledger);
  for (let tried = 0; ; tried++) {
    try {
      await first.session(KEY).schedule("Note it.", { dedupeKey: "once" });
      break;
    } catch (error) {
      if (tried > 2) throw error;
    }
  }
  await workOff(first, whole);
  await ports.pass(whole.leaseMs + 1);
  const second = agentOn(whole, ports, ledger);
  await workOff(second, whole);
  const end = await endOf(whole, ledger);
  await Promise.all([first, second].map((agent) => agent.close().catch(() => undefined)));
  return end;
}

/** The flows of all scenarios. */
export const FLOWS = [
  ...["schedule", "begin", "step", "tool", "child", "child's end", "notification", "end"],
  ...["recurring", "cell"],
];

/** The flow that a transaction belongs to, by the calls in it. */
export function flowOf(calls) {
  const has = (name, test = () => true) => calls.some((call) => call.name === name && test(...call.args));
  const creates = (kind) => has("runs.create", (run) => run.kind === kind);
  if (has("cell")) return "cell";
  if (creates("user-turn")) return "schedule";
  if (creates("background-subagent")) return "child";
  if (creates("notification")) return "child's end";
  if (has("notifications.settle")) return "notification";
  if (has("runs.update", (_id, { status }) => ENDED.includes(status))) return "end";
  if (has("runs.claim")) return "begin";
  if (has("checkpoints.append", ({ phases }) => phases.some((phase) => phase.includes("tool")))) return "tool";
  return has("checkpoints.append") ? "step" : undefined;
}
