// Finds the turns of a recording that a chain of receipts covers. A receipt covers one turn of the same agent, with the same prompt and
// answer, later in its run than the receipt of the turn before.

import type { Cassette } from "../../cassette/index.js";
import { defined, hashJson, type LlmTurnResponse, type Receipt, type ReceiptBody } from "../../core/index.js";

/** The recorded turns of one agent. */
export interface RecordedTurns {
  /** If absent, receipts of any agent may cover the turns. */
  agentId?: string;
  promptHashes: readonly string[];
  responses: readonly LlmTurnResponse[];
}

/** The turns of a cassette. A bundle names the `agentId` of its cassettes. */
export function recordedTurns({ entries, agentId: own }: Cassette, agentId = own): RecordedTurns {
  return {
    ...defined({ agentId }),
    promptHashes: entries.map(({ promptHash }) => promptHash),
    responses: entries.map(({ response }) => response),
  };
}

interface ReceiptPlace {
  runId: string;
  agentId: string;
  turnIndex: number;
}

export interface Coverage {
  turns: number;
  /** Turn indexes without a receipt. In a bundle the indexes continue from agent to agent. */
  uncovered: number[];
  /** Turn indexes whose receipt, of an earlier version, has no prompt hash. It covers the answer and not the prompt. */
  promptUncovered: number[];
  /** Receipts for turns of the recorded runs that the recording does not have. */
  unrecorded: ReceiptPlace[];
}

interface TurnReceipt extends ReceiptPlace {
  /** The chain, the run and the agent. */
  group: string;
  body: Extract<ReceiptBody, { kind: "turn" }>;
}

/** A receipt in several chains counts once. */
export function coverTurns(recordings: readonly RecordedTurns[], chains: readonly (readonly Receipt[])[]): Coverage {
  const receipts = turnReceipts(chains);
  const byTurn = byPromptAndAnswer(receipts);
  /** The last covered turn of each group. */
  const reached = new Map<string, number>();
  const isAhead = ({ group, turnIndex }: TurnReceipt): boolean => turnIndex > (reached.get(group) ?? -1);
  const take = (key: string, agentId: string | undefined): TurnReceipt | undefined => {
    const list = byTurn.get(key) ?? [];
    while (list.length > 0 && !isAhead(list.at(-1) as TurnReceipt)) list.pop();
    return list.findLast((receipt) => isAhead(receipt) && (agentId === undefined || agentId === receipt.agentId));
  };
  const result: Coverage = { turns: 0, uncovered: [], promptUncovered: [], unrecorded: [] };
  const covered = new Set<TurnReceipt>();
  for (const { agentId, promptHashes, responses } of recordings) {
    for (const [index, response] of responses.entries()) {
      const turn = result.turns++;
      const answer = hashJson(response);
      const receipt = take(keyOf(answer, promptHashes[index]), agentId) ?? take(keyOf(answer, undefined), agentId);
      if (receipt === undefined) {
        result.uncovered.push(turn);
        continue;
      }
      covered.add(receipt);
      reached.set(receipt.group, receipt.turnIndex);
      if (receipt.body.promptHash === undefined) result.promptUncovered.push(turn);
    }
  }
  for (const receipt of receipts) {
    if (covered.has(receipt) || !reached.has(receipt.group)) continue;
    const { runId, agentId, turnIndex } = receipt;
    result.unrecorded.push({ runId, agentId, turnIndex });
  }
  return result;
}

/** Lists are in reverse order, so that `pop` takes the first of the chain. */
function byPromptAndAnswer(receipts: readonly TurnReceipt[]): Map<string, TurnReceipt[]> {
  const byTurn = new Map<string, TurnReceipt[]>();
  for (const receipt of receipts.toReversed()) {
    const { responseHash, promptHash } = receipt.body;
    if (responseHash === null) continue;
    const key = keyOf(responseHash, promptHash);
    const list = byTurn.get(key) ?? [];
    list.push(receipt);
    byTurn.set(key, list);
  }
  return byTurn;
}

/** `promptHash` is undefined in receipts of earlier versions, and null for a prompt that was not JSON, which covers nothing. */
function keyOf(responseHash: string, promptHash: string | null | undefined): string {
  return JSON.stringify([responseHash, promptHash ?? (promptHash === null ? null : "")]);
}

function turnReceipts(chains: readonly (readonly Receipt[])[]): TurnReceipt[] {
  const receipts = new Map(chains.flat().map((receipt) => [receipt.sig, receipt]));
  return [...receipts.values()].flatMap(({ body, chainId, runId, agentId, turnIndex }) => {
    if (body.kind !== "turn") return [];
    return [{ group: JSON.stringify([chainId, runId, agentId]), runId, agentId, turnIndex, body }];
  });
}
