// When a receipt is signed changes nothing: a chain that is signed in pauses, at the end of a run or by a key that takes its time is,
// receipt for receipt, the one that is signed on the spot.

import fc from "fast-check";
import { expect, it } from "vitest";
import { copyJson } from "../../src/core/canon/copy.js";
import { hashJson } from "../../src/core/canon/digest.js";
import { canonicalize } from "../../src/core/canon/json.js";
import { keyIdOf, type SigningKey } from "../../src/core/canon/key.js";
import { createSigner } from "../../src/core/canon/signature.js";
import { AgentError, ToolPolicyError } from "../../src/core/errors.js";
import type { AgentEvent, EventDetail } from "../../src/core/events/event.js";
import { createReceiptChain } from "../../src/core/receipts/chain.js";
import { type Receipt } from "../../src/core/receipts/receipt.js";
import { verifyReceipts } from "../../src/core/receipts/verify.js";
import type { LlmProviderAdapter, LlmTurnResponse } from "../../src/core/model/provider.js";
import type { Ports } from "../../src/core/ports.js";
import { createHlc } from "../../src/core/time/hlc.js";
import { agent, runtime } from "../support/agents.js";
import { publicKey, seed } from "../support/receipts.js";
import { ask, quietPorts, say, tool } from "../support/script.js";

const signer = createSigner(seed);
const macrotask = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** How long the key and the listener take, when the timer fires, and which signature fails. */
interface Pace {
  readonly sign: "own" | "at once" | "promises" | "events";
  readonly promises: number;
  readonly listener: "at once" | "promises" | "events";
  readonly timer: "at once" | "never" | "events";
  readonly failsAt: number | undefined;
}

const pace: fc.Arbitrary<Pace> = fc.record({
  sign: fc.constantFrom("own", "at once", "promises", "events"),
  promises: fc.nat(5),
  listener: fc.constantFrom("at once", "promises", "events"),
  timer: fc.constantFrom("at once", "never", "events"),
  failsAt: fc.option(fc.nat(12), { nil: undefined, freq: 3 }),
});

/** A key on which signing happens where the receipt is taken: nothing is left for later. */
const IN_PLACE: Pace = { sign: "own", promises: 0, listener: "at once", timer: "at once", failsAt: undefined };

function wait(how: "at once" | "promises" | "events", promises: number): Promise<void> | undefined {
  if (how === "at once") return undefined;
  return (async () => {
    for (let left = promises; left > 0; left--) await (how === "events" ? macrotask() : undefined);
  })();
}

function keyOf({ sign, promises, failsAt }: Pace): SigningKey {
  if (sign === "own" && failsAt === undefined) return seed;
  let count = 0;
  const give = (message: Uint8Array): Uint8Array => {
    if (count++ === failsAt) throw new Error("down");
    return signer.sign(message);
  };
  return {
    publicKey,
    sign: (message) => wait(sign === "own" ? "at once" : sign, promises)?.then(() => give(message)) ?? give(message),
  };
}

function portsOf({ timer }: Pace): Ports {
  let byte = 0;
  return {
    ...quietPorts(),
    randomBytes: (length) => Uint8Array.from({ length }, () => byte++),
    timer(ms, fire) {
      let isOff = false;
      // Limits are never reached here.
      if (ms === 0 && timer === "at once") fire();
      if (ms === 0 && timer === "events") setImmediate(() => void (isOff || fire()));
      return () => (isOff = true);
    },
  };
}

/** What a key that fails at its n-th signature leaves of a chain. */
function leftBy({ failsAt }: Pace, whole: readonly Receipt[]): readonly Receipt[] {
  return whole.slice(0, failsAt);
}

