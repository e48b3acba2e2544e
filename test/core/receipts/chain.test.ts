import { describe, expect, it } from "vitest";
import { hashJson } from "../../../src/core/canon/digest.js";
import { createSigner } from "../../../src/core/canon/signature.js";
import { MAX_DEFERRED_RECEIPTS, MAX_PENDING_RECEIPTS, RECEIPT_TIMEOUT_MS } from "../../../src/core/limits.js";
import type { Receipt } from "../../../src/core/receipts/receipt.js";
import { verifyReceipts } from "../../../src/core/receipts/verify.js";
import { makeChain, openChain, otherSeed, publicKey, seed } from "../../support/receipts.js";
import { say } from "../../support/script.js";
import { rejection } from "../../support/refusal.js";

const RUN = "ab".repeat(16);
const signer = createSigner(seed);

describe("createReceiptChain", () => {
  it("PLK-07 gives each receipt the signature of the one before as parentSig, the first null", async () => {
    const receipts = await makeChain(4);
    expect(receipts.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4]);
    expect(receipts.map(({ parentSig }) => parentSig)).toEqual([null, ...receipts.slice(0, -1).map(({ sig }) => sig)]);
    expect(new Set(receipts.map(({ chainId }) => chainId)).size).toBe(1);
    expect(receipts.at(-1)).toMatchObject({
      body: { kind: "end", receipts: 4 },
      agentId: "",
      runId: "",
      turnIndex: -1,
    });
  });

  it("PLK-93 signs in the order things happened, though a signer's promises settle in another", async () => {
    const waiting: (() => void)[] = [];
    let open = 0;
    const sign = (message: Uint8Array) =>
      new Promise<Uint8Array>((resolve) => {
        open += 1;
        expect(open).toBe(1);
        waiting.push(() => {
          open -= 1;
          resolve(signer.sign(message));
        });
      });
    const { chain, turn, call } = openChain({ key: { publicKey, sign } });
    turn();
    call();
    call();
    const closed = chain.close();
    for (let signed = 0; signed < 4; signed++) {
      while (waiting.length === 0) await Promise.resolve();
      waiting.shift()?.();
      await Promise.resolve();
    }
    await closed;
    expect(verifyReceipts(chain.receipts, publicKey)).toMatchObject({ kind: "ok", receipts: 4, complete: true });
  });

  it("hashes what happened when it happened, whatever becomes of the response before it is signed", async () => {
    const { chain } = openChain();
    const response = say("then");
    chain.tap(event(), { kind: "turn", response });
    response.message.content = "now";
    await chain.close();
    expect(chain.receipts[0]?.body).toMatchObject({ responseHash: hashJson(say("then")) });
  });

  it("signs nothing as long as promises alone go on, and all in the pauses behind them, without being drained", async () => {
    const { chain, turn } = openChain();
    for (let index = 0; index < 40; index++) turn();
    for (let index = 0; index < 1_000; index++) await Promise.resolve();
    expect(chain.receipts).toEqual([]);
    while (chain.receipts.length < 40) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(verifyReceipts(chain.receipts, publicKey)).toMatchObject({ kind: "ok", receipts: 40 });
  });

  it("signs the oldest on the spot where more wait than may", () => {
    const { chain, turn } = openChain();
    for (let index = 0; index < MAX_DEFERRED_RECEIPTS; index++) turn();
    expect(chain.receipts).toEqual([]);
    turn();
    expect(chain.receipts).toHaveLength(1);
    turn();
    expect(chain.receipts).toHaveLength(2);
  });

  it("hands each receipt over once, in order, frozen, and waits for an async listener", async () => {
    const heard: Receipt[] = [];
    const onReceipt = async (receipt: Receipt) => {
      await Promise.resolve();
      heard.push(receipt);
    };
    const receipts = await makeChain(5, { onReceipt });
    expect(heard).toEqual(receipts);
    expect(heard.every((receipt) => Object.isFrozen(receipt) && Object.isFrozen(receipt.body))).toBe(true);
  });

  it("keeps as many as it may, says so once, and delivers all", async () => {
    const heard: Receipt[] = [];
    const { chain, turn, ports } = openChain({ limit: 2, onReceipt: (receipt) => heard.push(receipt) });
    for (let index = 0; index < 4; index++) turn();
    await chain.close();
    expect(chain.receipts).toHaveLength(2);
    expect(verifyReceipts(heard, publicKey)).toMatchObject({ kind: "ok", receipts: 5, complete: true });
    expect((ports as { warnings: string[] }).warnings).toHaveLength(1);
  });

  it("close writes one end, and nothing is taken after it", async () => {
    const { chain, turn } = openChain();
    turn();
    await Promise.all([chain.close(), chain.close()]);
    turn();
    await chain.close();
    expect(chain.receipts.map(({ body }) => body.kind)).toEqual(["turn", "end"]);
  });
});

const never = () => new Promise<Uint8Array>(() => undefined);
const proxy = new Proxy(
  {},
  {
    getPrototypeOf() {
      throw new Error("trap");
    },
  },
);

