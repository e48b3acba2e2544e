import { describe, expect, it } from "vitest";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { hashJson } from "../../../src/core/canon/digest.js";
import { createSigner } from "../../../src/core/canon/signature.js";
import { AgentError, ToolPolicyError } from "../../../src/core/errors.js";
import type { AgentEvent } from "../../../src/core/events/event.js";
import { RECEIPT_TIMEOUT_MS } from "../../../src/core/limits.js";
import type { Receipt } from "../../../src/core/receipts/receipt.js";
import { verifyReceipts } from "../../../src/core/receipts/verify.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import type { Ports } from "../../../src/core/ports.js";
import { createRuntime, type AgentRuntime, type RuntimeOptions } from "../../../src/core/runtime/runtime.js";
import { agent, runtime } from "../../support/agents.js";
import { publicKey, seed } from "../../support/receipts.js";
import { refusal, rejection } from "../../support/refusal.js";
import { ask, quietPorts, say, tool } from "../../support/script.js";

const signer = createSigner(seed);
const down = () => Promise.reject(new Error("down"));
const toolSteps = [ask([{ name: "t" }, { name: "gone" }, { name: "bad" }]), say("done")];
const tools = [
  tool("t", () => 1),
  tool("bad", () => {
    throw new Error("no");
  }),
];

