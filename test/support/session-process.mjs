// A separate process with an agent on a durable host. It does what its first argument says, and prints one line of JSON.
// Arguments: the task, the file, and options as JSON.

import { once } from "node:events";
import { resumeAndDrain } from "playhead/execution";
import { openSqliteExecutionHost } from "playhead/host";
import { Agent } from "playhead/session";

const [task, file, given = "{}"] = process.argv.slice(2);
const options = JSON.parse(given);
const host = await openSqliteExecutionHost(file);
const model = {
  async turn({ messages, signal }) {
    const { content } = messages.findLast(({ role }) => role === "user");
    if (content === "hang") {
      console.log(JSON.stringify({ asked: true }));
      await once(signal, "abort");
      throw new Error("aborted");
    }
    const answer = `re: ${content}`;
    return { message: { role: "assistant", content: answer }, finalAnswer: answer, stopReason: "stop" };
  },
};
const aborts = [];
/** A helper that works until it is aborted, and then answers all the same. */
const stubborn = {
  async turn({ signal }) {
    console.log(JSON.stringify({ asked: true }));
    await once(signal, "abort");
    const jobs = (await host.admin.list()).filter(({ kind }) => kind === "background-subagent");
    aborts.push(jobs.filter(({ status }) => status === "cancelled").length);
    return { message: { role: "assistant", content: "late" }, finalAnswer: "late", stopReason: "stop" };
  },
};
const helper = new Agent({ name: "helper", description: "Helps.", model: stubborn });
const agent = new Agent({ name: options.name ?? "clerk", model, host, subagents: [helper] });

const tasks = {
  /** Sends inputs, and says how their runs ended. */
  async send({ prefix, inputs }) {
    const runs = [];
    for (let input = 0; input < inputs; input++) runs.push(await agent.send(`${prefix} ${input}`));
    const results = await Promise.all(runs.map((run) => run.result()));
    return {
      statuses: results.map(({ status, error }) => error?.code ?? status),
      texts: results.map(({ text }) => text),
    };
  },
  /** Resumes one run several times at once, and says how often it got it. */
  async resume({ runId, times }) {
    const tried = await Promise.all(Array.from({ length: times }, () => agent.resume(runId)));
    const got = tried.filter((run) => run !== null);
    return { got: got.length, statuses: await Promise.all(got.map(async (run) => (await run.result()).status)) };
  },
  /** Carries out a number of runs, and says how they ended and how many jobs were cancelled at each abort. */
  async work({ runs }) {
    const deliveries = [];
    const worker = host.work({
      namespaces: [agent.namespace],
      deliver: (runId, { signal }) => resumeAndDrain(agent, runId, { signal }),
      onDelivery: ({ outcome }) => deliveries.push(outcome.kind),
    });
    while (deliveries.length < runs || aborts.length < runs) await new Promise((done) => setTimeout(done, 5));
    await worker.stop();
    return { deliveries, aborts };
  },
  async delete() {
    await agent.session("default").delete();
    return { open: await host.store.runs.listOpen(agent.namespace, { sessionKey: "default" }) };
  },
};

console.log(JSON.stringify({ done: await tasks[task](options) }));
await agent.close();
await host.close();