describe("a receipt that cannot be written", () => {
  it.each<[string, (message: Uint8Array) => unknown, string]>([
    [
      "throws",
      () => {
        throw new Error("no entry sk-abcdefghijkl");
      },
      "failed: no entry ***",
    ],
    ["rejects", () => Promise.reject(new Error("down")), "failed: down"],
    ["gives no bytes", () => "signature", "did not return bytes"],
    ["gives nothing", () => undefined, "did not return bytes"],
    ["gives an object that traps", () => proxy, "trap"],
    [
      "gives too few bytes",
      (message) => signer.sign(message).subarray(1),
      "63 bytes that are not a valid Ed25519 signature",
    ],
    ["gives zeros", () => new Uint8Array(64), "64 bytes that are not a valid Ed25519 signature"],
    ["signs with another key", (message) => createSigner(otherSeed).sign(message), "by its publicKey"],
    ["signs other bytes", (message) => signer.sign(message.subarray(1)), "by its publicKey"],
    ["changes the bytes it signs", (message) => signer.sign(message.fill(0)), "by its publicKey"],
  ])("rejects the drain with receipt-failed when the signer %s", async (_name, sign, text) => {
    const { chain, turn, ports } = openChain({ key: { publicKey, sign: sign as typeof signer.sign } });
    turn();
    const expected = { code: "receipt-failed", retryable: false, message: expect.stringContaining(text) as string };
    expect(await rejection(chain.drain(RUN))).toMatchObject(expected);
    expect(() => chain.assertWhole()).toThrow(text);
    expect((ports as { warnings: string[] }).warnings).toEqual([expect.stringContaining(text)]);
    expect(chain.receipts).toEqual([]);
  });

  it("gives up on a signer that hangs, once its time is over", async () => {
    const timers: [number, () => void][] = [];
    const timer = (ms: number, fire: () => void) => {
      timers.push([ms, fire]);
      return () => undefined;
    };
    const { ports } = openChain();
    const { chain, turn } = openChain({ key: { publicKey, sign: never }, ports: { ...ports, timer } });
    turn();
    const drained = rejection(chain.drain(RUN));
    const late = () => timers.find(([ms]) => ms === RECEIPT_TIMEOUT_MS);
    while (late() === undefined) await Promise.resolve();
    late()?.[1]();
    expect(await drained).toMatchObject({
      code: "receipt-failed",
      message: expect.stringContaining("30000 ms") as string,
    });
  });

  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("disk full");
      },
    ],
    ["rejects", () => Promise.reject(new Error("disk full"))],
  ])("is one whose listener %s, too", async (_name, onReceipt) => {
    const { chain, turn } = openChain({ onReceipt });
    turn();
    expect(await rejection(chain.drain(RUN))).toMatchObject({
      code: "receipt-failed",
      message: "onReceipt, given receipt 0, failed: disk full",
    });
  });

  it("ends the chain: nothing is signed after it, no end is written, and later runs are told too", async () => {
    let calls = 0;
    const sign = (message: Uint8Array) => {
      calls += 1;
      if (calls === 2) throw new Error("once");
      return signer.sign(message);
    };
    const { chain, turn } = openChain({ key: { publicKey, sign } });
    turn();
    turn();
    turn();
    expect(await rejection(chain.drain(RUN))).toMatchObject({ code: "receipt-failed" });
    turn();
    expect(await rejection(chain.drain(RUN))).toMatchObject({ code: "receipt-failed" });
    await chain.close();
    expect(calls).toBe(2);
    expect(verifyReceipts(chain.receipts, publicKey)).toMatchObject({ kind: "ok", receipts: 1, complete: false });
  });

  it("does not concern a run whose receipts were all written before", async () => {
    let calls = 0;
    const sign = (message: Uint8Array) => {
      calls += 1;
      if (calls === 2) throw new Error("once");
      return signer.sign(message);
    };
    const { chain, turn } = openChain({ key: { publicKey, sign } });
    turn();
    await chain.drain(RUN);
    chain.tap({ ...event(), runId: "other" }, undefined);
    expect(await rejection(chain.drain("other"))).toMatchObject({ code: "receipt-failed" });
    await chain.drain(RUN);
    chain.tap({ ...event(), runId: "third" }, undefined);
    expect(await rejection(chain.drain("third"))).toMatchObject({ code: "receipt-failed" });
  });

  it("rejects close when it is the end itself", async () => {
    let isDown = false;
    const sign = (message: Uint8Array) => (isDown ? Promise.reject(new Error("down")) : signer.sign(message));
    const { chain, turn } = openChain({ key: { publicKey, sign } });
    turn();
    await chain.drain(RUN);
    isDown = true;
    expect(await rejection(chain.close())).toMatchObject({ code: "receipt-failed" });
  });

  it("is every one beyond the limit of those that wait", async () => {
    const { chain, turn } = openChain({ key: { publicKey, sign: never } });
    for (let index = 0; index <= MAX_PENDING_RECEIPTS; index++) turn();
    expect(() => chain.assertWhole()).toThrow(`more than ${MAX_PENDING_RECEIPTS} receipts wait`);
  });

  it("is as well where the key signs at once and the listener takes its time", async () => {
    const { chain, turn } = openChain({ onReceipt: never });
    for (let index = 0; index < MAX_PENDING_RECEIPTS; index++) turn();
    expect(() => chain.assertWhole()).not.toThrow();
    turn();
    expect(() => chain.assertWhole()).toThrow(`more than ${MAX_PENDING_RECEIPTS} receipts wait`);
  });
});

function event() {
  return {
    type: "llm-turn",
    stopReason: "stop",
    toolCalls: 0,
    seq: 0,
    at: 0,
    hlc: "h",
    runId: "",
    agentId: "a",
    turnIndex: 0,
  } as const;
}
