// toHaveNoDriftFrom: what `cassette diff` compares, less places that may change. Each of several baselines is accepted.

import { defined, plural } from "../../core/index.js";
import type { CallOrder, Cassette, Tolerances } from "../../cassette/index.js";
import { openBaselines } from "./baseline/baselines.js";
import { cassetteOf } from "./carrier.js";
import { findDifferences, toResult, type Found } from "./baseline/comparison.js";
import type { MatcherHost } from "./host.js";
import { assertOptions, type MatcherContext, type MatcherResult } from "./matcher.js";
import { PIN_KINDS, readPinTerms, type Pinned, type PinOptions } from "./baseline/pinned.js";

const NAME = "toHaveNoDriftFrom";

/** The options of `toHaveNoDriftFrom`. */
export interface NoDriftOptions extends PinOptions {
  /** False leaves out what the assistant said, so that tool calls alone count. Default true. */
  readonly content?: boolean;
  /** Places in tool arguments that take no part: `/arg/path` for every tool, `tool:/arg/path` for one, `*` for any key. */
  readonly ignore?: readonly string[];
  /** How much the order of the calls counts. The run is what is a `subset` or a `superset`. Default `strict`. */
  readonly order?: CallOrder;
  /** Tools that only read, `*` for any text: their calls may change places with each other across neighbouring turns. */
  readonly readOnly?: readonly string[];
  /** In which ways different arguments count as equal; those that were used stand in the message. Default: in none. */
  readonly tolerances?: Tolerances;
  /** Of a folder the baselines of this scenario alone: `weather` for `weather.0.cassette.json` and its like. */
  readonly scenario?: string;
}

/** One or several cassettes, or a path of a file or a folder. */
export type Baselines = string | Cassette | readonly (string | Cassette)[];

/** `compareCassettes` from a baseline to the run finds nothing. Turns that neither call nor say anything take no part. */
export function createNoDrift(host: MatcherHost) {
  return async function (
    this: MatcherContext,
    received: unknown,
    base: unknown,
    options?: unknown,
  ): Promise<MatcherResult> {
    assertOptions(NAME, options, {
      content: "a boolean",
      ignore: "a list of strings",
      order: "an order of calls",
      readOnly: "a list of strings",
      tolerances: "tolerances",
      scenario: "a text that is not empty",
      ...PIN_KINDS,
    });
    const given = (options ?? {}) as NoDriftOptions;
    const { content = true, ignore = [], order, readOnly, tolerances } = given;
    const terms = await readPinTerms(NAME, given, host);
    const cassette = cassetteOf(NAME, received, terms.requireIntegrity);
    const baselines = await openBaselines(NAME, base, given.scenario, terms, host);
    const compared = baselines.map((known) => ({
      known,
      found: findDifferences(NAME, known, cassette, {
        ignoreContent: !content,
        ignoreStops: false,
        ignore,
        ...defined({ order, readOnly, tolerances }),
      }),
    }));
    const { known, found } = nearestOf(compared);
    return toResult(this, nameAmong(known, baselines.length, found), found, sameText(given));
  };
}

interface Compared {
  known: Pinned;
  found: Found;
}

function nearestOf(compared: readonly Compared[]): Compared {
  return compared.reduce((best, next) => (next.found.differences.length < best.found.differences.length ? next : best));
}

function nameAmong(known: Pinned, count: number, { differences }: Found): Pinned {
  if (count === 1) return known;
  const among = differences.length === 0 ? "one of" : "the nearest of";
  return { ...known, name: `${known.name} (${among} ${plural(count, "baseline")})` };
}

function sameText({ content = true, ignore = [], order, readOnly = [] }: NoDriftOptions): string {
  const what = content ? "its calls and its texts are the same" : "its calls are the same";
  const terms = [
    ...(ignore.length === 0 ? [] : [`${ignore.join(" and ")} left out`]),
    ...(order === undefined ? [] : [`order ${order}`]),
    ...(readOnly.length === 0 ? [] : [`${readOnly.join(" and ")} only reading`]),
  ];
  return [what, ...terms].join(", ");
}
