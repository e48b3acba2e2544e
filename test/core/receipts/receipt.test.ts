import { createPublicKey, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hashJson } from "../../../src/core/canon/digest.js";
import { canonicalize } from "../../../src/core/canon/json.js";
import type { AgentEvent, EventBody, EventDetail } from "../../../src/core/events/event.js";
import { createEventLog } from "../../../src/core/events/log.js";
import { createPromptHashes } from "../../../src/core/events/event-prompt-hash.js";
import { receiptMessage } from "../../../src/core/receipts/receipt.js";
import { draftReceipt, noteReceipt } from "../../../src/core/receipts/draft.js";
import type { LlmTurnResponse } from "../../../src/core/model/provider.js";
import { ask, quietPorts, say } from "../../support/script.js";
import { makeChain, publicKey } from "../../support/receipts.js";

function bodyOf(body: EventBody, detail?: EventDetail) {
  const log = createEventLog(quietPorts(), { runId: "r" });
  log.append("ann", 2, body);
  const note = noteReceipt(log.events[0] as AgentEvent, detail);
  return note === undefined ? undefined : draftReceipt(note, createPromptHashes()).body;
}

const turn = { type: "llm-turn", stopReason: "stop", toolCalls: 0 } as const;
const call = { id: "c0", name: "t", arguments: { n: 1 } };
const named = { callId: "c0", tool: "t" };

describe("draftReceipt", () => {
  it("PLK-92 B25 has a body for a turn and for each outcome of a tool call, and for nothing else", () => {
    const others: EventBody[] = [
      { type: "run-start", goal: "g" },
      { type: "turn-start" },
      { type: "llm-error", name: "Error", message: "m" },
      { type: "tool-call", ...named, arguments: {} },
      { type: "tool-policy", ...named, hook: "call", action: "a" },
      { type: "corrections-exhausted", limit: 1 },
      { type: "budget-exhausted", cap: "turns", limit: 1 },
      { type: "handoff", from: "a", to: "b", edge: 0 },
      { type: "handoff-cycle", from: "a", to: "b", limit: 8 },
      { type: "provider-destroy-failed", provider: "p", message: "m" },
      { type: "run-end", stop: "finished" },
    ];
    for (const body of others) expect(bodyOf(body)).toBeUndefined();
    const outcomes: [string, EventBody][] = [
      ["ok", { type: "tool-result", ...named, content: "1", cut: 0 }],
      ["failed", { type: "tool-failed", ...named, message: "m" }],
      ["masked", { type: "tool-failed", ...named, message: "m", masked: true }],
      ["rejected", { type: "tool-rejected", ...named }],
    ];
    for (const [outcome, body] of outcomes) {
      expect(bodyOf(body, { kind: "tool", call, content: "read" })).toEqual({
        ...{ kind: "tool", ...named, outcome },
        ...{ argumentsHash: hashJson({ n: 1 }), resultHash: hashJson("read") },
      });
    }
    const unread: [string, EventBody][] = [
      ["denied", { type: "tool-denied", ...named, message: "m" }],
      ["interrupted", { type: "tool-interrupted", ...named }],
      ["skipped", { type: "tool-skipped", ...named }],
    ];
    for (const [outcome, body] of unread) {
      expect(bodyOf(body, { kind: "tool", call })).toEqual({
        ...{ kind: "tool", ...named, outcome, argumentsHash: hashJson({ n: 1 }) },
      });
    }
  });

  it("hashes a response as a recording keeps it, without keys that have no value", () => {
    const response = { ...say("hello"), model: undefined } as unknown as LlmTurnResponse;
    expect(bodyOf(turn, { kind: "turn", response })).toMatchObject({ responseHash: hashJson(say("hello")) });
  });

  it("takes over model, price and the tokens we know", () => {
    const usage = { inputTokens: 1, outputTokens: 2, "10": 5, "9": 5 };
    expect(bodyOf({ ...turn, usage, costUsd: 0.5, model: "m" }, { kind: "turn", response: say("x") })).toMatchObject({
      ...{ usage: { inputTokens: 1, outputTokens: 2 }, costUsd: 0.5, model: "m" },
    });
  });

  it("says by null that something was not JSON, and leaves out figures that are not numbers", () => {
    const odd = { ...call, arguments: { n: 1n } as never };
    const result: EventBody = { type: "tool-result", ...named, content: "\ud800", cut: 0 };
    expect(bodyOf(result, { kind: "tool", call: odd, content: "\ud800" })).toMatchObject({
      ...{ argumentsHash: null, resultHash: null },
    });
    const response = ask([odd]);
    const broken = { ...turn, costUsd: NaN, usage: { inputTokens: NaN, outputTokens: 1 } };
    expect(bodyOf(broken, { kind: "turn", response })).toEqual({
      ...{ kind: "turn", responseHash: null, stopReason: "stop", toolCalls: 0 },
    });
    const trap = {
      get message(): never {
        throw new Error("trap");
      },
    } as unknown as LlmTurnResponse;
    expect(bodyOf(turn, { kind: "turn", response: trap })).toMatchObject({ responseHash: null });
    expect(bodyOf(turn)).toMatchObject({ responseHash: null });
  });

  it("hashes what the model wrote if it was not an object", () => {
    const malformed = { ...call, arguments: {}, malformedArguments: "{n:1" };
    const body = bodyOf(
      { type: "tool-failed", ...named, message: "m" },
      { kind: "tool", call: malformed, content: "" },
    );
    expect(body).toMatchObject({ argumentsHash: hashJson("{n:1") });
  });

  it("replaces half a surrogate pair in names, so that they can be signed", () => {
    expect(bodyOf({ type: "tool-rejected", callId: "\ud800", tool: "\udc00" })).toMatchObject({
      ...{ callId: "\ufffd", tool: "\ufffd" },
    });
  });
});

describe("a receipt", () => {
  it("PLK-92 is signed over the DSSE encoding of its type and its RFC 8785 text, as another Ed25519 finds", async () => {
    for (const receipt of await makeChain(3)) {
      const { sig, ...unsigned } = receipt;
      const type = "application/vnd.playhead.receipt.v1+json";
      const payload = canonicalize(unsigned);
      const text = `DSSEv1 40 ${type} ${Buffer.byteLength(payload)} ${payload}`;
      expect(Buffer.from(receiptMessage(unsigned)).toString()).toBe(text);
      const x = Buffer.from(publicKey).toString("base64url");
      const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
      expect(verify(null, Buffer.from(text), key, Buffer.from(sig, "base64"))).toBe(true);
    }
  });

  it("has its keys in the order of RFC 8785 at every level, so that JSON.stringify writes its line", async () => {
    const receipts = await makeChain(4);
    expect(receipts).toHaveLength(5);
    for (const receipt of receipts) expect(JSON.stringify(receipt)).toBe(canonicalize(receipt));
  });

  it("is not the same message as one whose parts are cut elsewhere", async () => {
    const [receipt] = await makeChain(1);
    if (receipt === undefined) throw new Error("none");
    const { sig: _sig, ...unsigned } = receipt;
    const left = receiptMessage({ ...unsigned, agentId: "ab", runId: "c" });
    const right = receiptMessage({ ...unsigned, agentId: "a", runId: "bc" });
    expect(Buffer.from(left).equals(right)).toBe(false);
  });

  it("holds no word of what was said", async () => {
    expect(JSON.stringify(await makeChain(4))).not.toMatch(/turn \d|result \d/);
  });
});