describe("createRuntime with a signingKey", () => {
  it("PLK-06 PLK-92 writes one receipt for every turn and every tool call of every run, in the order of the log", async () => {
    const events: AgentEvent[] = [];
    const heard: Receipt[] = [];
    const steps = [...toolSteps, ...toolSteps];
    const signed = runtime([agent(scriptedProvider(steps), { customTools: tools })], {
      signingKey: seed,
      onEvent: (event) => events.push(event),
      onReceipt: (receipt) => heard.push(receipt),
    });
    await signed.run({ goal: "one" });
    expect(signed.receipts.map(({ body }) => (body.kind === "tool" ? body.outcome : body.kind))).toEqual([
      ...["turn", "ok", "rejected", "failed", "turn"],
    ]);
    await signed.run({ goal: "two" });
    await signed.destroy();
    expect(heard).toEqual(signed.receipts);

    const types = ["llm-turn", "tool-result", "tool-failed", "tool-rejected", "tool-denied"];
    const said = events
      .filter(({ type }) => types.includes(type))
      .map(({ hlc, runId, turnIndex }) => ({ hlc, runId, turnIndex }));
    expect(signed.receipts.slice(0, -1)).toMatchObject(said);
    expect(said).toHaveLength(10);
    const verdict = verifyReceipts(signed.receipts, publicKey);
    expect(verdict).toMatchObject({ kind: "ok", receipts: 11, complete: true, agents: ["ann"] });
    expect(verdict.kind === "ok" && verdict.runs).toHaveLength(2);
  });

  it("gives a turn the hash of what a cassette keeps as its response", async () => {
    const recorder = recordingProvider(scriptedProvider(toolSteps));
    const signed = runtime([agent(recorder, { customTools: tools })], { signingKey: seed });
    await signed.run({ goal: "go" });
    const hashes = signed.receipts.flatMap(({ body }) => (body.kind === "turn" ? [body.responseHash] : []));
    expect(hashes).toEqual(recorder.toCassette().entries.map(({ response }) => hashJson(response)));
  });

  it("PLK-93 keeps one chain for runs side by side, over a signer that takes its time", async () => {
    const sign = async (message: Uint8Array) => {
      await new Promise((resolve) => setImmediate(resolve));
      return signer.sign(message);
    };
    const signed = runtime([agent(echoProvider())], { signingKey: { publicKey, sign } });
    await Promise.all(Array.from({ length: 8 }, (_, index) => signed.run({ goal: `${index}` })));
    expect(verifyReceipts(signed.receipts, publicKey)).toMatchObject({ kind: "ok", receipts: 8, complete: false });
  });

  it("PLK-97 waits for the receipts when it is destroyed, and ends the chain", async () => {
    const steps: (() => void)[] = [];
    const sign = (message: Uint8Array) =>
      new Promise<Uint8Array>((resolve) => steps.push(() => resolve(signer.sign(message))));
    const signed = runtime([agent(echoProvider())], { signingKey: { publicKey, sign } });
    const controller = new AbortController();
    const run = rejection(signed.run({ goal: "x", signal: controller.signal }));
    while (steps.length === 0) await Promise.resolve();
    controller.abort();
    expect(await run).toMatchObject({ code: "aborted" });
    let isDestroyed = false;
    const destroyed = signed.destroy().then(() => (isDestroyed = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDestroyed).toBe(false);
    steps.shift()?.();
    while (steps.length === 0) await Promise.resolve();
    steps.shift()?.();
    await destroyed;
    expect(verifyReceipts(signed.receipts, publicKey)).toMatchObject({ kind: "ok", receipts: 2, complete: true });
  });

  it("rejects the run whose receipts could not be written, the runs after it, and tells", async () => {
    const ports = quietPorts();
    const script = scriptedProvider([say("one"), say("two")]);
    const signed = runtime([agent(script)], { signingKey: { publicKey, sign: down }, ports });
    expect(await rejection(signed.run({ goal: "x" }))).toMatchObject({
      code: "receipt-failed",
      message: "the signing key, asked for the signature of receipt 0, failed: down",
    });
    expect(await rejection(signed.run({ goal: "y" }))).toMatchObject({ code: "receipt-failed" });
    expect(() => script.assertConsumed()).toThrow("1 of 2");
    expect(ports.warnings).toHaveLength(1);
    await signed.destroy();
    expect(signed.receipts).toEqual([]);
  });

  it("rejects with what ended the run, where receipts fail besides, and waits for those that do not", async () => {
    const denied = tool("t", () => {
      throw new ToolPolicyError("never");
    });
    const make = (signingKey: RuntimeOptions["signingKey"]) =>
      runtime([agent(scriptedProvider([ask([{ name: "t" }])]), { customTools: [denied] })], {
        signingKey: signingKey ?? seed,
      });
    expect(await rejection(make({ publicKey, sign: down }).run({ goal: "x" }))).toMatchObject({ code: "tool-denied" });
    const signed = make(seed);
    expect(await rejection(signed.run({ goal: "x" }))).toMatchObject({ code: "tool-denied" });
    expect(signed.receipts.map(({ body }) => (body.kind === "tool" ? body.outcome : body.kind))).toEqual([
      "turn",
      "denied",
    ]);
  });

  it("takes a listener that starts a run or destroys, and one that waits for it", async () => {
    const destroy = (signed: AgentRuntime) => signed.destroy();
    const run = (signed: AgentRuntime) => signed.run({ goal: "y" }).catch(() => undefined);
    for (const begin of [destroy, run]) {
      for (const isWaiting of [false, true]) {
        const script = scriptedProvider([say("one"), say("two")]);
        let begun: Promise<unknown> | undefined;
        const onReceipt = () => {
          if (begun !== undefined) return undefined;
          begun = begin(signed);
          return isWaiting ? begun : undefined;
        };
        const signed: AgentRuntime = runtime([agent(script)], {
          signingKey: seed,
          onReceipt,
        });
        await signed.run({ goal: "x" }).catch(() => undefined);
        await begun;
        await signed.destroy();
        const verdict = verifyReceipts(signed.receipts, publicKey);
        expect(verdict).toMatchObject({ kind: "ok", complete: true });
      }
    }
  });

  it("gives a listener that waits for a run of its own too late no more than its time, and says why", async () => {
    const ports = quietPorts();
    const timer: Ports["timer"] = (ms, fire) => {
      const timeout = setTimeout(fire, ms === RECEIPT_TIMEOUT_MS ? 20 : ms);
      return () => clearTimeout(timeout);
    };
    const onReceipt = async ({ seq }: Receipt) => {
      await Promise.resolve();
      if (seq === 0) await signed.run({ goal: "y" });
    };
    const signed: AgentRuntime = runtime([agent(echoProvider())], {
      ...{ signingKey: seed, onReceipt, ports: { ...ports, timer } },
    });
    expect(await rejection(signed.run({ goal: "x" }))).toMatchObject({
      code: "receipt-failed",
      message: expect.stringContaining("onReceipt, given receipt 0, took more than") as string,
      hint: expect.stringContaining("must not wait for a run or for destroy()") as string,
    });
    await signed.destroy();
  });

  /** The receipts of one run, which is aborted by `abortIn` or ends by itself. */
  async function outcomesOf(part: Partial<Parameters<typeof agent>[1]>, calls: string[], signal?: AbortSignal) {
    const events: string[] = [];
    const script = scriptedProvider([ask(calls.map((name) => ({ name }))), say("done")]);
    const signed = runtime([agent(script, part)], {
      ...{ signingKey: seed, onEvent: ({ type }: AgentEvent) => events.push(type) },
    });
    await signed.run({ goal: "x", ...(signal === undefined ? {} : { signal }) }).catch(() => undefined);
    await signed.destroy();
    const outcomes = signed.receipts.map(({ body }) => (body.kind === "tool" ? body.outcome : body.kind));
    return { events, outcomes, verdict: verifyReceipts(signed.receipts, publicKey) };
  }

  it.each(["read", "write"] as const)(
    "PLK-06 PLK-92 has a receipt for the call in flight, and for those not begun, when a run of %s tools is aborted",
    async (effect) => {
      const stop = new AbortController();
      const pay = tool(
        "pay",
        async () => {
          await Promise.resolve();
          stop.abort();
          return new Promise(() => undefined);
        },
        { effect },
      );
      const part = {
        customTools: [
          tool("t", () => 1, { effect }),
          pay,
          tool("late", () => new Promise(() => undefined), { effect }),
        ],
      };
      const { events, outcomes, verdict } = await outcomesOf(part, ["t", "pay", "late"], stop.signal);
      expect(outcomes).toEqual(["turn", "ok", "interrupted", effect === "read" ? "interrupted" : "skipped", "end"]);
      expect(events.slice(-4)).toEqual([
        ...["tool-result", "tool-interrupted", effect === "read" ? "tool-interrupted" : "tool-skipped", "run-end"],
      ]);
      expect(verdict).toMatchObject({ kind: "ok", complete: true, openCalls: 0 });
    },
  );

  it("PLK-06 PLK-92 has a receipt for each call that a policy which aborts, a denial or a cap kept from beginning", async () => {
    const never = tool("never", () => 1, { effect: "write" });
    const stop = new AbortController();
    const policies = [{ call: () => void stop.abort() as undefined }];
    const aborted = await outcomesOf({ customTools: [never], policies }, ["never"], stop.signal);
    expect(aborted.outcomes).toEqual(["turn", "skipped", "end"]);
    const denying = tool(
      "deny",
      () => {
        throw new ToolPolicyError("no");
      },
      { effect: "write" },
    );
    const denied = await outcomesOf({ customTools: [denying, never] }, ["deny", "never"]);
    expect(denied.outcomes).toEqual(["turn", "denied", "skipped", "end"]);
    const capped = await outcomesOf({ customTools: [never], budget: { maxToolCalls: 1 } }, ["never", "never"]);
    expect(capped.outcomes).toEqual(["turn", "ok", "skipped", "end"]);
    for (const { verdict } of [aborted, denied, capped]) {
      expect(verdict).toMatchObject({ kind: "ok", complete: true, openCalls: 0 });
    }
  });

  it("PLK-06 PLK-92 stops a run whose chain is broken before its next turn, and before a tool that writes", async () => {
    for (const pauses of [false, true]) {
      let turns = 0;
      let paid = 0;
      const provider: LlmProviderAdapter = {
        async turn() {
          turns += 1;
          if (pauses) await new Promise((resolve) => setTimeout(resolve));
          return ask([{ name: "pay" }]);
        },
      };
      const pay = tool("pay", () => (paid += 1), { effect: "write" });
      const onReceipt = ({ turnIndex }: Receipt) => {
        if (turnIndex === 1) throw new Error("no space");
      };
      const signed = runtime([agent(provider, { customTools: [pay] })], { signingKey: seed, onReceipt });
      expect(await rejection(signed.run({ goal: "x" }))).toMatchObject({ code: "receipt-failed" });
      expect({ turns, paid }).toEqual({ turns: 2, paid: 1 });
      await signed.destroy();
    }
  });

  it("PLK-92 takes no further turn with tools that only read, once the chain is known to be broken", async () => {
    let turns = 0;
    const provider: LlmProviderAdapter = {
      async turn() {
        turns += 1;
        await new Promise((resolve) => setTimeout(resolve));
        return ask([{ name: "t" }]);
      },
    };
    const onReceipt = ({ turnIndex }: Receipt) => {
      if (turnIndex === 1) throw new Error("no space");
    };
    const signed = runtime([agent(provider, { customTools: tools })], { signingKey: seed, onReceipt });
    expect(await rejection(signed.run({ goal: "x" }))).toMatchObject({ code: "receipt-failed" });
    expect(turns).toBe(3);
    await signed.destroy();
  });

  it("gives a turn the prompt hash of its recording", async () => {
    const recorder = recordingProvider(scriptedProvider(toolSteps));
    const signed = runtime([agent(recorder, { customTools: tools })], { signingKey: seed });
    await signed.run({ goal: "go" });
    const hashes = signed.receipts.flatMap(({ body }) => (body.kind === "turn" ? [body.promptHash] : []));
    expect(hashes).toEqual(recorder.toCassette().entries.map(({ promptHash }) => promptHash));
    expect(hashes).toHaveLength(2);
  });

  it("PLK-97 ends the chain though the destroy of a provider never settles", async () => {
    const ports = quietPorts();
    const timer: Ports["timer"] = (ms, fire) => {
      const timeout = setTimeout(fire, ms === 5_000 ? 0 : ms);
      return () => clearTimeout(timeout);
    };
    const provider = { ...echoProvider(), name: "model:stuck", destroy: () => new Promise<void>(() => undefined) };
    const signed = runtime([agent(provider)], { signingKey: seed, ports: { ...ports, timer } });
    await signed.run({ goal: "x" });
    await signed.destroy();
    expect(verifyReceipts(signed.receipts, publicKey)).toMatchObject({ kind: "ok", complete: true });
    expect(ports.warnings).toEqual([
      expect.stringContaining("destroying provider model:stuck failed: no answer within 5000 ms"),
    ]);
  });

  it("rejects destroy when the end alone cannot be signed, after the providers are destroyed", async () => {
    let isDown = false;
    let destroyed = 0;
    const sign = (message: Uint8Array) => (isDown ? down() : signer.sign(message));
    const provider = { ...echoProvider(), destroy: () => void (destroyed += 1) };
    const signed = runtime([agent(provider)], { signingKey: { publicKey, sign } });
    await signed.run({ goal: "x" });
    isDown = true;
    expect(await rejection(signed.destroy())).toBeInstanceOf(AgentError);
    expect(destroyed).toBe(1);
  });

  it("PLK-92 keeps one chain through a plan of several agents", async () => {
    const agents = [agent(scriptedProvider([say("to bob")])), agent(scriptedProvider([say("done")]), { id: "bob" })];
    const signed = runtime(agents, { signingKey: seed });
    await signed.run({ goal: "go", plan: { entry: "ann", edges: [{ from: "ann", to: "bob" }], exits: ["bob"] } });
    await signed.destroy();
    const verdict = verifyReceipts(signed.receipts, publicKey);
    expect(verdict).toMatchObject({ kind: "ok", receipts: 3, complete: true, agents: ["ann", "bob"] });
    expect(verdict.kind === "ok" && verdict.runs).toHaveLength(1);
  });

  it("signs nothing, and has no receipts, without a key", async () => {
    const unsigned = runtime([agent(echoProvider())]);
    await unsigned.run({ goal: "x" });
    await unsigned.destroy();
    expect(unsigned.receipts).toEqual([]);
  });

  it.each<[string, object]>([
    ["an invalid key", { signingKey: "not a key" }],
    ["a listener without a key", { onReceipt: () => undefined }],
    ["a listener that is not a function", { signingKey: seed, onReceipt: [] }],
  ])("refuses %s before the first turn", (_name, options) => {
    const all = { agents: [agent(echoProvider())], ...options } as unknown as RuntimeOptions;
    expect(refusal(() => createRuntime(all))).toMatchObject({ code: "invalid-options" });
  });
});
