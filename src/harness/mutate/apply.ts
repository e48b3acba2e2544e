// A mutant as a cassette: valid in every hash, and wrong in one place.

import { canonicalize, defined, type AssistantMessage, type LlmMessage } from "../../core/index.js";
import { resealCassette, type CassetteV2, type UnsealedTurn } from "../../cassette/index.js";
import { candidates, toMutant } from "./list.js";
import type { Edit, Mutant, MutantOptions } from "./mutant.js";

/** A mutant and the cassette that has it. */
export interface MutatedCassette {
  readonly mutant: Mutant;
  readonly cassette: CassetteV2;
}

/**
 * The cassette that one mutant makes of `cassette`; undefined where `listMutants` with the same options has no such id.
 * A changed answer is also changed in the later prompts that repeat it, as if the model had said it: then a replay goes on, and
 * what the run does with it is left to the test. A changed prompt is changed in the recording alone, so that a replay misses.
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
    case "message": {
      const { keep, messages } = turn.prompt ?? { keep: 0, messages: [] };
      return turns.with(edit.turn, { ...turn, prompt: { keep, messages: messages.with(edit.index, edit.message) } });
    }
    case "response": {
      const echo = createEcho(turn.response.message, edit.response.message);
      return turns.map((other, index) => {
        if (index === edit.turn) return { ...other, response: edit.response };
        return index < edit.turn ? other : repeat(other, echo);
      });
    }
  }
}

function repeat(turn: UnsealedTurn, echo: (message: LlmMessage) => LlmMessage): UnsealedTurn {
  if (turn.prompt === undefined) return turn;
  const { keep, messages } = turn.prompt;
  return { ...turn, prompt: { keep, messages: messages.map(echo) } };
}

/** Gives the new message for the old one, and every other message back. */
function createEcho(old: AssistantMessage, now: AssistantMessage): (message: LlmMessage) => LlmMessage {
  const text = canonicalize(old);
  if (text === canonicalize(now)) return (message) => message;
  return (message) => (message.role === "assistant" && canonicalize(message) === text ? now : message);
}
