// An exchange miss, explained: the recorded exchange that came nearest, and the first place where the request differs from it.

import { canonicalize, defined, type JsonValue, type LlmMessage } from "../../core/index.js";
import { CassetteError, type MissErrorCode } from "../errors.js";
import type { Cassette, RecordedExchange } from "../file/format.js";
import { firstDifference, likenessOf } from "../prompt/json-difference.js";
import { findVolatileChange } from "../prompt/volatile-difference.js";
import { cutAround, differenceLines } from "../replay/excerpt.js";
import { CHOICES } from "../replay/miss.js";
import { nameOf } from "./describe.js";
import type { PlainRequest } from "./http.js";
import { mapTexts, urlOf, type ExchangeRequest } from "./read.js";
import type { PlayedExchanges } from "./taken.js";

const SHOWN_NAMES = 3;

interface Candidate {
  readonly file: string;
  readonly cassette: Cassette;
  readonly index: number;
  readonly isUsed: boolean;
  readonly recorded: ExchangeRequest;
  readonly now: ExchangeRequest;
}

/** Explains why no unused exchange answers a request: a miss, or `not-recordable`. `pointer` leads into the exchange. */
export function explainExchangeMiss(played: readonly PlayedExchanges[], given: PlainRequest): CassetteError {
  try {
    return explain(played, given);
  } catch (error) {
    if (error instanceof CassetteError) return error;
    throw error;
  }
}

function explain(played: readonly PlayedExchanges[], given: PlainRequest): CassetteError {
  const all = played.flatMap(({ file, cassette, exchanges }) => {
    const now = exchanges.read(given);
    return exchanges.exchanges.map((exchange, index): Candidate => {
      return { file, cassette, index, isUsed: exchanges.used[index] === true, recorded: requestOf(exchange), now };
    });
  });
  const here = all.filter(({ recorded, now }) => recorded.method === now.method && recorded.path === now.path);
  const [first, ...others] = here;
  if (first === undefined) return missing(all, given);
  const known = played.find(({ exchanges }) => exchanges.knows(exchanges.read(given)));
  if (known !== undefined) return exhausted(known, given);
  return changed(others.reduce((best, next) => (isNearer(next, best) ? next : best), first));
}

function missing(all: readonly Candidate[], given: PlainRequest): CassetteError {
  const names = [...new Set(all.map(({ recorded }) => nameOf(recorded)))];
  const more = names.length - SHOWN_NAMES;
  const listed = names.slice(0, SHOWN_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
  const name = nameOf({ method: given.method.toUpperCase(), path: urlOf(given).pathname });
  const recorded = names.length === 0 ? "no exchange was recorded" : `recorded: ${listed}`;
  return miss("exchange-missing", `no recorded exchange answers ${name}; ${recorded}`, { hint: CHOICES });
}

function exhausted({ file, exchanges }: PlayedExchanges, given: PlainRequest): CassetteError {
  const request = exchanges.read(given);
  const times = exchanges.exchanges.filter((exchange) => isSame(requestOf(exchange), request)).length;
  const often = times < 2 ? "once" : `${times} times`;
  const what = `${nameOf(request)} was recorded ${often} with this body, and the run sends it again`;
  const hint = "An exchange answers once. If the change was not intended, undo it. Otherwise record it again.";
  return miss("exhausted", what, { hint, file });
}

function changed({ file, cassette, index, isUsed, recorded, now }: Candidate): CassetteError {
  const difference = firstDifference(toJson(recorded), toJson(now));
  const [before, after] = cutAround(difference?.old, difference?.new);
  const pointer = difference?.pointer ?? "";
  const volatile = findVolatile(cassette, recorded, now);
  const part = pointer.startsWith("/query") ? "query" : "body";
  const change = `${nameOf(now)} was recorded with another ${part}`;
  const lines = [
    volatile === undefined ? change : `${change}; ${volatile.what}`,
    ...differenceLines({ pointer, ...defined({ recorded: before, actual: after }) }),
    `  nearest  recorded exchange ${index}${isUsed ? ", which was already used" : ""}`,
  ];
  const { hint = CHOICES, filters } = volatile ?? {};
  return miss("exchange-changed", lines.join("\n"), { hint, file, pointer, ...defined({ filters }) });
}

/** The field before a number of JSON, which `mapTexts` shows with it. */
const fieldOf = (text: string): string => /^"(?:[^"\\]|\\.)*":(?=-?[0-9])/.exec(text)?.[0] ?? "";

/** The filters that would make two requests the same. Undefined if they differ in more than the texts that filters see. */
function findVolatile(cassette: Cassette, recorded: ExchangeRequest, now: ExchangeRequest) {
  const [before, after] = [recorded, now].map((request) => {
    const texts: LlmMessage[] = [];
    const take = (text: string) => `${fieldOf(text)}#${texts.push({ role: "user", content: text })}`;
    const rest = mapTexts(request, take);
    return { texts, rest: canonicalize(rest) };
  });
  if (before === undefined || after === undefined || before.rest !== after.rest) return undefined;
  return findVolatileChange(cassette, before.texts, after.texts);
}

function miss(
  code: MissErrorCode,
  summary: string,
  options: { hint: string; file?: string; pointer?: string; filters?: readonly string[] },
): CassetteError {
  return new CassetteError(code, summary, options);
}

/** An unused one before a used one, then by likeness. The first wins a tie. */
function isNearer(one: Candidate, other: Candidate): boolean {
  if (one.isUsed !== other.isUsed) return other.isUsed;
  return likenessOf(one.recorded, one.now) > likenessOf(other.recorded, other.now);
}

function isSame(one: ExchangeRequest, other: ExchangeRequest): boolean {
  return canonicalize(one) === canonicalize(other);
}

function requestOf({ method, path, query, request }: RecordedExchange): ExchangeRequest {
  return { method, path, ...defined({ query, request }) };
}

/** Plain JSON by construction. */
function toJson(value: ExchangeRequest): JsonValue {
  return value as unknown as JsonValue;
}
