// The laws of an expected sequence: no order of listing decides anything where order does not count, and the answer is the one
// that trying every pairing gives.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchMost } from "../../src/harness/matchers/matching.js";
import { matchSequence, type Sides } from "../../src/harness/matchers/sequence/match.js";
import type { SequenceMode } from "../../src/harness/matchers/sequence/spec.js";

const MAX_SIDE = 6;

interface Case {
  expected: number[][];
  made: number[][];
  fits: boolean[][];
}

/** Turns with one to three items each, counted through. */
const turnsArbitrary = fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 4 }).map((sizes) => {
  let count = 0;
  const turns = sizes.map((size) => Array.from({ length: size }, () => count++));
  return turns.map((turn) => turn.filter((item) => item < MAX_SIDE)).filter((turn) => turn.length > 0);
});

const caseArbitrary: fc.Arbitrary<Case> = fc.tuple(turnsArbitrary, turnsArbitrary).chain(([expected, made]) =>
  fc
    .array(fc.array(fc.boolean(), { minLength: MAX_SIDE, maxLength: MAX_SIDE }), {
      minLength: MAX_SIDE,
      maxLength: MAX_SIDE,
    })
    .map((fits) => ({ expected, made, fits })),
);

const sidesOf = ({ expected, made, fits }: Case): Sides => ({
  expected,
  made,
  fits: (item, call) => fits[item]?.[call] === true,
});

/** Every way to give each expected item one made item of its own or none. */
function* everyPairing(items: number, calls: number): Generator<number[]> {
  if (items === 0) return yield [];
  for (const rest of everyPairing(items - 1, calls)) {
    yield [...rest, -1];
    for (let call = 0; call < calls; call++) if (!rest.includes(call)) yield [...rest, call];
  }
}

/** The meaning of each mode, tried out. */
function isMatchByTrying(drawn: Case, mode: SequenceMode): boolean {
  const { expected, made, fits } = sidesOf(drawn);
  const [items, calls] = [expected.flat().length, made.flat().length];
  const turnOf = (turns: readonly (readonly number[])[], item: number) =>
    turns.findIndex((turn) => turn.includes(item));
  for (const pairing of everyPairing(items, calls)) {
    const pairs = pairing.flatMap((call, item) => (call < 0 ? [] : [[item, call] as const]));
    if (!pairs.every(([item, call]) => fits(item, call))) continue;
    const places = pairs.map(([item, call]) => [turnOf(expected, item), turnOf(made, call)] as const);
    const isInOrder = places.every(([a, x]) => places.every(([b, y]) => a >= b || x < y));
    const holds = {
      strict:
        pairs.length === items &&
        items === calls &&
        places.every(([a, x]) => a === x) &&
        expected.length === made.length,
      in_order: pairs.length === items && isInOrder,
      unordered: pairs.length === items && items === calls,
      subset: pairs.length === calls,
      superset: pairs.length === items,
    }[mode];
    if (holds) return true;
  }
  return false;
}

const MODES = ["strict", "in_order", "unordered", "subset", "superset"] as const;

describe("an expected sequence", () => {
  it.each(MODES)("%s: agrees with trying every pairing", (mode) => {
    fc.assert(
      fc.property(caseArbitrary, (drawn) => {
        expect(matchSequence(sidesOf(drawn), mode).isMatch).toBe(isMatchByTrying(drawn, mode));
      }),
      { numRuns: 60 },
    );
  });

  it.each(["unordered", "subset", "superset"] as const)(
    "%s: no permutation of either side changes the answer",
    (mode) => {
      const permuted = caseArbitrary.chain((drawn) => {
        const shuffled = (turns: number[][]) => {
          const all = turns.flat();
          return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }).map((list) => [list]);
        };
        return fc.tuple(fc.constant(drawn), shuffled(drawn.expected), shuffled(drawn.made));
      });
      fc.assert(
        fc.property(permuted, ([drawn, expected, made]) => {
          const { fits } = sidesOf(drawn);
          const before = matchSequence(sidesOf(drawn), mode);
          const after = matchSequence({ ...numbered(expected, made), fits: relabelled(expected, made, fits) }, mode);
          expect(after.isMatch).toBe(before.isMatch);
          expect(paired(after.partners)).toBe(paired(before.partners));
        }),
      );
    },
  );

  it("subset and superset are each other's mirror image, and both together are unordered", () => {
    fc.assert(
      fc.property(caseArbitrary, (drawn) => {
        const { expected, made, fits } = sidesOf(drawn);
        const mirrored: Sides = { expected: made, made: expected, fits: (item, call) => fits(call, item) };
        const [subset, superset] = (["subset", "superset"] as const).map(
          (mode) => matchSequence(sidesOf(drawn), mode).isMatch,
        );
        expect(matchSequence(mirrored, "superset").isMatch).toBe(subset);
        expect(matchSequence(mirrored, "subset").isMatch).toBe(superset);
        expect(matchSequence(sidesOf(drawn), "unordered").isMatch).toBe(subset && superset);
      }),
    );
  });

  it("a strict match is one in every other mode but for the empty one", () => {
    fc.assert(
      fc.property(turnsArbitrary, (turns) => {
        const sides: Sides = { expected: turns, made: turns, fits: (item, call) => item === call };
        for (const mode of MODES) expect(matchSequence(sides, mode).isMatch).toBe(true);
      }),
    );
  });

  it("partners fit, and none is given out twice", () => {
    fc.assert(
      fc.property(caseArbitrary, fc.constantFrom(...MODES), (drawn, mode) => {
        const { partners } = matchSequence(sidesOf(drawn), mode);
        const given = partners.filter((partner) => partner >= 0);
        expect(new Set(given).size).toBe(given.length);
        expect(partners.every((partner, item) => partner < 0 || drawn.fits[item]?.[partner] === true)).toBe(true);
      }),
    );
  });
});

describe("a largest pairing", () => {
  it("has as many pairs as the best of all", () => {
    fc.assert(
      fc.property(fc.nat({ max: 5 }), fc.nat({ max: 5 }), caseArbitrary, (rows, columns, { fits }) => {
        let best = 0;
        for (const pairing of everyPairing(rows, columns)) {
          if (pairing.every((column, row) => column < 0 || fits[row]?.[column] === true))
            best = Math.max(best, paired(pairing));
        }
        const found = matchMost(rows, columns, (row, column) => fits[row]?.[column] === true);
        expect(found.size).toBe(best);
        const columnsUsed = new Set(found.rows.filter((column) => column >= 0));
        expect([paired(found.rows), columnsUsed.size]).toEqual([best, best]);
      }),
      { numRuns: 60 },
    );
  });
});

function paired(partners: readonly number[]): number {
  return partners.filter((partner) => partner >= 0).length;
}

/** The sides with their items counted through in the new order. */
function numbered(expected: readonly number[][], made: readonly number[][]): Pick<Sides, "expected" | "made"> {
  return {
    expected: expected.map((turn) => turn.map((_, place) => place)),
    made: made.map((turn) => turn.map((_, place) => place)),
  };
}

function relabelled(expected: readonly number[][], made: readonly number[][], fits: Sides["fits"]): Sides["fits"] {
  const [items, calls] = [expected.flat(), made.flat()];
  return (item, call) => fits(items[item] as number, calls[call] as number);
}
