// Cassettes of the baseline with some turns of the candidate. They are only for comparison, and marked with `extensions.shrunk`.

import { rebuildPrompts, resealCassette, type CassetteV2, type TurnPair } from "../../cassette/index.js";
import { hashJson, type LlmMessage, type LlmTurnResponse } from "../../core/index.js";

/** A turn and the messages between it and the next one: tool results, or user messages. */
interface SourceTurn {
  response: LlmTurnResponse;
  promptHash: string;
  after: readonly LlmMessage[];
}

export interface Sources {
  base: CassetteV2;
  candidate: CassetteV2;
  rows: readonly TurnPair[];
  old: readonly SourceTurn[];
  now: readonly SourceTurn[];
  /** The first prompt of the baseline. Undefined if a side has no prompts. */
  start: readonly LlmMessage[] | undefined;
}

export function readSources(base: CassetteV2, candidate: CassetteV2, rows: readonly TurnPair[]): Sources {
  const [before, after] = [rebuildPrompts(base), rebuildPrompts(candidate)];
  const hasPrompts = before !== undefined && after !== undefined;
  return {
    base,
    candidate,
    rows,
    old: turnsOf(base, before),
    now: turnsOf(candidate, after),
    start: hasPrompts ? (before[0] ?? []) : undefined,
  };
}

function turnsOf(cassette: CassetteV2, prompts: readonly LlmMessage[][] | undefined): SourceTurn[] {
  return cassette.entries.map(({ response, promptHash }, index) => {
    const length = (prompts?.[index]?.length ?? 0) + 1;
    return { response, promptHash, after: prompts?.[index + 1]?.slice(length) ?? [] };
  });
}

/** The first `rows` rows as two cassettes: the baseline as recorded, and with the chosen rows of the candidate. */
export function buildPair(
  sources: Sources,
  rows: number,
  chosen: ReadonlySet<number>,
): { base: CassetteV2; candidate: CassetteV2 } {
  const shown = sources.rows.slice(0, rows);
  const turn = (list: readonly SourceTurn[], index: number | undefined): SourceTurn[] => {
    const found = index === undefined ? undefined : list[index];
    return found === undefined ? [] : [found];
  };
  const old = shown.flatMap((row) => turn(sources.old, row.old));
  const mixed = shown.flatMap((row, index) =>
    chosen.has(index) ? turn(sources.now, row.new) : turn(sources.old, row.old),
  );
  return { base: toCassette(sources, old), candidate: toCassette(sources, mixed) };
}

function toCassette({ base, candidate, start }: Sources, turns: readonly SourceTurn[]): CassetteV2 {
  const { extensions: _extensions, ...head } = base;
  const of = { base: base.envelopeHash, candidate: candidate.envelopeHash };
  const cassetteId = hashJson({ of, turns: turns.map(({ response }) => response) }).slice(0, 32);
  const extensions = { prompts: start !== undefined, shrunk: of };
  let keep = 0;
  let messages = [...(start ?? [])];
  return resealCassette(
    { ...head, cassetteId, extensions },
    turns.map(({ response, promptHash, after }) => {
      if (start === undefined) return { promptHash, response };
      const prompt = { keep, messages };
      keep += messages.length;
      messages = [response.message, ...after];
      return { promptHash, prompt, response };
    }),
  );
}
