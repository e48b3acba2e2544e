// A choice among arbitraries that shrinks towards the first of them.

import fc from "fast-check";

type Option<T> = fc.Arbitrary<T> | readonly [weight: number, arbitrary: fc.Arbitrary<T>];

/** One of `options`, each of weight 1 unless a pair says otherwise. */
export function either<T>(...options: readonly Option<T>[]): fc.Arbitrary<T> {
  const weighted = options.map((option) => {
    const [weight, arbitrary] = option instanceof fc.Arbitrary ? [1, option] : option;
    return { weight, arbitrary };
  });
  return fc.oneof({ withCrossShrink: true }, ...weighted);
}
