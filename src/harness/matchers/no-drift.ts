// toHaveNoDriftFrom: compares as `cassette diff` does, except for ignored places. A match with one of several baselines is enough.

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
  /** Whether the assistant's texts are compared. With false, only tool calls count. Default true. */
  readonly content?: boolean;
  /** Places in tool arguments to ignore: `/arg/path` for every tool, `tool:/arg/path` for one, `*` for any key. */
  readonly ignore?: readonly string[];
  /** How strictly the order of calls counts. `subset` and `superset` describe the run, not the baseline. Default `strict`. */
  readonly order?: CallOrder;
  /** Read-only tools, with `*` for any text. Their calls may trade places with each other across neighbouring turns. */
  readonly readOnly?: readonly string[];
  /** Differences in arguments that count as equal. The message lists those that were used. Default: none. */
  readonly tolerances?: Tolerances;
  /** Uses only this scenario's baselines from a folder: `weather` selects `weather.0.cassette.json` and so on. */
  readonly scenario?: string;
}

/** One or several cassettes, or paths of files or folders. */
export type Baselines = string | Cassette | readonly (string | Cassette)[];

/** Passes if `compareCassettes` finds no difference from a baseline. Turns without calls and text are ignored. */
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
      scenario: "a non-empty string",
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
  const what = content ? "its calls and texts are the same" : "its calls are the same";
  const terms = [
    ...(ignore.length === 0 ? [] : [`${ignore.join(" and ")} ignored`]),
    ...(order === undefined ? [] : [`order ${order}`]),
    ...(readOnly.length === 0 ? [] : [`${readOnly.join(" and ")} read-only`]),
  ];
  return [what, ...terms].join(", ");
}
