// Prices as integers: sums of turns are exact, and how the input is split between cache and model moves the price only
// between the rates.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toCost } from "../../src/core/model/usage.js";
import { costOf, findRate, priceOf, type Rate } from "../../src/core/model/pricing.js";

const figure = fc.nat(75_000).map((milli) => milli / 1_000);
const rate: fc.Arbitrary<Rate> = fc.record(
  { input: figure, output: figure, cacheRead: figure, cacheWrite: figure },
  { requiredKeys: ["input", "output"] },
);
const usage = fc.record(
  {
    inputTokens: fc.nat(2_000_000),
    outputTokens: fc.nat(200_000),
    cacheReadTokens: fc.nat(2_000_000),
    cacheWriteTokens: fc.nat(2_000_000),
    reasoningTokens: fc.nat(200_000),
  },
  { requiredKeys: ["inputTokens", "outputTokens"] },
);

/** The price in tenths of a micro-cent: rates have three decimals, so this is exact. */
function exactTenths(
  { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage,
  one: Rate,
): bigint {
  const read = Math.min(inputTokens, cacheReadTokens);
  const written = Math.min(inputTokens - read, cacheWriteTokens);
  const milli = (usd: number) => BigInt(Math.round(usd * 1_000));
  return (
    BigInt(inputTokens - read - written) * milli(one.input) +
    BigInt(read) * milli(one.cacheRead ?? one.input) +
    BigInt(written) * milli(one.cacheWrite ?? one.input) +
    BigInt(outputTokens) * milli(one.output)
  );
}
type Usage = Parameters<typeof priceOf>[0];

describe("a price", () => {
  it("PLK-36 is the exact sum in whole micro-cents, rounded once", () => {
    fc.assert(
      fc.property(usage, rate, (tokens, one) => {
        const price = priceOf(tokens, one);
        expect(Number.isSafeInteger(price)).toBe(true);
        expect(BigInt(price)).toBe((exactTenths(tokens, one) + 5n) / 10n);
      }),
      { numRuns: 2_000 },
    );
  });

  it("PLK-36 is in USD the very number that the exact sum is, and the budget counts it without loss", () => {
    fc.assert(
      fc.property(usage, rate, (tokens, one) => {
        const parts = exactTenths(tokens, one) * 1_000n;
        const cost = costOf(tokens, one);
        expect(cost).toBe(Number(parts) / 1e12);
        const { microCents, parts: rest } = toCost(cost);
        expect(BigInt(microCents) * 10_000n + BigInt(rest)).toBe(parts);
      }),
    );
  });

  it("PLK-37 is found for every name of a list and for each of its snapshots", () => {
    const name = fc.stringMatching(/^[a-z]{1,4}(-[a-z0-9.]{3,5}){0,2}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), fc.nat(7), (names, at) => {
        const table = Object.fromEntries(names.map((one, index) => [one, { input: index, output: index }]));
        const chosen = names[at % names.length]!;
        expect(findRate(table, chosen)).toBe(table[chosen]);
        expect(findRate(table, `${chosen}-2024-11-20`)).toBe(table[chosen]);
      }),
    );
  });

  it("PLK-37 is that of the longest name a model begins with, found by cutting the model short", () => {
    const part = fc.constantFrom("a", "b1", "c.2");
    const name = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("-"));
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 12 }), name, (names, model) => {
        const table = Object.fromEntries(names.map((one, index) => [one, { input: index, output: 1 }]));
        const parts = model.split(/(?=[-.])/);
        const cuts = parts.map((_, index) => parts.slice(0, parts.length - index).join(""));
        const expected = cuts.find((cut) => names.includes(cut));
        expect(findRate(table, model)).toEqual(expected === undefined ? undefined : table[expected]);
      }),
    );
  });
});
