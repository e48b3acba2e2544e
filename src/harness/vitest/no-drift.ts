// toHaveNoDriftFrom: what `cassette diff` compares, with places left out that may change.

import type { Tolerances } from "../../cassette/index.js";
import { cassetteOf } from "./carrier.js";
import { findDifferences, toResult } from "./comparison.js";
import { assertOptions, type MatcherResult } from "./matcher.js";
import { loadPinned, type MatcherHost } from "./pinned.js";

const NAME = "toHaveNoDriftFrom";

export interface NoDriftOptions {
  /** False leaves out what the assistant said, so that tool calls alone count. Default true. */
  readonly content?: boolean;
  /** Places in tool arguments that take no part: `/arg/path` for every tool, `tool:/arg/path` for one, `*` for any key. */
  readonly ignore?: readonly string[];
  /** In which ways different arguments count as equal; those that were used stand in the message. Default: in none. */
  readonly tolerances?: Tolerances;
  /** Refuses version 1 cassettes on both sides. Default true. */
  readonly requireIntegrity?: boolean;
}

/** `diffCassettes` from `base` to the run finds nothing. Turns that neither call nor say anything take no part. */
export function createNoDrift(host: MatcherHost) {
  return async (received: unknown, base: unknown, options?: NoDriftOptions): Promise<MatcherResult> => {
    assertOptions(NAME, options, {
      content: "a boolean",
      ignore: "a list of strings",
      tolerances: "tolerances",
      requireIntegrity: "a boolean",
    });
    const { content = true, ignore = [], tolerances, requireIntegrity = true } = options ?? {};
    const cassette = cassetteOf(NAME, received, requireIntegrity);
    const known = await loadPinned(NAME, base, requireIntegrity, host);
    const found = findDifferences(NAME, known, cassette, {
      ignoreContent: !content,
      ignore,
      ...(tolerances === undefined ? {} : { tolerances }),
    });
    return toResult(known, found, sameText(content, ignore));
  };
}

function sameText(content: boolean, ignore: readonly string[]): string {
  const what = content ? "its calls and its texts are the same" : "its calls are the same";
  return ignore.length === 0 ? what : `${what}, ${ignore.join(" and ")} left out`;
}
