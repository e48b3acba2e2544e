// A background helper that outlives its process: the first worker is killed with SIGKILL inside a tool, the second one goes on.
//
//   node examples/session/survive.mjs

import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { readRun, resumeAndDrain } from "playhead/execution";
import { openSqliteExecutionHost } from "playhead/host";
import { Agent } from "playhead/session";

const [role = "front", given] = process.argv.slice(2);
const folder = given ?? mkdtempSync(join(tmpdir(), "survive-"));
const ledger = join(folder, "ledger.txt");
const note = (line) => appendFileSync(ledger, `${line}\n`);

const says = (content) => ({ message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" });
const calls = (name, args) => ({
  message: { role: "assistant", content: "", toolCalls: [{ id: "call_1", name, arguments: args }] },
  stopReason: "toolUse",
});

/** Launches the helper, and passes on what a reminder names. */
const deskModel = {
  async turn({ messages }) {
    const { role: from, content } = messages.at(-1);
    const [task_id] = /bg_[0-9a-f]+/.exec(content) ?? [];
    if (content.startsWith("<system-reminder>")) return calls("background_output", { task_id });
    if (from === "user") return calls("delegate_to_tides", { prompt: content, run_in_background: true });
    return says(content.includes('"running"') ? "I have asked the helper." : JSON.parse(content).text);
  },
};
const tidesModel = {
  async turn({ messages }) {
    note("model");
    const { role: from, content } = messages.at(-1);
    return from === "user" ? calls("read_table", { place: "Rott" }) : says(`Sail on Sunday: ${content}.`);
  },
};
const readTable = {
  description: "Reads the tide table of a place.",
  inputSchema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
  retryPolicy: "idempotent",
  execute(_args, { attempt, idempotencyKey }) {
    note(`tool ${idempotencyKey}`);
    if (attempt === 1) process.kill(process.pid, "SIGKILL");
    return "high water is at noon";
  },
};

const host = await openSqliteExecutionHost(join(folder, "desk.db"));
const tides = new Agent({
  name: "tides",
  description: "Knows the tides.",
  model: tidesModel,
  tools: { read_table: readTable },
});
const desk = new Agent({ name: "desk", model: deskModel, subagents: [tides], host });
await (role === "worker" ? work() : front());
await desk.close();
await host.close();

/** Carries out what is due, until the notification of the job was delivered. */
async function work() {
  const delivered = new Promise((resolve) => {
    const worker = host.work({
      namespaces: [desk.namespace],
      async deliver(runId, { signal, kind }) {
        const delivery = await resumeAndDrain(desk, runId, { signal });
        if (kind === "notification") resolve({ worker, runId });
        return delivery;
      },
    });
  });
  const { worker, runId } = await delivered;
  for await (const { event } of readRun(host, runId)) if (event.type === "assistant-text") console.log(event.text);
  await worker.stop();
}

async function front() {
  console.log((await (await desk.session("ann").send("When can I sail to Rott?")).result()).text);
  for (const round of [1, 2]) {
    const self = fileURLToPath(import.meta.url);
    const child = spawn(process.execPath, [self, "worker", folder], { stdio: ["ignore", "inherit", "inherit"] });
    const [code, signal] = await once(child, "exit");
    console.log(`worker ${round} ended with ${signal ?? code}`);
  }
  const lines = readFileSync(ledger, "utf8").trim().split("\n");
  const runs = lines.filter((line) => line.startsWith("tool"));
  console.log(`model calls of the helper: ${lines.length - runs.length}`);
  console.log(`the tool ran ${runs.length} times under ${new Set(runs).size} key`);
  const { pendingNotifications } = await host.admin.stats();
  console.log(`notifications that wait: ${pendingNotifications}`);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}