/** A second writing of the chain, from docs/receipts.md: each receipt is hashed, linked and signed before the next event. */
function createReference(chainId: string) {
  const receipts: Receipt[] = [];
  return {
    receipts,
    write(place: Pick<Receipt, "agentId" | "hlc" | "runId" | "turnIndex">, body: Receipt["body"]): void {
      const parentSig = receipts.at(-1)?.sig ?? null;
      const chained = { chainId, keyId: keyIdOf(publicKey), parentSig, seq: receipts.length, version: 1 as const };
      const unsigned = { ...place, body, ...chained };
      const payload = canonicalize(unsigned);
      const type = "application/vnd.playhead.receipt.v1+json";
      const message = `DSSEv1 ${type.length} ${type} ${Buffer.byteLength(payload)} ${payload}`;
      receipts.push({ ...unsigned, sig: Buffer.from(signer.sign(Buffer.from(message))).toString("base64") });
    },
  };
}

interface Step {
  readonly run: number;
  readonly calls: number;
  readonly text: string;
  readonly isMutated: boolean;
  readonly then: "nothing" | "promise" | "event" | "drain" | "wait for drain";
}

const step: fc.Arbitrary<Step> = fc.record({
  run: fc.nat(3),
  calls: fc.nat(2),
  text: fc.oneof(fc.string({ maxLength: 8 }), fc.constant("\ud800")),
  isMutated: fc.boolean(),
  then: fc.constantFrom("nothing", "nothing", "promise", "event", "drain", "wait for drain"),
});

const hashed = (value: unknown): string | null => {
  try {
    return hashJson(copyJson(value));
  } catch {
    return null;
  }
};

it("PLK-92 PLK-93 a chain is what a second writer makes of the same events on the spot, whoever changes them later", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 24 }), pace, async (steps, how) => {
      const ports = portsOf(how);
      const hlc = createHlc(ports, "00000000");
      const heard: Receipt[] = [];
      const onReceipt = (receipt: Receipt) => {
        heard.push(receipt);
        return wait(how.listener, how.promises);
      };
      const chain = createReceiptChain({ key: keyOf(how), ports, hlc, onReceipt });
      const reference = createReference(chain.chainId);
      for (const [seq, { run, calls, text, isMutated, then }] of steps.entries()) {
        const place = { hlc: hlc.tick(), runId: `${run}`, agentId: `a${run}`, turnIndex: seq };
        const named = Array.from({ length: calls }, (_, index) => ({ name: "t", arguments: { text, index } }));
        const usage = { inputTokens: seq, outputTokens: 1 };
        const response = ask(named, { content: text, usage });
        const turn: AgentEvent = {
          type: "llm-turn",
          stopReason: "toolUse",
          toolCalls: calls,
          usage,
          seq,
          at: 0,
          ...place,
        };
        const body = { stopReason: "toolUse", toolCalls: calls, usage: { ...usage } } as const;
        reference.write(place, { kind: "turn", responseHash: hashed(response), ...body });
        chain.tap(turn, { kind: "turn", response });
        for (const call of response.message.toolCalls ?? []) {
          const about = { callId: call.id, tool: call.name };
          const event: AgentEvent = { type: "tool-result", ...about, content: text, cut: 0, seq, at: 0, ...place };
          const hashes = { argumentsHash: hashed(call.arguments), resultHash: hashed(text) };
          reference.write(place, { kind: "tool", ...about, outcome: "ok", ...hashes });
          const detail: EventDetail = { kind: "tool", call, content: text };
          chain.tap(event, detail);
          if (isMutated) call.arguments["text"] = "other";
        }
        if (isMutated) {
          response.message.content = "other";
          usage.inputTokens = -1;
        }
        if (then === "promise") await Promise.resolve();
        if (then === "event") await macrotask();
        const drained = then.endsWith("drain") ? chain.drain(`${run}`).catch(() => undefined) : undefined;
        if (then === "wait for drain") await drained;
      }
      const isWhole = how.failsAt === undefined || how.failsAt > reference.receipts.length;
      await chain.close().catch(() => undefined);
      if (isWhole) {
        const end = { agentId: "", runId: "", turnIndex: -1, hlc: heard.at(-1)?.hlc ?? "" };
        reference.write(end, { kind: "end", receipts: reference.receipts.length });
      }
      expect(heard).toEqual(leftBy(how, reference.receipts));
      expect(chain.receipts).toEqual(heard);
      const verdict = heard.length === 0 ? { kind: "empty" } : { kind: "ok", complete: isWhole };
      expect(verifyReceipts(heard, publicKey)).toMatchObject(verdict);
    }),
  );
});

