// Many cassettes behind one server: a request goes to the first with an unused turn for it; the nearest explains a miss.

import type { LlmTurnResponse, Wire, WireRequest } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { PlainRequest } from "../exchange/http.js";
import { explainExchangeMiss } from "../exchange/miss.js";
import { takeExchange, type TakenExchange } from "../exchange/taken.js";
import type { Cassette } from "../file/format.js";
import { isNearer } from "./alike.js";
import type { StreamPlan } from "../stream/texts.js";
import type { UncomparedFields } from "../offer/wire-fields.js";
import { toAsked, type Asked, type Nearness } from "./asked.js";
import { createPromptIndex, type Reading } from "./prompt-index.js";
import { serveCassette, type Served, type ServeOptions } from "./served-cassette.js";

/** A cassette on the shelf, and the names by which a client may pin it. */
export interface ShelfItem {
  file: string;
  cassette: unknown;
  names: readonly string[];
}

export interface ShelfAnswer {
  file: string;
  cassette: Cassette;
  turnIndex: number;
  response: LlmTurnResponse;
  /** How the answer arrived, if that was recorded. */
  readonly planOf: () => StreamPlan | undefined;
}

export interface ShelfCount {
  file: string;
  turns: number;
  used: number;
  /** Present if the cassette holds exchanges. */
  exchanges?: { total: number; used: number };
  /** Present if turns were answered without comparing all fields of their requests. */
  uncompared?: UncomparedFields;
}

export interface Shelf {
  /** Throws `CassetteError` with a miss, or `file-not-found` if no cassette has the name `pin`. */
  answer(wire: Wire, request: WireRequest, pin?: string): Promise<ShelfAnswer>;
  /**
   * The first unused exchange for this request, which counts as used from then on, or undefined. Ask this before `answer`, since a
   * refused turn is an exchange. Throws `file-not-found` like `answer`.
   */
  exchange(request: PlainRequest, pin?: string): TakenExchange | undefined;
  /** Explains why `exchange` found nothing: `exchange-missing`, `exchange-changed` or `exhausted`. */
  exchangeMiss(request: PlainRequest, pin?: string): CassetteError;
  counts(): ShelfCount[];
}

/** Checks every cassette as if it came from a file. Throws `CassetteError`. */
export function createShelf(items: readonly ShelfItem[], options: ServeOptions = {}): Shelf {
  const all = items.map(({ file, cassette, names }) => serveCassette(cassette, file, names, options));
  const withPrompt = createPromptIndex(all);
  return {
    async answer(wire, request, pin) {
      const among = pinned(all, pin);
      const asked = toAsked(wire, request);
      const exact = pin === undefined ? withPrompt(asked) : among.map((served) => toReading(served, asked));
      const [served, near] = choose(among, exact, asked);
      const response = await served.play(asked, near);
      const { file, cassette } = served;
      const turnIndex = near?.turnIndex ?? 0;
      return { file, cassette, turnIndex, response, planOf: () => served.planOf(turnIndex) };
    },
    exchange: (request, pin) => takeExchange(pinned(all, pin), request),
    exchangeMiss: (request, pin) => explainExchangeMiss(pinned(all, pin), request),
    counts: () => all.map(countOf),
  };
}

function countOf({ file, cassette, exchanges, remaining, uncompared }: Served): ShelfCount {
  const turns = cassette.entries.length;
  const total = exchanges.exchanges.length;
  return {
    file,
    turns,
    used: turns - remaining,
    ...(total === 0 ? {} : { exchanges: { total, used: exchanges.usedCount() } }),
    ...(uncompared.turns === 0 ? {} : { uncompared }),
  };
}

/** The cassettes of a name, which is not a path; all of them without one. */
function pinned(all: readonly Served[], pin: string | undefined): readonly Served[] {
  if (pin === undefined) return all;
  const among = all.filter((served) => served.names.has(pin));
  if (among.length > 0) return among;
  throw new CassetteError("file-not-found", `no cassette that is served has the name ${JSON.stringify(pin)}`, {
    hint: "Pin one by its file name or its task.",
  });
}

function toReading(served: Served, asked: Asked): Reading {
  return { served, asked: served.read(asked) };
}

type Choice = [served: Served, near: Nearness | undefined];

/**
 * Prefers exact turns to similar ones, and the same tools and settings to others. Falls back to the nearest turn. `readings` has every
 * cassette of `all` with exactly this prompt.
 */
function choose(all: readonly Served[], readings: readonly Reading[], asked: Asked): Choice {
  let exact: Choice | undefined;
  for (const { served, asked } of readings) {
    const near = served.findExact(asked);
    if (near?.isContext === true) return [served, near];
    if (near !== undefined) exact ??= [served, near];
  }
  const alike = all.map((served): Choice => [served, served.findAlike(asked)]);
  const isContext = ([, near]: Choice) => near?.isContext === true;
  const isPrompt = ([, near]: Choice) => near !== undefined;
  return alike.find(isContext) ?? exact ?? alike.find(isPrompt) ?? nearest(all, asked);
}

function nearest(all: readonly Served[], asked: Asked): Choice {
  const choice = all
    .map((served): Choice => [served, served.nearest(asked)])
    .reduce<Choice | undefined>((best, next) => (isBetter(next, best) ? next : best), undefined);
  if (choice !== undefined) return choice;
  throw new CassetteError("nothing-recorded", "no cassette is served", { hint: "Serve at least one." });
}

/** The whole prompt before any other, and a cassette without turns last. The first wins a tie. */
function isBetter([, near]: Choice, best: Choice | undefined): boolean {
  if (best === undefined) return true;
  const [, other] = best;
  if (near === undefined || other === undefined) return other === undefined && near !== undefined;
  return near.isPrompt === other.isPrompt ? isNearer(near, other) : near.isPrompt;
}
