// Chains of receipts without a runtime, and the keys they are signed with.

import { canonicalize } from "../../src/core/canon/json.js";
import { createSigner } from "../../src/core/canon/signature.js";
import { createEventLog } from "../../src/core/events/log.js";
import { createReceiptChain, type ReceiptChainOptions } from "../../src/core/receipts/chain.js";
import type { Receipt } from "../../src/core/receipts/receipt.js";
import { createHlc } from "../../src/core/time/hlc.js";
import { ask, quietPorts, say } from "./script.js";

/** A fixed seed, its public key, and those of somebody else. */
export const seed = new Uint8Array(32).fill(7);
export const publicKey = createSigner(seed).publicKey;
export const otherSeed = new Uint8Array(32).fill(9);

/** A chain with a log whose events it signs. `turn` and `call` append one event each. */
export function openChain(options: Partial<ReceiptChainOptions> = {}, runId = "ab".repeat(16)) {
  const ports = { ...quietPorts(), ...options.ports };
  const hlc = createHlc(ports);
  const chain = createReceiptChain({ key: seed, hlc, ...options, ports });
  const log = createEventLog({ ...quietPorts(), ...ports }, { runId, hlc, tap: chain.tap });
  let turnIndex = -1;
  return {
    chain,
    ports,
    turn(text = "hello"): void {
      turnIndex += 1;
      const response = say(text);
      log.append("ann", turnIndex, { type: "llm-turn", stopReason: "stop", toolCalls: 0 }, { kind: "turn", response });
    },
    call(content = "1"): void {
      const [call] = ask([{ name: "t", arguments: { n: turnIndex } }]).message.toolCalls ?? [];
      if (call === undefined) throw new Error("no call");
      const body = { type: "tool-result", callId: call.id, tool: call.name, content, cut: 0 } as const;
      log.append("ann", turnIndex, body, { kind: "tool", call, content });
    },
  };
}

/** `length` receipts, alternating turns and tool calls, then the end unless `end` is false. */
export async function makeChain(
  length: number,
  { end = true, ...options }: { end?: boolean } & Partial<ReceiptChainOptions> = {},
): Promise<readonly Receipt[]> {
  const { chain, turn, call } = openChain(options);
  for (let index = 0; index < length; index++) {
    if (index % 2 === 0) turn(`turn ${index}`);
    else call(`result ${index}`);
  }
  await (end ? chain.close() : chain.drain("ab".repeat(16)));
  return chain.receipts;
}

/** A receipt as its line in a file. */
export function lineOf(receipt: Receipt): string {
  return canonicalize(receipt);
}

/** A file of receipts. */
export function fileOf(receipts: readonly Receipt[]): string {
  return receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join("");
}
