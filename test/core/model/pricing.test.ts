import { describe, expect, it } from "vitest";
import { MAX_RATE } from "../../../src/core/limits.js";
import {
  costOf,
  findRate,
  findRateName,
  isSnapshotOf,
  priceOf,
  PRICING_DATE,
  type Pricing,
} from "../../../src/core/model/pricing.js";
import { ANTHROPIC_PRICING } from "../../../src/core/vendors/anthropic/prices.js";
import { OPENAI_PRICING } from "../../../src/core/vendors/openai/prices.js";

const tables: [string, Pricing][] = [
  ["OPENAI_PRICING", OPENAI_PRICING],
  ["ANTHROPIC_PRICING", ANTHROPIC_PRICING],
];

describe.each(tables)("%s", (_name, table) => {
  it("PLK-36 holds USD per million tokens, a cache read never dearer than a fresh token", () => {
    expect(Object.keys(table).length).toBeGreaterThan(10);
    for (const [model, rate] of Object.entries(table)) {
      expect(rate.input, model).toBeGreaterThan(0);
      expect(rate.output, model).toBeGreaterThanOrEqual(rate.input);
      expect(rate.cacheRead ?? 0, model).toBeLessThan(rate.input);
      expect(rate.cacheWrite ?? rate.input, model).toBeGreaterThanOrEqual(rate.input);
    }
  });

  it("PLK-37 has every name as its own rate", () => {
    for (const model of Object.keys(table)) expect(findRate(table, model)).toBe(table[model]);
  });
});

it("PLK-36 says of what day the lists are", () => {
  expect(new Date(PRICING_DATE).toISOString().slice(0, 10)).toBe(PRICING_DATE);
});

