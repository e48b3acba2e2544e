// Makes the cassette of a mutant: every hash is valid, and one place is wrong.

import { canonicalize, defined, type AssistantMessage, type LlmMessage } from "../../core/index.js";
import { resealCassette, type CassetteV2, type UnsealedTurn } from "../../cassette/index.js";
import { candidates, toMutant } from "./list.js";
import type { Edit, Mutant, MutantOptions } from "./mutant.js";

/** A mutant and its cassette. */
export interface MutatedCassette {
  readonly mutant: Mutant;
  readonly cassette: CassetteV2;
}

/**
 * Makes a mutant's cassette. Undefined if `listMutants` with the same options has no such id. A changed answer also changes in later
 * prompts that repeat it, so a replay continues and the test must notice. A changed prompt changes only in the recording, so a replay
 * misses.
 */
export function mutateCassette(cassette: CassetteV2, options: MutantOptions, id: string): MutatedCassette | undefined {
  for (const candidate of candidates(cassette, options)) {
    const mutant = toMutant(candidate, options.file);
    if (mutant.id === id) return { mutant, cassette: resealCassette(cassette, applyEdit(cassette, candidate.edit())) };
  }
  return undefined;
}

function applyEdit({ entries }: CassetteV2, edit: Edit): UnsealedTurn[] {
  const turns: UnsealedTurn[] = entries.map(({ promptHash, prompt, response }) => ({
    promptHash,
    response,
    ...defined({ prompt }),
  }));
  const turn = turns[edit.turn];
  if (turn === undefined) return turns;
  switch (edit.part) {
    case "last-turn":
      return turns.slice(0, edit.turn);
    case "message":
      return turns.with(
        edit.turn,
        mapMessages(turn, (own, place) => (place === edit.index + (turn.prompt?.keep ?? 0) ? edit.message : own)),
      );
    case "response": {
      const echo = createEcho(turns, edit.turn, edit.response.message);
      return turns.map((other, index) => {
        if (index === edit.turn) return { ...other, response: edit.response };
        return index < edit.turn ? other : mapMessages(other, echo(index));
      });
    }
  }
}

/** `place` is the index in the whole prompt. */
type Change = (message: LlmMessage, place: number) => LlmMessage;

function mapMessages(turn: UnsealedTurn, change: Change): UnsealedTurn {
  if (turn.prompt === undefined) return turn;
  const { keep, messages } = turn.prompt;
  return { ...turn, prompt: { keep, messages: messages.map((message, index) => change(message, keep + index)) } };
}

/**
 * For each later turn, replaces the answer of a turn with the new one. If another turn gave the same answer, only the copy behind the
 * prompt of the turn is replaced.
 */
function createEcho(turns: readonly UnsealedTurn[], at: number, now: AssistantMessage): (later: number) => Change {
  const old = turns[at]?.response.message;
  const text = canonicalize(old);
  if (text === canonicalize(now)) return () => (message) => message;
  const isOnly = turns.filter((turn) => canonicalize(turn.response.message) === text).length === 1;
  const prompts = isOnly ? [] : promptsOf(turns);
  const own = prompts[at] ?? [];
  const isCopy = (message: LlmMessage): boolean => message.role === "assistant" && canonicalize(message) === text;
  return (later) => {
    const follows = isOnly || canonicalize(prompts[later]?.slice(0, own.length)) === canonicalize(own);
    return (message, place) => (follows && (isOnly || place === own.length) && isCopy(message) ? now : message);
  };
}

function promptsOf(turns: readonly UnsealedTurn[]): LlmMessage[][] {
  let messages: LlmMessage[] = [];
  return turns.map(({ prompt }) => (messages = [...messages.slice(0, prompt?.keep ?? 0), ...(prompt?.messages ?? [])]));
}
