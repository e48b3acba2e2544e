// Which turns of a recording does a chain of receipts cover? A receipt covers one turn: of the same agent, with the same prompt and
// the same answer, later in its run than the receipt of the turn before.

import type { Cassette } from "../../cassette/index.js";
import { defined, hashJson, type LlmTurnResponse, type Receipt, type ReceiptBody } from "../../core/index.js";

/** The turns of one agent as they were recorded. */
export interface RecordedTurns {
  /** Absent where the recording names no agent: then receipts of any agent may cover it. */
  agentId?: string;
  promptHashes: readonly string[];
  responses: readonly LlmTurnResponse[];
}

/** The turns of a cassette. `agentId`, where the cassette is listed in a bundle, is the one that the bundle names. */
export function recordedTurns({ entries, agentId: own }: Cassette, agentId = own): RecordedTurns {
  return {
    ...defined({ agentId }),
    promptHashes: entries.map(({ promptHash }) => promptHash),
    responses: entries.map(({ response }) => response),
  };
}

/** Where a receipt belongs. */
export interface ReceiptPlace {
  runId: string;
  agentId: string;
  turnIndex: number;
}

export interface Coverage {
  turns: number;
  /** Turn indexes without a receipt; in a bundle, counted on from agent to agent. */
  uncovered: number[];
  /** Turn indexes whose receipt, by an earlier version, holds no prompt hash: the answer is covered, the prompt is not. */
  promptUncovered: number[];
  /** Receipts of turns that belong to the recorded runs and are not in the recording. */
  unrecorded: ReceiptPlace[];
}

interface TurnReceipt extends ReceiptPlace {
  /** The chain, the run and the agent. */
  group: string;
  body: Extract<ReceiptBody, { kind: "turn" }>;
}

/** What the receipts of `chains` cover. A receipt that several chains hold counts once. */
export function coverTurns(recordings: readonly RecordedTurns[], chains: readonly (readonly Receipt[])[]): Coverage {
  const receipts = turnReceipts(chains);
  const byTurn = byPromptAndAnswer(receipts);
  /** The last turn of each group that was covered. */
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

/** The last of a list comes first in its chain, so that it is taken from the end. */
function byPromptAndAnswer(receipts: readonly TurnReceipt[]): Map<string, TurnReceipt[]> {
  const byTurn = new Map<string, TurnReceipt[]>();
  for (const receipt of receipts.toReversed()) {
    const { responseHash, promptHash } = receipt.body;
    if (responseHash === null) continue;
    const key = keyOf(responseHash, promptHash);
    const list = byTurn.get(key);
    if (list === undefined) byTurn.set(key, [receipt]);
    else list.push(receipt);
  }
  return byTurn;
}

/** `promptHash` is undefined in receipts of earlier versions, and null where the prompt was not JSON, which covers nothing. */
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
