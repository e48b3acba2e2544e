// What a turn that goes on in another agent brings with it, and what the agent before it leaves behind.

import { describe, expect, it } from "vitest";
import { verifyReceipts } from "../../../../src/core/receipts/verify.js";
import { Agent } from "../../../../src/core/session/agent.js";
import { ask, say } from "../../../support/script.js";
import { agentOn, handPorts, historyOf, memoryHost, openLedger, pureModel } from "../../../support/execution.js";
import { publicKey, seed } from "../../../support/receipts.js";
import { heldAgent, launch } from "../../../support/subagents.js";

describe("the receipts of a resumed turn", () => {
  it("are a chain of each process that signs, with the id of the run and the turns that it took itself", async () => {
    const ports = handPorts();
    const host = memoryHost(ports);
    const ledger = openLedger();
    const model = pureModel([ask([{ name: "look" }]), ask([{ name: "look" }]), say("Done.")]);
    const open = () => agentOn(host, { ports, model, tools: [ledger.tool("look")], signingKey: seed });
    const runId = await open().session("default").schedule("Go.");
    const chains = [];
    for (const maxSteps of [1, 1, 5]) {
      const agent = open();
      await (await agent.resume(runId, { maxSteps }))?.result();
      await agent.close();
      chains.push(agent.receipts);
    }
    for (const receipts of chains)
      expect(verifyReceipts(receipts, publicKey)).toMatchObject({ kind: "ok", complete: true });
    const signed = chains.map((receipts) => receipts.filter((receipt) => receipt.runId !== ""));
    expect(new Set(signed.flat().map((receipt) => receipt.runId))).toEqual(new Set([runId]));
    expect(signed.map((receipts) => receipts.map(({ turnIndex }) => turnIndex))).toEqual([[0, 0], [1, 1], [2]]);
    expect((await historyOf(host)).at(-1)?.content).toBe("Done.");
  });
});

describe("an agent that closes while its background jobs run in this process", () => {
  it("PSS-97 ends them, in the execution host too, and the parent's session can go on", async () => {
    const ports = handPorts();
    const host = memoryHost(ports);
    const held = heldAgent("helper");
    const model = pureModel([ask([launch("helper")]), say("launched"), say("later")]);
    const open = (subagent: Agent) => agentOn(host, { ports, model, subagents: [subagent] });
    const first = open(held.agent);
    const run = await first.send("go");
    await run.result();
    await held.asked;
    await first.close();
    const [job, ...others] = await host.store.runs.listByParentRunId(run.runId);
    expect(others).toEqual([]);
    expect(job).toMatchObject({ kind: "background-subagent", status: "cancelled" });
    expect(await host.store.runs.listOpen("agent:clerk", { parentSessionKey: "default" })).toEqual([]);
    const second = open(heldAgent("helper").agent);
    expect(await (await second.send("and now?")).result()).toMatchObject({ status: "completed", text: "later" });
  });
});
