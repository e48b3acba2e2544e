// Agents of one process that use the same session of a store: what they share, and when that is warned of.

import { describe, expect, it } from "vitest";
import { createInMemoryExecutionHost } from "../../../../src/core/session/memory-host/host.js";
import type { AgentOptions } from "../../../../src/core/session/options.js";
import { quietPorts, say } from "../../../support/script.js";
import { scriptedAgent, testStore } from "../../../support/sessions.js";

const WARNING =
  'playhead: the agents agent:desk and agent:clerk share the session "default": a store keeps sessions by key alone. ' +
  "Use another key or another store for each agent.";

function open() {
  const ports = quietPorts();
  const agentOf = (options: Partial<AgentOptions>) => scriptedAgent([say("1"), say("2")], { ports, ...options });
  return { ports, agentOf };
}

describe("two agents that use one key", () => {
  it.each([
    ["session store", () => ({ sessionStore: testStore() })],
    ["execution host", () => createInMemoryExecutionHost()],
  ])("PSS-61 share the session in one %s, which is warned of once", async (_what, create) => {
    const { ports, agentOf } = open();
    const host = create();
    const [desk, clerk] = [agentOf({ name: "desk", host }), agentOf({ name: "clerk", host })];
    await (await desk.agent.send("I am Ann.")).result();
    expect(ports.warnings).toEqual([]);
    await (await clerk.agent.send("Who am I?")).result();
    expect(clerk.asked[0]?.messages.map(({ content }) => content)).toEqual(["I am Ann.", "1", "Who am I?"]);
    await (await desk.agent.send("And now?")).result();
    await (await clerk.agent.session("other").send("x")).result();
    expect(ports.warnings).toEqual([WARNING]);
  });

  it("are not warned of with other keys, with the same name, without a name, or one after the other", async () => {
    const { ports, agentOf } = open();
    const host = { sessionStore: testStore() };
    const desk = agentOf({ name: "desk", host });
    const others = [agentOf({ name: "desk", host }), agentOf({ host })];
    for (const { agent } of [desk, ...others]) await (await agent.send("x")).result();
    await (await agentOf({ name: "clerk", host }).agent.session("own").send("x")).result();
    await desk.agent.close();
    await (await agentOf({ name: "clerk", host }).agent.send("x")).result();
    expect(ports.warnings).toEqual([]);
  });
});
