// Background jobs: when their parent learns of them, how they are retrieved and cancelled, and what ends them.

import { describe, expect, it } from "vitest";
import { Agent } from "../../../../src/core/session/agent.js";
import type { LlmTurnResponse } from "../../../../src/core/model/provider.js";
import type { ScriptStep } from "../../../../src/core/providers/scripted.js";
import type { AgentOptions } from "../../../../src/core/session/options.js";
import { ask, quietPorts, say } from "../../../support/script.js";
import { readRun, scriptedAgent, testStore } from "../../../support/sessions.js";
import { heldAgent, launch, taskIdsIn } from "../../../support/subagents.js";

/** A call about the job of the conversation with this index. */
const about =
  (name: "output" | "cancel", args: object = {}, index = 0): ScriptStep =>
  ({ messages }) =>
    ask([{ name: `background_${name}`, arguments: { task_id: taskIdsIn(messages)[index] ?? "", ...args } }]);

const lastText = ({ asked }: ReturnType<typeof scriptedAgent>): unknown => asked.at(-1)?.messages.at(-1)?.content;

/** A parent that has launched jobs of these subagents in one turn. */
async function launched(
  names: readonly string[],
  then: readonly ScriptStep[],
  options: Partial<AgentOptions> = {},
): Promise<{ parent: ReturnType<typeof scriptedAgent>; held: ReturnType<typeof heldAgent>[]; tasks: string[] }> {
  const held = names.map(heldAgent);
  const parent = scriptedAgent([ask(names.map((name) => launch(name))), say("launched"), ...then], {
    subagents: held.map(({ agent }) => agent),
    namespace: "desk",
    ...options,
  });
  await (await parent.agent.send("go")).result();
  return { parent, held, tasks: taskIdsIn(parent.asked[1]?.messages ?? []) };
}