const TOOLS = ["ok", "changes", "slow", "throws", "denies", "aborts", "gone"] as const;
type Scene = readonly (readonly (readonly (typeof TOOLS)[number][])[])[];

/** Runs side by side, their turns, and the tools each turn asks for. */
const scene: fc.Arbitrary<Scene> = fc.array(
  fc.array(fc.array(fc.constantFrom(...TOOLS, "ok", "slow"), { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
  { minLength: 1, maxLength: 3 },
);

/** Changes what it answered before as soon as it is asked again. */
function model(turns: Scene[number]): LlmProviderAdapter {
  let turn = 0;
  let last: LlmTurnResponse | undefined;
  return {
    name: "changing",
    async turn() {
      if (last !== undefined) last.message.content = "other";
      const names = turns[turn++];
      const calls = names?.map((name, index) => ({ name, arguments: { turn, index } }));
      last = calls === undefined ? say("done") : ask(calls, { usage: { inputTokens: turn, outputTokens: 1 } });
      return last;
    },
  };
}

const tools = (controller: AbortController) => [
  tool("ok", () => 1),
  tool("changes", (args) => (Object.assign(args, { turn: "other" }), 1)),
  tool("slow", async () => {
    for (let left = 5; left > 0; left--) await Promise.resolve();
    return "late";
  }),
  tool("throws", () => {
    throw new Error("no");
  }),
  tool("denies", () => {
    throw new ToolPolicyError("never");
  }),
  tool("aborts", () => controller.abort()),
];

interface Played {
  readonly heard: readonly Receipt[];
  /** For each run how it ended, and how many of its receipts had been delivered by then. */
  readonly ends: readonly { readonly end: string; readonly delivered: number }[];
}

async function play(runs: Scene, how: Pace): Promise<Played> {
  const heard: Receipt[] = [];
  const controllers = runs.map(() => new AbortController());
  const ids = runs.map((_, index) => `a${index}`);
  const agents = runs.map((turns, index) =>
    agent(model(turns), { id: `a${index}`, customTools: tools(controllers[index] as AbortController) }),
  );
  const signed = runtime(agents, {
    ports: portsOf(how),
    signingKey: keyOf(how),
    onReceipt(receipt) {
      heard.push(receipt);
      return wait(how.listener, how.promises);
    },
  });
  const ends = ids.map(async (id, index) => {
    const { signal } = controllers[index] as AbortController;
    const run = signed.run({ goal: "go", plan: { entry: id, edges: [], exits: [id] }, signal });
    const end = await run.then(
      () => "finished",
      (error: unknown) => (error instanceof AgentError ? error.code : "unknown"),
    );
    return { end, delivered: heard.filter(({ agentId }) => agentId === id).length };
  });
  const settled = await Promise.all(ends);
  await signed.destroy().catch(() => undefined);
  expect(signed.receipts).toEqual(heard);
  return { heard, ends: settled };
}

it("PLK-93 PLK-97 runs leave the receipts that signing on the spot leaves, delivered before they settle", async () => {
  await fc.assert(
    fc.asyncProperty(scene, pace, async (runs, how) => {
      const expected = await play(runs, IN_PLACE);
      const played = await play(runs, how);
      expect(played.heard).toEqual(leftBy(how, expected.heard));
      expect(verifyReceipts(expected.heard, publicKey)).toMatchObject({ kind: "ok", complete: true });
      for (const [index, { end, delivered }] of expected.ends.entries()) {
        const mine = expected.heard.filter(({ agentId }) => agentId === `a${index}`);
        const isWritten = how.failsAt === undefined || mine.every(({ seq }) => seq < (how.failsAt as number));
        const run = played.ends[index];
        expect(run?.end).toBe(end === "finished" && !isWritten ? "receipt-failed" : end);
        // Nobody who has aborted waits for a key.
        if (isWritten && end !== "aborted") expect(run?.delivered).toBe(delivered);
      }
    }),
  );
});
