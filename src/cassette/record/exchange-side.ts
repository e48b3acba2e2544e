// The exchanges of a provider, for a caller that has HTTP requests, as the MSW handlers do. A provider itself has turns alone.

import { createPrivateField, defined, type LlmProviderAdapter } from "../../core/index.js";
import type { CassetteError } from "../errors.js";
import { claim } from "../replay/left-out.js";
import type { PlainRequest } from "../exchange/http.js";
import { explainExchangeMiss } from "../exchange/miss.js";
import type { OpenExchange } from "../exchange/record.js";
import type { FindWire } from "../exchange/turn-form.js";
import { takeExchange, type PlayedExchanges, type TakenExchange } from "../exchange/taken.js";

export interface ExchangeSide {
  /** Answers from the recording. Undefined if it holds no unused exchange for this request. */
  readonly take?: (request: PlainRequest) => TakenExchange | undefined;
  /** Why `take` found nothing. Undefined if the recording holds no exchange at all. */
  readonly miss?: (request: PlainRequest) => CassetteError | undefined;
  /** As `miss`, for a caller that gives up on it: the end of the replay throws the first of these. Absent if a vendor can answer. */
  readonly refuse?: (request: PlainRequest) => CassetteError;
  /** Notes a request that the vendor answers. Absent if nothing is recorded. Throws `not-recordable`. */
  readonly open?: (request: PlainRequest) => OpenExchange;
  /** The number of exchanges recorded so far. */
  readonly count?: () => number;
  /** Compares turns as their wires carry them, from now on. */
  readonly compareTurns?: (wireOf: FindWire) => void;
  /** True if a run that continues a recording had the same exchanges so far, none missing and none new. */
  readonly isRepeated?: () => boolean;
}

/** Private, because the public types of providers do not have this part. */
const sideField = createPrivateField<ExchangeSide>();

/** Sets the exchanges of a provider. */
export function setExchangeSide<T extends LlmProviderAdapter>(provider: T, side: ExchangeSide): T {
  sideField.set(provider, side);
  return provider;
}

/** The exchanges of `provider`. Empty for one that neither replays nor records. */
export function exchangeSideOf(provider: object): ExchangeSide {
  return sideField.get(provider) ?? {};
}

/** As {@link exchangeSideOf}, for a caller that answers the exchanges from now on, with `wireOf` if turns may be among them. */
export function claimExchanges(provider: LlmProviderAdapter, wireOf?: FindWire): ExchangeSide {
  claim(provider);
  const side = exchangeSideOf(provider);
  if (wireOf !== undefined) side.compareTurns?.(wireOf);
  return side;
}

/** The side of a recording that answers. */
export function playedSide(played: PlayedExchanges) {
  const all = [played];
  let first: CassetteError | undefined;
  return {
    take: (request: PlainRequest) => takeExchange(all, request),
    compareTurns: played.exchanges.compareTurns,
    miss: (request: PlainRequest) =>
      played.exchanges.exchanges.length === 0 ? undefined : explainExchangeMiss(all, request),
    refuse(request: PlainRequest): CassetteError {
      const miss = explainExchangeMiss(all, request);
      first ??= miss;
      return miss;
    },
    assertAnswered(): void {
      if (first !== undefined) throw first;
    },
  };
}

/** Answers and records the exchanges of `played` until the run `isOver` it, and then records those of the vendor. */
export function continuedSide(
  played: PlayedExchanges,
  { open, count }: ExchangeSide,
  isOver: () => boolean,
): ExchangeSide {
  const { exchanges } = played;
  const { take } = playedSide(played);
  let opened = 0;
  return {
    take(request) {
      const found = isOver() ? undefined : take(request);
      if (found !== undefined) open?.(request).answer(found.answer);
      return found;
    },
    ...(open === undefined ? {} : { open: (request) => (opened++, open(request)) }),
    ...defined({ count }),
    compareTurns: exchanges.compareTurns,
    isRepeated: () => opened === 0 && exchanges.usedCount() === exchanges.exchanges.length,
  };
}
