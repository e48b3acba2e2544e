import { describe, expect, it } from "vitest";
import { recordingProvider } from "../../../src/cassette/record.js";
import { hashJson } from "../../../src/core/canon/digest.js";
import { createSigner } from "../../../src/core/canon/signature.js";
import { AgentError, ToolPolicyError } from "../../../src/core/errors.js";
import type { AgentEvent } from "../../../src/core/events/event.js";
import type { Receipt } from "../../../src/core/events/receipt.js";
import { verifyReceipts } from "../../../src/core/events/receipt-verify.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { RECEIPT_TIMEOUT_MS } from "../../../src/core/events/receipt-writer.js";
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

  it("takes a listener that starts a run or destroys, and gives one that waits for it no more than its time", async () => {
    const destroy = (signed: AgentRuntime) => signed.destroy();
    const run = (signed: AgentRuntime) => signed.run({ goal: "y" }).catch(() => undefined);
    for (const begin of [destroy, run]) {
      for (const isWaiting of [false, true]) {
        const script = scriptedProvider([say("one"), say("two")]);
        const timer: Ports["timer"] = (ms, fire) => {
          const timeout = setTimeout(fire, ms === RECEIPT_TIMEOUT_MS ? 20 : ms);
          return () => clearTimeout(timeout);
        };
        let begun: Promise<unknown> | undefined;
        const onReceipt = () => {
          if (begun !== undefined) return undefined;
          begun = begin(signed);
          return isWaiting ? begun : undefined;
        };
        const signed: AgentRuntime = runtime([agent(script)], {
          signingKey: seed,
          onReceipt,
          ports: { ...quietPorts(), timer },
        });
        await signed.run({ goal: "x" }).catch(() => undefined);
        await begun;
        await signed.destroy();
        const verdict = verifyReceipts(signed.receipts, publicKey);
        expect(verdict).toMatchObject({ kind: "ok", complete: !isWaiting });
      }
    }
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
    ["a key that is none", { signingKey: "not a key" }],
    ["a listener without a key", { onReceipt: () => undefined }],
    ["a listener that is no function", { signingKey: seed, onReceipt: [] }],
  ])("refuses %s before the first turn", (_name, options) => {
    const all = { agents: [agent(echoProvider())], ...options } as unknown as RuntimeOptions;
    expect(refusal(() => createRuntime(all))).toMatchObject({ code: "invalid-options" });
  });
});
