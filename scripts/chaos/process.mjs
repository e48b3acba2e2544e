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
import { NAMESPACE, openStore, SESSIONS } from "./store.mjs";
import { registersOn } from "./registers.mjs";

const [task, place, given] = process.argv.slice(2);
const options = JSON.parse(given);
const { name = "p", ledger, aheadMs = 0 } = options;
const ports = { warn: () => undefined, ...(aheadMs !== 0 && { now: () => Date.now() + aheadMs }) };
const own = { ...JSON.parse(place), ...(options.url && { url: options.url }), isDeaf: options.broken === "deaf" };
const { host: whole, queue } = await openStore(own, { ...options.host, ports });
const host = breakStore(whole, options.broken);

const tell = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
const note = (...line) => appendFileSync(ledger, `${JSON.stringify(line)}\n`);
const say = (content) => ({ message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" });

/** Calls the tool for each input, then answers. What kills its process does so before any answer. */
const model = {
  async turn({ messages }) {
    const { content } = messages.findLast(({ role }) => role === "user");
    if (content.startsWith("poison")) process.exit(1);
    if (options.modelMs !== undefined) await sleep(options.modelMs);
    if (messages.at(-1).role === "tool") return say(`re: ${content}`);
    const toolCalls = [{ id: "call_1", name: "note", arguments: { text: content } }];
    return { message: { role: "assistant", content: "", toolCalls }, stopReason: "toolUse" };
  },
};

const tools = {
  note: {
    description: "Notes.",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    retryPolicy: "idempotent",
    execute: ({ text }, { idempotencyKey }) => {
      note("tool", text, idempotencyKey);
      return "noted";
    },
  },
};

const tasks = {
  /** Accepts inputs, and executes the runs of all processes. */
  async desk({ gives = true, works = true, everyMs = 15, inputs = Infinity }) {
    const agent = new Agent({ name: NAMESPACE.slice("agent:".length), model, tools, host, ports });
    if (works)
      host.work({
        ...{ namespaces: [NAMESPACE], concurrency: 4, ...(queue && { queue: await queue() }) },
        deliver: (runId, { signal }) => resumeAndDrain(agent, runId, { signal }),
      });
    tell({ ready: true });
    for (let number = 0; gives && number < inputs; number++) {
      const key = SESSIONS[number % SESSIONS.length];
      const text = `${name} ${number}`;
      const runId = await persist(() => agent.session(key).schedule(text, { dedupeKey: text }));
      note("ack", text, runId, key);
      await sleep(everyMs);
    }
    tell({ given: true });
  },
  /** Creates a run and claims it. On each line from its parent, it writes with that lease, and says what was refused. */
  async hold({ runId, leaseMs }) {
    const { runs, checkpoints, events, transaction } = host.store;
    const run = { kind: "user-turn", ownerNamespace: NAMESPACE, sessionKey: runId, rootRunId: runId };
    const lease = { leaseId: "mine", leaseMs, ownerNamespace: NAMESPACE };
    // In one transaction, so that no worker is faster.
    const claimed = await transaction(async (tx) => {
      await tx.runs.create({ runId, ...run });
      return tx.runs.claim(runId, lease);
    });
    tell({ claimed: claimed.ok });
    for await (const _line of createInterface({ input: process.stdin })) {
      const head = { checkpointId: "c", runId, version: 1, phases: ["before-model"], appended: [], runtimeState: {} };
      const answers = [
        await checkpoints.append(head, { expectedVersion: 0, leaseId: "mine" }),
        await events.append(runId, [{ type: "turn-start" }], { firstOffset: 0, leaseId: "mine" }),
        await runs.renew(runId, "mine", 1_000),
        await runs.update(runId, { status: "completed" }, { leaseId: "mine" }),
      ];
      tell({ accepted: answers.filter(({ ok }) => ok).length });
    }
  },
  /** Reads and changes registers at random, and notes when each call began and ended. */
  async register({ seed, calls }) {
    const registers = registersOn(host, name);
    tell({ ready: true });
    for await (const _line of createInterface({ input: process.stdin })) break;
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
