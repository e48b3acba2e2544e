// What tools see of the run and of the runtime that they are called in.

import { describe, expect, it } from "vitest";
import { classifyFailure } from "../../../src/core/vertex/outcome.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { VERB_NAMES, type VerbBody } from "../../../src/core/tools/verbs.js";
import { agent, runtime } from "../../support/agents.js";
import { gate } from "../../support/loop.js";
import { rejection } from "../../support/refusal.js";
import { ask, say, tool, watchedScript } from "../../support/script.js";
import { verbBodies, type VerbUse } from "../../support/verbs.js";

describe("tools in a run", () => {
  it("PLK-49 see the signal, the bound verbs and the id of the agent that asked", async () => {
    const seen: unknown[] = [];
    const peek = tool("peek", (_args, { signal, agentId, pluck }) => {
      seen.push(signal instanceof AbortSignal, agentId, Object.keys(pluck).sort());
    });
    const provider = scriptedProvider([ask([{ name: "peek" }]), say("x")]);
    await runtime([agent(provider, { customTools: [peek] })]).run({ goal: "g" });
    expect(seen).toEqual([true, "ann", [...VERB_NAMES].sort()]);
  });

  it("PLK-62 may use a verb that the agent's manifest does not grant to the model", async () => {
    const used: VerbUse[] = [];
    const sly = tool("sly", (_args, { pluck }) => pluck.act({ uri: "u", action: "delete" }));
    const provider = scriptedProvider([
      ask([{ name: "sly" }, { name: "act", arguments: { uri: "u", action: "x" } }]),
      say("x"),
    ]);
    const verbs = verbBodies((use) => used.push(use));
    const { messages } = await runtime([agent(provider, { tools: ["probe"], customTools: [sly] })], { verbs }).run({
      goal: "g",
    });
    expect(used.map(({ verb, args, agentId }) => [verb, args, agentId])).toEqual([
      ["act", { uri: "u", action: "delete" }, "ann"],
    ]);
    expect(messages.flatMap((message) => (message.role === "tool" ? [message.content] : []))).toEqual([
      "act was here",
      "tool unavailable",
    ]);
  });

  it("say what is missing when they use a verb that has no body", async () => {
    const sly = tool("sly", (_args, { pluck }) => pluck.probe({ uri: "u" }));
    const provider = scriptedProvider([ask([{ name: "sly" }]), say("x")]);
    const { messages } = await runtime([agent(provider, { customTools: [sly] })]).run({ goal: "g" });
    expect(messages.at(-2)).toMatchObject({ content: "the runtime has no body for probe", isError: true });
  });

  it("REL-53 end a run that fails on tool errors as an internal failure when they use a verb that has no body", async () => {
    const sly = tool("sly", (_args, { pluck }) => pluck.probe({ uri: "u" }));
    for (const part of [{}, { verbs: { ...verbBodies(), probe: undefined } as never }]) {
      const provider = scriptedProvider([ask([{ name: "sly" }]), say("x")]);
      const one = runtime([agent(provider, { tools: [], customTools: [sly], onToolError: "fail" })], part);
      const error = await rejection(one.run({ goal: "g" }));
      expect(error).toMatchObject({ code: "capability-missing", message: "the runtime has no body for probe" });
      expect(classifyFailure(error)).toMatchObject({ code: "internal", retryable: false });
    }
  });

  it("REL-51 REL-52 end the run as the agent's options say", async () => {
    const broken = tool("broken", () => Promise.reject(new Error("row 7 is locked")));
    const failing = runtime([
      agent(scriptedProvider([ask([{ name: "broken" }]), say("x")]), { customTools: [broken], onToolError: "fail" }),
    ]);
    expect(await rejection(failing.run({ goal: "g" }))).toMatchObject({ code: "tool-failed", retryable: true });
    const lost = runtime([agent(scriptedProvider([ask([{ name: "gone" }]), say("x")]), { maxCorrections: 0 })]);
    expect(await rejection(lost.run({ goal: "g" }))).toMatchObject({ code: "tool-failed", retryable: false });
  });

  it("PLK-08 run the verb the model asked for, with the checked arguments", async () => {
    const used: VerbUse[] = [];
    const provider = scriptedProvider([ask([{ name: "probe", arguments: { uri: "u" } }]), say("x")]);
    await runtime([agent(provider)], { verbs: verbBodies((use) => used.push(use)) }).run({ goal: "g" });
    expect(used).toMatchObject([{ verb: "probe", args: { uri: "u" }, agentId: "ann" }]);
  });

  it("PLK-50 PLK-100 see the abort of run({ signal })", async () => {
    const controller = new AbortController();
    const reasons: unknown[] = [];
    const wait = tool("wait", (_args, { signal }) => {
      const fired = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          resolve();
        });
      });
      controller.abort("enough");
      return fired;
    });
    const provider = scriptedProvider([ask([{ name: "wait" }, { name: "wait" }]), say("x")]);
    const run = runtime([agent(provider, { customTools: [wait] })]).run({ goal: "g", signal: controller.signal });
    expect(await rejection(run)).toMatchObject({ code: "aborted" });
    expect(reasons).toEqual(["enough"]);
  });

  it("PLK-100 tells a running verb of the run's abort as well", async () => {
    const controller = new AbortController();
    const seen: unknown[] = [];
    const probe: VerbBody = (_args, { signal }) => {
      seen.push(signal.aborted);
      signal.addEventListener("abort", () => seen.push(signal.reason));
      queueMicrotask(() => controller.abort("enough"));
      return new Promise(() => undefined);
    };
    const provider = scriptedProvider([ask([{ name: "probe", arguments: { uri: "u" } }]), say("x")]);
    const verbs = { ...verbBodies(), probe };
    const run = runtime([agent(provider)], { verbs }).run({ goal: "g", signal: controller.signal });
    expect(await rejection(run)).toMatchObject({ code: "aborted" });
    expect(seen).toEqual([false, "enough"]);
  });

  it.each([
    ["has no signal of its own", {}],
    ["has a signal of its own", { signal: new AbortController().signal }],
  ])("PLK-50 see the runtime being destroyed when the run %s", async (_name, options) => {
    const started = gate();
    const wait = tool("wait", (_args, { signal }) => {
      started.open();
      return new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const provider = scriptedProvider([ask([{ name: "wait" }]), say("x")]);
    const one = runtime([agent(provider, { customTools: [wait] })]);
    const run = rejection(one.run({ goal: "g", ...options }));
    await started.opened;
    await one.destroy();
    expect(await run).toMatchObject({ code: "aborted" });
  });

  it("PLK-101 do not start, nor does the provider, when the signal has fired before the run", async () => {
    const provider = watchedScript([say("x")]);
    const run = runtime([agent(provider)]).run({ goal: "g", signal: AbortSignal.abort() });
    expect(await rejection(run)).toMatchObject({ code: "aborted" });
    expect(provider.asked).toEqual([]);
  });

  it("PLK-101 a verb used by a tool does not start once the run is aborted", async () => {
    const controller = new AbortController();
    const used: VerbUse[] = [];
    const late = tool("late", async (_args, { pluck }) => {
      controller.abort();
      await pluck.act({ uri: "u", action: "x" });
    });
    const provider = scriptedProvider([ask([{ name: "late" }]), say("x")]);
    const one = runtime([agent(provider, { customTools: [late] })], { verbs: verbBodies((use) => used.push(use)) });
    expect(await rejection(one.run({ goal: "g", signal: controller.signal }))).toMatchObject({ code: "aborted" });
    expect(used).toEqual([]);
  });
});