describe("findRate", () => {
  it.each([
    ["gpt-4o-2024-11-20", "gpt-4o"],
    ["gpt-4o-mini-2024-07-18", "gpt-4o-mini"],
    ["gpt-4o-2024-05-13", "gpt-4o-2024-05-13"],
    ["gpt-4.1-nano-2025-04-14", "gpt-4.1-nano"],
    ["gpt-4-0613", "gpt-4"],
    ["gpt-4-turbo-2024-04-09", "gpt-4-turbo"],
    ["gpt-3.5-turbo-0125", "gpt-3.5-turbo"],
    ["gpt-3.5-turbo-16k-0613", "gpt-3.5-turbo-16k"],
    ["o1-preview-2024-09-12", "o1"],
    ["gpt-4-turbo-preview", "gpt-4-turbo"],
    ["gpt-5-mini-2025-08-07", "gpt-5-mini"],
  ])("PLK-37 %s costs what %s costs", (model, name) => {
    expect(OPENAI_PRICING[name]).toBeDefined();
    expect(findRate(OPENAI_PRICING, model)).toBe(OPENAI_PRICING[name]);
  });

  it.each([
    ["claude-3-5-sonnet-20241022", "claude-3-5-sonnet"],
    ["claude-3-7-sonnet-latest", "claude-3-7-sonnet"],
    ["claude-sonnet-4-20250514", "claude-sonnet-4"],
    ["claude-sonnet-4@20250514", "claude-sonnet-4"],
    ["claude-sonnet-4-20250514-v1:0", "claude-sonnet-4"],
    ["claude-opus-4-1-20250805", "claude-opus-4-1"],
    ["claude-opus-4-5-20251101", "claude-opus-4-5"],
    ["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
  ])("PLK-37 %s costs what %s costs", (model, name) => {
    expect(ANTHROPIC_PRICING[name]).toBeDefined();
    expect(findRate(ANTHROPIC_PRICING, model)).toBe(ANTHROPIC_PRICING[name]);
  });

  it.each([
    ["claude-sonnet-4-6-20260201", "claude-sonnet-4-6"],
    ["claude-sonnet-4-9", "claude-sonnet-4"],
    ["claude-opus-5-9-20270101", "claude-opus-5"],
  ])("PLK-37 %s costs what %s costs, the longest name it begins with", (model, name) => {
    expect(findRateName(ANTHROPIC_PRICING, model)).toBe(name);
    expect(findRate(ANTHROPIC_PRICING, model)).toBe(ANTHROPIC_PRICING[name]);
  });

  it("PLK-37 takes the longest of the names a model begins with, wherever it stands in the list", () => {
    const names = ["m", "m-pro", "m-pro-max", "m-pro-max-x"];
    const orders = [names, [...names].reverse(), ["m-pro", "m-pro-max-x", "m", "m-pro-max"]];
    for (const order of orders) {
      const table = Object.fromEntries(order.map((name) => [name, { input: name.length, output: 0 }]));
      expect(findRate(table, "m-pro-max-2026-02-01"), order.join()).toEqual({ input: "m-pro-max".length, output: 0 });
      expect(findRateName(table, "m-pro-2"), order.join()).toBe("m-pro");
      expect(findRateName(table, "m-x"), order.join()).toBe("m");
    }
  });

  it("PLK-37 takes the exact name before any other", () => {
    const table = { "m-1": { input: 1, output: 1 }, m: { input: 2, output: 2 }, "m-1-2": { input: 3, output: 3 } };
    expect(findRateName(table, "m-1")).toBe("m-1");
    expect(findRateName(table, "m")).toBe("m");
  });

  it.each(["gpt-4o1", "gpt-50", "gpt", "", "o", "o30", "ft:gpt-4o:org", "openai/gpt-4o", "GPT-4o"])(
    "PLK-39 knows no price of %j",
    (model) => expect(findRate(OPENAI_PRICING, model)).toBeUndefined(),
  );

  it.each([
    ...["gpt-4o-audio-preview", "gpt-4o:free", "gpt-4o-mini-tts", "gpt-4o-2024-11-20-custom", "gpt-4o-latest-x"],
    ...["gpt-4.7", "gpt-5.9-sol", "gpt-4-64k", "gpt-4o-"],
  ])("PLK-37 gives %s the rate of a like name, and knows that it is not a snapshot of it", (model) => {
    const name = findRateName(OPENAI_PRICING, model) as string;
    expect(OPENAI_PRICING[name]).toBeDefined();
    expect(isSnapshotOf(model, name)).toBe(false);
  });

  it.each([
    "m",
    "m-latest",
    "m:latest",
    "m-preview",
    "m-001",
    "m-0613",
    "m-250115",
    "m@20250514",
    "m-08-2024",
    "m-2024-11-20",
  ])("PLK-37 takes %s for a snapshot of m in a list of one's own", (model) => {
    expect(findRate({ m: { input: 1, output: 2 } }, model)).toEqual({ input: 1, output: 2 });
    expect(isSnapshotOf(model, "m")).toBe(true);
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty", "constructor-2024-01-01"])(
    "finds nothing under %s, which every object has",
    (model) => expect(findRate(OPENAI_PRICING, model)).toBeUndefined(),
  );

  it("takes such a name where it is in the table", () => {
    const table = JSON.parse('{"__proto__":{"input":1,"output":2},"":{"input":9,"output":9}}') as Pricing;
    expect(findRate(table, "__proto__-2024-01-01")).toEqual({ input: 1, output: 2 });
    expect(findRate(table, "-x")).toBeUndefined();
    expect(findRate(table, ":")).toBeUndefined();
  });
});

describe("priceOf", () => {
  const rate = { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 2.5 };

  it("is in whole micro-cents: a dollar per million tokens is 100 a token", () => {
    expect(priceOf({ inputTokens: 1, outputTokens: 0 }, rate)).toBe(200);
    expect(priceOf({ inputTokens: 1_000_000, outputTokens: 1_000_000 }, rate)).toBe(1_000_000_000);
    expect(costOf({ inputTokens: 1_000_000, outputTokens: 1_000_000 }, rate)).toBe(10);
  });

  it("rounds the sum once", () => {
    const fine = { input: 0.005, output: 0.005 };
    expect(priceOf({ inputTokens: 1, outputTokens: 0 }, fine)).toBe(1);
    expect(priceOf({ inputTokens: 1, outputTokens: 1 }, fine)).toBe(1);
    expect(priceOf({ inputTokens: 1, outputTokens: 0 }, { input: 0.004, output: 0 })).toBe(0);
  });

  it("PLK-36 is in USD exact to 1e-12, which is a token at the lowest rate", () => {
    const fine = { input: 0.000_001, output: 0 };
    expect(costOf({ inputTokens: 12, outputTokens: 0 }, fine)).toBe(1.2e-11);
    expect(costOf({ inputTokens: 10_001, outputTokens: 0 }, fine)).toBe(1.0001e-8);
  });

  it("is a finite number whatever the rate", () => {
    for (const odd of [Infinity, Number.NaN, -1, 1e300]) {
      const price = priceOf({ inputTokens: 5, outputTokens: 5 }, { input: odd, output: odd });
      expect(price).toBe(odd > 0 ? 10 * MAX_RATE * 100 : 0);
    }
  });

  it("counts what came from and went into a cache once, at its own rate", () => {
    const usage = { inputTokens: 1_000, outputTokens: 0, cacheReadTokens: 600, cacheWriteTokens: 300 };
    expect(priceOf(usage, rate)).toBe(100 * 200 + 600 * 50 + 300 * 250);
    expect(priceOf(usage, { input: 2, output: 8 })).toBe(1_000 * 200);
  });

  it("has reasoning in the output already", () => {
    const usage = { inputTokens: 0, outputTokens: 10 };
    expect(priceOf({ ...usage, reasoningTokens: 8 }, rate)).toBe(priceOf(usage, rate));
  });

  it("prices no more tokens than there were, and no value that is not a count", () => {
    expect(priceOf({ inputTokens: 10, outputTokens: 0, cacheReadTokens: 1e9, cacheWriteTokens: 1e9 }, rate)).toBe(500);
    const odd = { inputTokens: Number.NaN, outputTokens: -5, cacheReadTokens: 3, cacheWriteTokens: Infinity };
    expect(priceOf(odd, rate)).toBe(0);
  });
});
