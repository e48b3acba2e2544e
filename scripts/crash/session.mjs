// A session on a durable host: a run of 20 steps, three background jobs of it, and the notification of their end. One tool of each must
// not run twice. Everything that the outside sees goes into one file.
//
//   node session.mjs FOLDER AT          works on the runs. Kills itself behind its transaction number AT, if AT is not 0
//   node session.mjs FOLDER look        goes on to the end, and checks what the outside has seen

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { resumeAndDrain } from "playhead/execution";
import { openSqliteExecutionHost } from "playhead/host";
import { Agent } from "playhead/session";
import { checkSession, HELPER_PAID, HELPERS, LAUNCHES, PAID, STEPS } from "./session-check.mjs";

const [folder, mode] = process.argv.slice(2);
const outside = join(folder, "outside.txt");
const see = (...words) => appendFileSync(outside, `${words.join(" ")}\n`);
const OPEN = ["queued", "leased", "running", "suspended", "needs-recovery"];

const say = (content) => ({ message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" });
const calls = (toolCalls) => ({ message: { role: "assistant", content: "", toolCalls }, stopReason: "toolUse" });
const answersIn = (messages) => messages.filter(({ role }) => role === "assistant").length;

/** `label`: what tells the calls of one agent from those of another. */
function toolsOf(label) {
  const step = (name, retryPolicy) => ({
    description: `Does ${name}.`,
    inputSchema: { type: "object", properties: { step: { type: "integer" } } },
    retryPolicy,
    execute: ({ step: number }, { idempotencyKey, attempt }) => {
      see("tool", `${label}${number}`, idempotencyKey, attempt);
      return `did ${number}`;
    },
  });
  return { note: step("note", "idempotent"), pay: step("pay", "manual-recovery") };
}

function helper(name) {
  const model = {
    async turn({ messages }) {
      const number = answersIn(messages) + 1;
      see("ask", `${name}:${number}`);
      if (number > HELPER_PAID + 1) return say(`${name} is done`);
      return calls([{ id: "call_0", name: number === HELPER_PAID ? "pay" : "note", arguments: { step: number } }]);
    },
  };
  return new Agent({ name, description: `The ${name}.`, model, tools: toolsOf(`${name}:`) });
}

const model = {
  async turn({ messages }) {
    const number = answersIn(messages) + 1;
    see("ask", number);
    const background = { prompt: "Go.", run_in_background: true };
    if (number === LAUNCHES)
      return calls(HELPERS.map((name) => ({ id: `call_${name}`, name: `delegate_to_${name}`, arguments: background })));
    if (number <= STEPS)
      return calls([{ id: "call_0", name: number === PAID ? "pay" : "note", arguments: { step: number } }]);
    const told = messages.flatMap(({ role, content }) =>
      role === "user" ? (content.match(/bg_[0-9a-f]{16}/g) ?? []) : [],
    );
    const asked = JSON.stringify(messages.flatMap(({ toolCalls = [] }) => toolCalls));
    const tasks = [...new Set(told)].filter((id) => !asked.includes(id));
    if (tasks.length === 0) return say("all done");
    return calls(
      tasks.map((task_id, index) => ({ id: `call_${index}`, name: "background_output", arguments: { task_id } })),
    );
  },
};

const host = await openSqliteExecutionHost(join(folder, "host.db"));
const killAt = Number(mode) || 0;
let transactions = 0;
const { transaction } = host.store;
const store = {
  ...host.store,
  async transaction(work) {
    const result = await transaction(work);
    if (++transactions === killAt) process.kill(process.pid, "SIGKILL");
    return result;
  },
};
const agent = new Agent({
  name: "crash",
  model,
  host: { ...host, store },
  tools: toolsOf(""),
  subagents: HELPERS.map(helper),
});
process.stdout.write("ready\n");
const runId = await agent.session("a").schedule("Go.", { dedupeKey: "job" });
const worker = host.work({
  namespaces: [agent.namespace],
  deliver: (id, { signal }) => resumeAndDrain(agent, id, { signal }),
});
for (;;) {
  const open = await host.admin.list({ status: OPEN });
  if (open.length === 0) break;
  for (const run of open.filter(({ status }) => status === "needs-recovery")) {
    const { pendingTools = [] } = (await host.store.checkpoints.latest(run.runId)) ?? {};
    const [name] = run.input.path ?? [];
    const number = name === undefined ? PAID : HELPER_PAID;
    const call = pendingTools.find(({ toolName }) => toolName === "pay");
    see("recover", name === undefined ? number : `${name}:${number}`, call.toolCallId);
    await agent.recover(run.runId, call.toolCallId, { action: "result", output: `did ${number}` });
  }
  await new Promise((done) => setTimeout(done, 5));
}
if (mode === "look") await checkSession(host, runId, outside);
await worker.stop();
await agent.close();
await host.close();