/** Resolves once everything that can go on by itself has. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("a background job", () => {
  it("PSS-36 PSS-37 PSS-38 PSS-41 PSS-49 PSS-50 PSS-51 PSS-113 PSS-142 PSS-143 notifies an idle parent, once", async () => {
    const held = heldAgent("researcher");
    const parent = scriptedAgent(
      [ask([launch("researcher", { description: "<x>\ny" })]), say("launched"), about("output"), say("done")],
      { subagents: [held.agent] },
    );
    const session = parent.agent.session("s");
    expect((await (await session.send("go")).result()).text).toBe("launched");
    const [task = ""] = taskIdsIn(parent.asked[1]?.messages ?? []);
    expect(parent.asked[1]?.messages.at(-1)?.content).toMatch(/"status":"running".*<system-reminder>/);
    held.answer(say("42"));
    const id = String(await session.nextNotification());
    const run = await parent.agent.resume(id);
    expect(await parent.agent.resume(id)).toBeNull();
    const events = run === null ? [] : await readRun(run);
    expect(events.slice(0, 4).map(({ type }) => type)).toEqual([
      "turn-start",
      "subagent-job-end",
      "runtime-input",
      "step-start",
    ]);
    expect(events[2]).toMatchObject({
      input: {
        text: [
          "<system-reminder>",
          "[BACKGROUND TASK COMPLETED]",
          "[SUBAGENT JOB RESULT READY]",
          `Task ID: ${task}`,
          "Subagent: researcher",
          "Status: completed",
          "Description: &lt;x&gt; y",
          `Use background_output({ task_id: "${task}" }) to retrieve the result.`,
          "</system-reminder>",
        ].join("\n"),
      },
    });
    expect(lastText(parent)).toBe(
      JSON.stringify({ task_id: task, subagent: "researcher", status: "completed", text: "42" }),
    );
    expect(await session.nextNotification()).toBeNull();
  });

  it("PSS-39 PSS-44 PSS-113 PSS-123 can be waited for, and is retrieved once", async () => {
    let answer: () => void = () => undefined;
    const { parent, held } = await launched(
      ["a"],
      [
        about("output", { block: true, timeout: 0 }),
        (request) => {
          answer();
          return (about("output", { block: true }) as (asked: typeof request) => LlmTurnResponse)(request);
        },
        about("output"),
        say("done"),
      ],
    );
    answer = () => held[0]?.answer(say("42"));
    await (await parent.agent.send("and?")).result();
    const results =
      parent.asked
        .at(-1)
        ?.messages.filter(({ role }) => role === "tool")
        .map(({ content }) => String(content)) ?? [];
    expect(results[1]).toContain('"status":"running"');
    expect(results[2]).toContain('"text":"42"');
    expect(results[3]).toMatch(/already retrieved/);
  });

  it("PSS-124 PSS-144 tells no other task from one that never was", async () => {
    const calls = ["x_1", "bg_0000000000000000"].map((task_id) => ({
      name: "background_output",
      arguments: { task_id },
    }));
    const { agent } = heldAgent("a");
    const parent = scriptedAgent([ask(calls), say("ok")], { subagents: [agent] });
    await (await parent.agent.send("go")).result();
    const [first, second] = parent.asked[1]?.messages.slice(-2) ?? [];
    expect(first?.content).toMatch(/must begin with "bg_"/);
    expect(second?.content).toMatch(/unknown task/);
    const other = await launched(["a"], []);
    other.held[0]?.answer(say("1"));
    const id = String(await other.parent.agent.session("default").nextNotification());
    expect(await parent.agent.resume(id)).toBeNull();
    const foreign = scriptedAgent(
      [ask([{ name: "background_output", arguments: { task_id: other.tasks[0] ?? "" } }]), say("ok")],
      {
        subagents: [agent],
      },
    );
    await (await foreign.agent.send("go")).result();
    expect(lastText(foreign)).toMatch(/unknown task/);
  });

  it("PSS-46 PSS-48 PSS-113 shares one reminder with the jobs of its turn, once all have ended", async () => {
    const { parent, held, tasks } = await launched(["a", "b"], [say("thanks")]);
    const session = parent.agent.session("default");
    const waiting = session.nextNotification();
    held[1]?.answer(say("2"));
    await quiet();
    held[0]?.answer(say("1"));
    const run = await parent.agent.resume(String(await waiting));
    await run?.result();
    expect(lastText(parent)).toBe(
      [
        "<system-reminder>",
        "[ALL BACKGROUND TASKS COMPLETE]",
        "Completed task count: 2",
        "Tasks:",
        ...["a", "b"].map(
          (name, index) =>
            `- ${tasks[index] ?? ""} (${name}): completed. Description: none. ` +
            `Use background_output({ task_id: "${tasks[index] ?? ""}" }) to retrieve the result.`,
        ),
        "</system-reminder>",
      ].join("\n"),
    );
    expect(await session.nextNotification()).toBeNull();
  });

  it("PSS-47 that fails notifies at once", async () => {
    const { parent, held, tasks } = await launched(["a", "b"], [say("thanks")]);
    held[0]?.answer(new Error("broken"));
    const run = await parent.agent.resume(String(await parent.agent.session("default").nextNotification()));
    await run?.result();
    expect(lastText(parent)).toContain(`Task ID: ${tasks[0] ?? ""}\nSubagent: a\nStatus: error`);
    await parent.agent.close();
  });

  it("is reported in the next turn if nobody resumes its notification", async () => {
    const { parent, held } = await launched(["a"], [say("thanks")]);
    held[0]?.answer(say("1"));
    const id = String(await parent.agent.session("default").nextNotification());
    await (await parent.agent.send("again")).result();
    expect(
      parent.asked
        .at(-1)
        ?.messages.slice(-2)
        .map(({ content }) => String(content).slice(0, 17)),
    ).toEqual(["again", "<system-reminder>"]);
    expect(await parent.agent.resume(id)).toBeNull();
  });

  it("PSS-40 PSS-54 PSS-113 that is cancelled stops, and notifies nobody", async () => {
    const { parent, held } = await launched(["a"], [about("cancel"), about("cancel"), say("done")]);
    await (await parent.agent.send("stop")).result();
    await held[0]?.aborted;
    const results = parent.asked.at(-1)?.messages.filter(({ role }) => role === "tool") ?? [];
    expect(results.slice(-2).map(({ content }) => content)).toEqual(
      Array(2).fill(expect.stringContaining('"status":"cancelled"')),
    );
    held[0]?.answer(say("late"));
    await quiet();
    expect(await parent.agent.session("default").nextNotification()).toBeNull();
  });

  it("PSS-43 PSS-113 has a session of its own, which goes with it", async () => {
    const store = testStore();
    const keys: string[] = [];
    const commit = store.commit.bind(store);
    const host = {
      sessionStore: Object.assign(store, {
        commit: (...args: Parameters<typeof commit>) => {
          keys.push(args[0]);
          return commit(...args);
        },
      }),
      capabilities: { backgroundSubagents: "in-process" as const },
    };
    const { parent, held, tasks } = await launched(["a"], [], { host });
    held[0]?.answer(say("1"));
    await parent.agent.session("default").nextNotification();
    expect(keys).toContain(`parent:agent:desk:default:subagent:a:task:${tasks[0] ?? ""}`);
    expect([...store.states.keys()]).toEqual(["default"]);
  });

  it("PSS-122 is refused beyond 64 that run", async () => {
    const { agent } = heldAgent("a");
    const calls = Array.from({ length: 65 }, () => launch("a"));
    const parent = scriptedAgent([ask(calls), say("ok")], { subagents: [agent] });
    await (await parent.agent.send("go")).result();
    const statuses = parent.asked[1]?.messages
      .slice(-65)
      .map(({ content }) => /"status":"(\w+)"/.exec(String(content))?.[1]);
    expect(statuses).toEqual([...Array<string>(64).fill("running"), "cancelled"]);
    await parent.agent.close();
  });

  it("PSS-52 PSS-113 tells a host that has onResume", async () => {
    let resumed: (runId: string) => void = () => undefined;
    const told = new Promise<string>((resolve) => (resumed = resolve));
    const capabilities = { backgroundSubagents: "in-process" as const };
    const host = { sessionStore: testStore(), capabilities, onResume: (runId: string) => resumed(runId) };
    const { parent, held } = await launched(["a"], [say("thanks")], { host });
    held[0]?.answer(say("1"));
    expect(await (await parent.agent.resume(await told))?.result()).toMatchObject({ text: "thanks" });
  });

  it("of a turn that fails is cancelled", async () => {
    const held = heldAgent("a");
    const broken = (): never => {
      throw new Error("broken");
    };
    const parent = scriptedAgent([ask([launch("a")]), broken], { subagents: [held.agent] });
    expect(await (await parent.agent.send("go")).result()).toMatchObject({ status: "error" });
    await held.aborted;
    expect(await parent.agent.session("default").nextNotification()).toBeNull();
  });

  it.each(["kill", "delete", "close"] as const)("PSS-97 PSS-108 ends with %s of its parent", async (how) => {
    const { parent, held } = await launched(["a"], []);
    const session = parent.agent.session("default");
    const waiting = session.nextNotification();
    await quiet();
    await (how === "close" ? parent.agent.close() : session[how]());
    await held[0]?.aborted;
    expect(await waiting).toBeNull();
  });

  it("that a rebuilt agent does not run is given up", async () => {
    const host = { sessionStore: testStore(), capabilities: { backgroundSubagents: "in-process" as const } };
    const first = await launched(["a"], [], { host });
    const again = scriptedAgent([about("output"), say("ok")], {
      host,
      namespace: "desk",
      subagents: [heldAgent("a").agent],
    });
    await (await again.agent.send("and?")).result();
    expect(lastText(again)).toContain('"status":"aborted","error":"the process that ran this task has ended"');
    await first.parent.agent.close();
  });

  it("lets the wait for a notification be aborted", async () => {
    const { parent } = await launched(["a"], []);
    const stop = new AbortController();
    const waiting = parent.agent.session("default").nextNotification({ signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await parent.agent.close();
  });

  it("ends the turn of a replay with arrival-drift where it is not launched", async () => {
    const { agent: a } = heldAgent("a");
    const model = { turn: () => Promise.resolve(say("hello")) };
    const arrivals = [{ session: 0, task: "bg_0000000000000000", at: "1.0.step-end" }];
    const agent = new Agent({ model, subagents: [a], ports: quietPorts(), arrivals });
    const { status, error } = await (await agent.send("go")).result();
    expect(status).toBe("error");
    expect(error).toMatchObject({ code: "arrival-drift", message: expect.stringContaining("no such job") as string });
  });
});
