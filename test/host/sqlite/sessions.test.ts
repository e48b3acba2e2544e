// One session in several processes, on one SQLite file.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { assertBuilt, repositoryRoot } from "../../support/built.js";
import { durableHosts } from "../../support/durable-host.js";
import { ask, say } from "../../support/script.js";
import { launch } from "../../support/subagents.js";

const hosts = durableHosts();

interface Line {
  readonly asked?: true;
  readonly done?: Record<string, unknown>;
}

/** Starts a process. `line` resolves to its next line, and `done` to what it says at its end. */
function start(task: string, file: string, options: object = {}) {
  assertBuilt();
  const script = join(repositoryRoot, "test/support/session-process.mjs");
  const child = spawn(process.execPath, [script, task, file, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const line = once(lines, "line").then(([text]) => JSON.parse(text as string) as Line);
  const done = new Promise<Record<string, unknown>>((resolve, reject) => {
    lines.on("line", (text) => {
      const said = JSON.parse(text) as Line;
      if (said.done !== undefined) resolve(said.done);
    });
    child.once("close", (code) => reject(new Error(`the process ended with ${String(code)}`)));
  });
  const closed = once(child, "close");
  let asked = 0;
  lines.on("line", (text) => {
    if ((JSON.parse(text) as Line).asked === true) asked++;
  });
  return { line, done, closed, asked: () => asked };
}

const INPUTS = 50;

describe("a session of two processes", { timeout: 120_000 }, () => {
  it("PSS-22 acceptance 7: answers each input of both, in order and without a conflict", async () => {
    const file = hosts.file();
    const host = await hosts.open({}, file);
    const both = ["one", "two"].map((name) => start("send", file, { prefix: name, inputs: INPUTS }));
    const results = await Promise.all(both.map(({ done }) => done));
    await Promise.all(both.map(({ closed }) => closed));
    for (const [index, name] of ["one", "two"].entries()) {
      const own = Array.from({ length: INPUTS }, (_, input) => `re: ${name} ${input}`);
      expect(results[index]).toEqual({ statuses: own.map(() => "completed"), texts: own });
    }
    const stored = await host.store.sessions.load("default");
    const { history } = stored?.state as unknown as { history: readonly LlmMessage[] };
    expect(history).toHaveLength(4 * INPUTS);
    const users = history.flatMap(({ role, content }) => (role === "user" ? [content] : []));
    expect(history.flatMap(({ role, content }) => (role === "assistant" ? [content] : []))).toEqual(
      users.map((content) => `re: ${String(content)}`),
    );
    const runs = await host.admin.list({ limit: 1_000 });
    expect(runs.map(({ input }) => (input as { text?: string } | undefined)?.text)).toEqual(users);
  });

  it("PSS-50 PSS-51 PSS-144 acceptance 8: gives a run to one of twenty calls in four processes, and to no stranger", async () => {
    const file = hosts.file();
    const host = await hosts.open({}, file);
    const own = { ownerNamespace: "agent:clerk", sessionKey: "default", rootRunId: "r" };
    const input = { type: "user-text", text: "hello" } as const;
    await host.store.runs.create({ runId: "r", kind: "user-turn", input, ...own });
    await host.store.events.append("r", [input], { firstOffset: 0 });
    const stranger = start("resume", file, { runId: "r", times: 5, name: "stranger" });
    expect(await stranger.done).toEqual({ got: 0, statuses: [] });
    const four = Array.from({ length: 4 }, () => start("resume", file, { runId: "r", times: 5 }));
    const got = await Promise.all(four.map(({ done }) => done));
    expect(got.map((each) => each["got"]).toSorted()).toEqual([0, 0, 0, 1]);
    expect(got.flatMap((each) => each["statuses"])).toEqual(["completed"]);
    expect(await host.store.runs.get("r")).toMatchObject({ status: "completed", attempt: 1 });
    await Promise.all([stranger, ...four].map(({ closed }) => closed));
  });

  it("PSS-96 PSS-97 acceptance 9: ends in all processes when one deletes it", async () => {
    const file = hosts.file();
    const host = await hosts.open({}, file);
    const { Agent } = await import("../../../src/core/session/agent.js");
    const agent = new Agent({
      ...{ name: "clerk", host },
      model: {
        turn: ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener("abort", () => {
              void host.store.runs.get(run.runId).then((record) => statuses.push(record?.status));
              reject(new Error("aborted"));
            });
            asked();
          }),
      },
    });
    const statuses: unknown[] = [];
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const run = await agent.send("hang");
    const waiting = await agent.send("waits");
    const ended = Promise.all([run.result(), waiting.result()]);
    await isAsked;
    const other = start("delete", file);
    expect(await other.done).toEqual({ open: [] });
    expect((await ended).map(({ status }) => status)).toEqual(["aborted", "aborted"]);
    expect(statuses).toEqual(["cancelled"]);
    expect(await host.store.sessions.load("default")).toBe(null);
    await other.closed;
    await agent.close();
  });

  it("PSS-54 PSS-96 PSS-97 acceptance 9: ends its three jobs in a worker, which tell nothing after it was deleted", async () => {
    const file = hosts.file();
    const host = await hosts.open({}, file);
    const { Agent } = await import("../../../src/core/session/agent.js");
    const helper = new Agent({
      name: "helper",
      description: "Helps.",
      model: { turn: () => Promise.reject(new Error()) },
    });
    const launches = ask(Array.from({ length: 3 }, () => launch("helper")));
    const model: LlmProviderAdapter = {
      turn: async ({ messages }) =>
        messages.length > 1 ? say("launched") : messages[0]?.content === "go" ? launches : say("hi"),
    };
    const agent = new Agent({ name: "clerk", host, model, subagents: [helper] });
    await (await agent.send("go")).result();
    const worker = start("work", file, { runs: 3 });
    while (worker.asked() < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    await agent.session("default").delete();
    const { deliveries, aborts } = await worker.done;
    expect(deliveries).toEqual(["done", "done", "done"]);
    // Each was cancelled in the store before its signal fired.
    expect((aborts as number[]).toSorted().every((count, index) => count > index)).toBe(true);
    const runs = await host.admin.list();
    expect(runs.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      "user-turn completed",
      ...Array<string>(3).fill("background-subagent cancelled"),
    ]);
    expect((await host.admin.stats()).pendingNotifications).toBe(0);
    await (await agent.send("hello")).result();
    const { history } = (await host.store.sessions.load("default"))?.state as unknown as { history: LlmMessage[] };
    expect(history.map(({ content }) => content)).toEqual(["hello", "hi"]);
    await worker.closed;
    await agent.close();
  });
});
