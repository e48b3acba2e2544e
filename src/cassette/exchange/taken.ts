// The first unused exchange for a request, among those of several cassettes.

import { plural } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { Cassette } from "../file/format.js";
import { nameOf } from "./describe.js";
import type { PlainAnswer, PlainRequest } from "./http.js";
import { toAnswer, type ExchangePlayer } from "./player.js";

/** The exchanges of one cassette that answer requests. */
export interface PlayedExchanges {
  readonly file: string;
  readonly cassette: Cassette;
  readonly exchanges: ExchangePlayer;
}

/** The answer of a recorded exchange. `index` counts the exchanges of its cassette from 0. */
export interface TakenExchange {
  readonly file: string;
  readonly cassette: Cassette;
  readonly index: number;
  readonly answer: PlainAnswer;
}

/** Uses the first unused exchange for this request. Undefined without one, or if the body is beyond the limit of exchanges. */
export function takeExchange(played: readonly PlayedExchanges[], request: PlainRequest): TakenExchange | undefined {
  for (const { file, cassette, exchanges } of played) {
    if (exchanges.exchanges.length === 0) continue;
    const index = takeIndex(exchanges, request);
    const exchange = exchanges.exchanges[index ?? -1];
    if (index !== undefined && exchange !== undefined) return { file, cassette, index, answer: toAnswer(exchange) };
  }
  return undefined;
}

/** A body beyond the limit of exchanges may still be that of a turn. */
function takeIndex(exchanges: ExchangePlayer, request: PlainRequest): number | undefined {
  try {
    return exchanges.take(exchanges.read(request));
  } catch (error) {
    if (error instanceof CassetteError && error.code === "not-recordable") return undefined;
    throw error;
  }
}

/** Throws `unconsumed` with the names of unused exchanges. */
export function assertExchangesUsed(player: ExchangePlayer, error: { file?: string; rerecord?: string } = {}): void {
  const { exchanges, used } = player;
  const left = exchanges.length - player.usedCount();
  if (left === 0) return;
  const names = exchanges.flatMap((exchange, index) =>
    used[index] === true ? [] : [`exchange ${index} (${nameOf(exchange)})`],
  );
  const more = left > SHOWN_UNUSED ? ` and ${left - SHOWN_UNUSED} more` : "";
  const listed = `${names.slice(0, SHOWN_UNUSED).join(", ")}${more}`;
  const what = `${left} of ${plural(exchanges.length, "recorded exchange")} ${left === 1 ? "was" : "were"} never requested: ${listed}`;
  const hint = "The run ended sooner than the recorded one. Undo the change, or record again.";
  throw new CassetteError("unconsumed", what, { hint, ...error });
}

const SHOWN_UNUSED = 3;
