// One of several processes on one store. It does what its first argument says until it is killed. What the outside must
// remember goes into the ledger, a file, before the next line of this program runs.
//
//   node process.mjs TASK STORE OPTIONS        both as JSON

import { appendFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { resumeAndDrain } from "playhead/execution";
import { Agent } from "playhead/session";
import { breakStore } from "./broken.mjs";
import { steadyMs } from "./processes.mjs";
import { NAMESPACE, openStore, SESSIONS } from "./store.mjs";
import { registersOn } from "./registers.mjs";
import { createStop } from "./standstill.mjs";
import { noteTool, transferTool } from "./tools.mjs";

const [task, place, given] = process.argv.slice(2);
const options = JSON.parse(given);
const { name = "p", ledger, broken } = options;

// The wall clock of this process, which a line from its parent may set.
const realNow = Date.now;
let { aheadMs = 0 } = options;
Date.now = () => realNow() + aheadMs;

const ports = { warn: () => undefined, ...(broken === "wall" && { now: () => Date.now() }) };
const own = { ...JSON.parse(place), ...(options.url && { url: options.url }) };
own.isDeaf = options.isDeaf === true || broken === "deaf";
const { host: whole, queue } = await openStore(own, { ...options.host, ports });

const tell = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
const note = (...line) => appendFileSync(ledger, `${JSON.stringify(line)}\n`);
const say = (content) => ({ message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" });
const lines = () => createInterface({ input: process.stdin });

const stop = createStop(options.stops, tell);
const host = stop.watch(breakStore(whole, broken));

/** Calls the tool for each input, then answers. What kills its process does so before any answer. */
const model = {
  async turn({ messages }) {
    const { content } = messages.findLast(({ role }) => role === "user");
    if (content.startsWith("poison")) process.exit(1);
    if (options.modelMs !== undefined) await sleep(options.modelMs);
    stop.at("model");
    if (messages.at(-1).role === "tool") return say(`re: ${content}`);
    const toolCalls = [{ id: "call_1", name: "note", arguments: { text: content } }];
    return { message: { role: "assistant", content: "", toolCalls }, stopReason: "toolUse" };
  },
};

/** The time is that of the real clock. */
const noted = (text, key) => {
  note("tool", text, key, name, realNow());
  stop.at("tool");
};

function createAgent() {
  const tools = noteTool({ ...own, table: options.bookings, noted });
  return new Agent({ name: NAMESPACE.slice("agent:".length), model, tools, host, ports });
}

const tasks = {
  /** Accepts inputs, and executes the runs of all processes. Its parent may set its clock. */
  async desk({ gives = true, works = true, everyMs = 15, inputs = Infinity }) {
    const agent = createAgent();
    if (works)
      host.work({
        ...{ namespaces: [NAMESPACE], concurrency: 4, ...(queue && { queue: await queue() }) },
        deliver: (runId, { signal }) => resumeAndDrain(agent, runId, { signal }),
      });
    lines().on("line", (line) => (aheadMs = Number(line)));
    tell({ ready: true });
    for (let number = 0; gives && number < inputs; number++) {
      const key = SESSIONS[number % SESSIONS.length];
      const text = `${name} ${number}`;
      const runId = await persist(() => agent.session(key).schedule(text, { dedupeKey: text }));
      note("ack", text, runId, key, realNow());
      await sleep(everyMs);
    }
    tell({ given: true });
  },
  /** Executes a turn of its own, in which it stands still. */
  async turn({ key }) {
    const text = `${name} 0`;
    const run = await createAgent().session(key).send(text);
    note("ack", text, run.runId, key, realNow());
    const ended = await run.result().catch((error) => ({ status: error.code }));
    tell({ ended: ended.status, late: stop.late() });
  },
  /** Sends inputs to one session, and schedules others, each of which two processes know. */
  async crowd({ key, sends, schedules }) {
    const agent = createAgent();
    const session = agent.session(key);
    tell({ ready: true });
    for await (const _line of lines()) break;
    const later = { runAfterMs: 600_000, dedupeKey: `${name} later` };
    await session.schedule(`${name} later`, later);
    const all = [];
    for (let number = 0; number < Math.max(sends, schedules); number++) {
      if (number < schedules)
        all.push(session.schedule(`both ${number}`, { dedupeKey: `both ${number}` }).then((runId) => ({ runId })));
      if (number < sends) all.push(session.send(`${name} ${number}`));
    }
    const runs = await Promise.all(all);
    host.work({ namespaces: [NAMESPACE], deliver: (runId, { signal }) => resumeAndDrain(agent, runId, { signal }) });
    tell({ accepted: runs.length });
    await Promise.all(runs.map((run) => run.result?.()));
    tell({ answered: true });
  },
  /** Delivers one run several times at once. */
  async deliver({ runId, times }) {
    const agent = createAgent();
    tell({ ready: true });
    for await (const _line of lines()) break;
    const all = await Promise.all(Array.from({ length: times }, () => resumeAndDrain(agent, runId)));
    tell({ kinds: all.map(({ kind }) => kind) });
  },
  /** Creates a run and claims it. On each line from its parent, it writes with that lease, and says what was refused. */
  async hold({ runId, leaseMs }) {
    const { runs, checkpoints, events, transaction } = host.store;
    const run = { kind: "user-turn", ownerNamespace: NAMESPACE, sessionKey: runId, rootRunId: runId };
    const lease = { leaseId: "mine", leaseMs, ownerNamespace: NAMESPACE };
    const sinceMs = steadyMs();
    // In one transaction, so that no worker is faster.
    const claimed = await transaction(async (tx) => {
      await tx.runs.create({ runId, ...run });
      return tx.runs.claim(runId, lease);
    });
    tell({ claimed: claimed.ok, sinceMs });
    for await (const _line of lines()) {
      const head = { checkpointId: "c", runId, version: 1, phases: ["before-model"], appended: [], runtimeState: {} };
      const answers = [
        await persist(() => checkpoints.append(head, { expectedVersion: 0, leaseId: "mine" })),
        await persist(() => events.append(runId, [{ type: "turn-start" }], { firstOffset: 0, leaseId: "mine" })),
        await persist(() => runs.renew(runId, "mine", 1_000)),
        await persist(() => runs.update(runId, { status: "completed" }, { leaseId: "mine" })),
      ];
      tell({ accepted: answers.filter(({ ok }) => ok).length });
    }
  },
  /** Tries to take a live run after its wall clock has jumped. */
  async steal({ runId, jumpMs }) {
    aheadMs = jumpMs;
    const { ok } = await host.store.runs.claim(runId, { leaseId: name, leaseMs: 1_000, ownerNamespace: NAMESPACE });
    tell({ taken: ok, codes: (await host.admin.check()).map(({ code }) => code) });
  },
  /** Moves money with one call, and dies at one of its statements. */
  async transfer({ key, dies }) {
    const tool = transferTool({ ...own, isLoose: broken === "loose", dies });
    await tool.invoke({ cents: 1 }, { idempotencyKey: key, toolCallId: "call", signal: new AbortController().signal });
    tell({ transferred: true });
    process.exit(0);
  },
  /** Reads and changes registers at random, and notes when each call began and ended. */
  async register({ seed, calls }) {
    const registers = registersOn(host, name);
    tell({ ready: true });
    for await (const _line of lines()) break;
    await registers.play({ seed, calls, note: (...call) => note("call", ...call) });
    tell({ done: true });
  },
};

/** Calls again while the failure is one that may pass. The `dedupeKey` makes that safe. */
async function persist(call) {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!error.retryable) throw error;
      await sleep(50);
    }
  }
}

await tasks[task](options);
