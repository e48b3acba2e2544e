// Answers requests from the exchanges of one cassette: found by method, path, query and body, in any order, each once.

import { canonicalize, sha256Hex } from "../../core/index.js";
import { extensionsOf, type Cassette, type RecordedExchange } from "../file/format.js";
import { readHashFilter, type HashFilterOption } from "../prompt/hash-filters.js";
import { resolveFilter } from "../prompt/noted-filters.js";
import { neutralNumbers } from "../redact/placeholder.js";
import type { RedactOption } from "../redact/options.js";
import { createReplayRedaction } from "../redact/redactor.js";
import { toBytes } from "./body.js";
import type { PlainAnswer, PlainRequest } from "./http.js";
import { filterRequest, readRequest, type ExchangeRequest, type ScrubJson } from "./read.js";
import { turnForm, type FindWire } from "./turn-form.js";

export interface ExchangePlayerOptions {
  /** Filters beyond those that the recording notes, or the function that it was made with. */
  readonly hashFilter?: HashFilterOption;
  /** The option of the recording, if it was more than the rules for secrets. */
  readonly redact?: RedactOption;
  /** Named in messages. */
  readonly file?: string;
  /** Turns are compared as their wires carry them. Default: as JSON, as other requests are. */
  readonly wireOf?: FindWire;
}

export interface ExchangePlayer {
  readonly exchanges: readonly RecordedExchange[];
  /** Whether each exchange was given out, by its index. */
  readonly used: readonly boolean[];
  /** The number of exchanges that were given out. */
  usedCount(): number;
  /** The request as the recording would hold it. */
  read(request: PlainRequest): ExchangeRequest;
  /** The first unused exchange for this request, which is used by it. */
  take(request: ExchangeRequest): number | undefined;
  /** True if a recorded exchange, used or not, has this request. */
  knows(request: ExchangeRequest): boolean;
  /** Compares turns as their wires carry them, from now on. */
  readonly compareTurns: (wireOf: FindWire) => void;
}

export function exchangesOf(cassette: Cassette): readonly RecordedExchange[] {
  return extensionsOf(cassette).exchanges ?? [];
}

/** Throws `invalid-options`, `filter-one-sided`, and `redaction-one-sided` if the cassette was redacted and `redact` is false. */
export function createExchangePlayer(cassette: Cassette, options: ExchangePlayerOptions = {}): ExchangePlayer {
  const { filter, option } = resolveFilter(cassette, options.hashFilter, options.file);
  const { rewrite } = readHashFilter(option);
  // A filter that was added later passes over the recording too.
  const exchanges = exchangesOf(cassette).map((exchange) =>
    rewrite === undefined ? exchange : { ...exchange, ...filterRequest(exchange, filter) },
  );
  const used = exchanges.map(() => false);
  const reading = { scrub: replayScrub(cassette, options), filter };
  let { wireOf } = options;
  let queues: ReadonlyMap<string, number[]> | undefined;
  let usedCount = 0;

  /** Unused exchanges by their requests. A queue stays when it is empty. Made at the first request. */
  const queueOf = (request: ExchangeRequest): number[] | undefined => {
    queues ??= toQueues(exchanges, used, wireOf);
    return queues.get(keyOf(request, wireOf));
  };

  return {
    exchanges,
    used,
    usedCount: () => usedCount,
    read: (request) => readRequest(request, reading),
    take(request) {
      const index = queueOf(request)?.shift();
      if (index === undefined) return undefined;
      used[index] = true;
      usedCount++;
      return index;
    },
    knows: (request) => queueOf(request) !== undefined,
    compareTurns(find) {
      wireOf = find;
      queues = undefined;
    },
  };
}

/** The answer of an exchange as it goes over HTTP. */
export function toAnswer({ status, headers = {}, response, isCut }: RecordedExchange): PlainAnswer {
  return { status, headers, body: toBytes(response), ...(isCut === true ? { isCut } : {}) };
}

function replayScrub(cassette: Cassette, { redact, file }: ExchangePlayerOptions): ScrubJson {
  const { redacted } = extensionsOf(cassette);
  const side = createReplayRedaction(redacted, redact, file);
  return side === undefined ? (value) => value : (value) => side.scrubber.json(value);
}

function toQueues(
  exchanges: readonly RecordedExchange[],
  used: readonly boolean[],
  wireOf: FindWire | undefined,
): Map<string, number[]> {
  const queues = new Map<string, number[]>();
  exchanges.forEach((exchange, index) => {
    const key = keyOf(exchange, wireOf);
    const queue = queues.get(key) ?? [];
    if (used[index] !== true) queue.push(index);
    queues.set(key, queue);
  });
  return queues;
}

/** The model in the path of a turn: Gemini's and Bedrock's, and the deployment of Azure. */
const MODEL_IN_PATH = /(\/(?:models?|deployments)\/)[^/:]+/;

/**
 * Equal for equal requests. Placeholders are numbered by their order in the request, since requests come in any order. The path of a turn
 * may name its model, which is not compared.
 */
export function keyOf(given: ExchangeRequest, wireOf: FindWire = () => undefined): string {
  const { method, path, query, request } = given;
  const form = turnForm(given, wireOf);
  const place = form === undefined ? path : path.replace(MODEL_IN_PATH, "$1*");
  const compared = [method, place, query ?? null, form ?? request ?? null];
  return sha256Hex(neutralNumbers(canonicalize(compared)));
}
