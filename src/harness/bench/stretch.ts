// A longer cassette for benchmarks: the turns with tool calls are repeated with new call ids, and every hash is computed again. No model
// gave these answers, so `extensions.stretched` names the recording, and the recording's signature is left out.

import { CassetteError, resealCassette, type CassetteV2, type UnsealedTurn } from "../../cassette/index.js";
import { defined, sha256Hex, type JsonValue } from "../../core/index.js";
import { MAX_STRETCHED_TURNS } from "../limits.js";

/** The value of `extensions.stretched`: the recording that was made longer. */
export interface StretchedFrom {
  cassetteId: string;
  envelopeHash: string;
  turns: number;
}

interface WholeTurn extends UnsealedTurn {
  prompt: NonNullable<UnsealedTurn["prompt"]>;
}

/**
 * The cassette with `turns` turns. The same cassette and length give the same bytes. Replay compares no tools or settings and streams every
 * answer in one piece, because the copies had none. Throws `CassetteError` `invalid-options` for a cassette that cannot be made longer.
 */
export function stretchCassette(cassette: CassetteV2, turns: number): CassetteV2 {
  const { entries, cassetteId, envelopeHash, extensions = {} } = cassette;
  if (!Number.isInteger(turns) || turns < entries.length || turns > MAX_STRETCHED_TURNS) {
    const hint = `Give a whole number from ${entries.length}, the turns that it has, to ${MAX_STRETCHED_TURNS}.`;
    throw new CassetteError("invalid-options", `cannot stretch the cassette to ${String(turns)} turns`, { hint });
  }
  const whole = entries.filter((entry): entry is WholeTurn & typeof entry => entry.prompt !== undefined);
  if (entries.length === 0) throw unfit("it has no turns", "Record a run of an agent.");
  if (whole.length < entries.length) throw unfit("it keeps no prompts", "Record it with prompts.");
  const { from, to } = repeatable(whole);
  const stretched: StretchedFrom = { cassetteId, envelopeHash, turns: entries.length };
  const { createdWith, prompts, filtered, filters, filterPatterns, redacted, exchanges } = extensions;
  const kept = defined({ createdWith, prompts, filtered, filters, filterPatterns, redacted, exchanges });
  const head = {
    ...cassette,
    cassetteId: sha256Hex(`stretched ${envelopeHash} ${turns}`).slice(0, 32),
    extensions: { ...kept, stretched: { ...stretched } },
  };
  return resealCassette(head, longer(whole, { from, to, turns }));
}

/** The first turns in a row that call tools and whose conversation goes on in the next turn. */
function repeatable(entries: readonly WholeTurn[]): { from: number; to: number } {
  let length = 0;
  const goesOn = entries.map(({ prompt, response }, at) => {
    length = prompt.keep + prompt.messages.length;
    return (response.message.toolCalls ?? []).length > 0 && entries[at + 1]?.prompt.keep === length;
  });
  const from = goesOn.indexOf(true);
  if (from < 0) throw unfit("no turn calls a tool whose result the next turn sends", "Record a run that uses tools.");
  const end = goesOn.indexOf(false, from);
  const to = end < 0 ? entries.length - 1 : end;
  const { keep, messages } = (entries[to] as WholeTurn).prompt;
  const before = keep + messages.length;
  if (entries.slice(to + 1).some(({ prompt }) => prompt.keep < before)) {
    throw unfit(
      `a turn after turn ${to} shortens the conversation`,
      "Stretch a recording whose conversation only grows.",
    );
  }
  return { from, to };
}

interface Repeat {
  from: number;
  to: number;
  turns: number;
}

/** Puts the repeated turns before turn `to`. */
function longer(entries: readonly WholeTurn[], { from, to, turns }: Repeat): UnsealedTurn[] {
  const result: UnsealedTurn[] = entries.slice(0, to);
  const ids = idsOf(entries);
  const after = entries[to] as WholeTurn;
  // The next prompt: the one before, and the messages that follow its answer.
  let { keep, messages } = after.prompt;
  for (let index = 0; index < turns - entries.length; index++) {
    const rename = renamed(ids, Math.floor(index / (to - from)) + 2);
    const source = from + (index % (to - from));
    result.push({
      promptHash: "",
      prompt: { keep, messages },
      response: rename((entries[source] as WholeTurn).response),
    });
    keep += messages.length;
    messages = rename((entries[source + 1] as WholeTurn).prompt.messages);
  }
  const grown = keep + messages.length - after.prompt.keep - after.prompt.messages.length;
  result.push({ ...after, prompt: { keep, messages } });
  for (const entry of entries.slice(to + 1)) {
    result.push({ ...entry, prompt: { ...entry.prompt, keep: entry.prompt.keep + grown } });
  }
  return result;
}

function idsOf(entries: readonly WholeTurn[]): Set<string> {
  return new Set(entries.flatMap(({ response }) => (response.message.toolCalls ?? []).map(({ id }) => id)));
}

/** Replaces every text that is a call id with a new id for this round. */
function renamed(ids: ReadonlySet<string>, round: number): <Value>(value: Value) => Value {
  const rename = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return ids.has(value) ? freshId(value, round, ids) : value;
    if (Array.isArray(value)) return value.map(rename);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, rename(each)]));
  };
  return (value) => rename(value as JsonValue) as typeof value;
}

/** Returns an id that equals no recorded id and no other new one. */
function freshId(id: string, round: number, ids: ReadonlySet<string>): string {
  let fresh = `${id}_${round}`;
  while (ids.has(fresh)) fresh += "_";
  return fresh;
}

function unfit(why: string, hint: string): CassetteError {
  return new CassetteError("invalid-options", `cannot stretch the cassette: ${why}`, { hint });
}
