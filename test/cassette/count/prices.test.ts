import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Validator, type Schema } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { parsePrices, readPrices } from "../../../src/cassette/count/prices.js";
import { createTurnPricer, createUsageCounter } from "../../../src/cassette/count/usage-sum.js";
import { MAX_PRICED_MODELS } from "../../../src/cassette/limits.js";
import { nodeFiles } from "../../../src/host/files.js";
import { refusal, rejection } from "../../support/refusal.js";

const schemaPath = fileURLToPath(new URL("../../../schemas/prices.schema.json", import.meta.url));
const schema = new Validator(JSON.parse(readFileSync(schemaPath, "utf8")) as Schema, "2020-12");

const orbit = { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 2.5 };
const usage = { inputTokens: 1_000_000, outputTokens: 0 };

describe("a price file", () => {
  it("is read with every field, and may name its schema", () => {
    const value = { $schema: "./prices.schema.json", "orbit-1": orbit, free: { input: 0, output: 0 } };
    expect(parsePrices(JSON.stringify(value))).toEqual({ "orbit-1": orbit, free: { input: 0, output: 0 } });
    expect(schema.validate(value)).toMatchObject({ valid: true });
  });

  const many = Object.fromEntries(Array.from({ length: MAX_PRICED_MODELS + 1 }, (_, n) => [`m${n}`, orbit]));
  it.each<[string, unknown, string, string]>([
    ["no object", [], "", "a list, not an object"],
    ["no model", {}, "", "names no model"],
    ["too many models", many, "", "more than 10000"],
    ["a model without a name", { "": orbit }, "/", "a model without a name"],
    ["a price that is a number", { m: 2 }, "/m", "the price 2, not an object"],
    ["an unknown field", { m: { ...orbit, cached: 1 } }, "/m/cached", "The fields are input, output"],
    ["no output", { m: { input: 1 } }, "/m/output", "lacks the price"],
    ["a text", { m: { input: "1", output: 1 } }, "/m/input", 'the price "1"'],
    ["a negative price", { m: { input: 1, output: -1 } }, "/m/output", "the price -1"],
    ["a price beyond the limit", { m: { ...orbit, cacheRead: 1_000_001 } }, "/m/cacheRead", "from 0 to 1000000"],
  ])("with %s is refused with its place", (_what, value, pointer, message) => {
    const error = refusal(() => parsePrices(JSON.stringify(value), { file: "p.json" }));
    expect(error).toMatchObject({ code: "prices-malformed", pointer, file: "p.json" });
    expect((error as Error).message).toContain(message);
    if (!Array.isArray(value)) expect(schema.validate(value)).toMatchObject({ valid: false });
  });

  it("that is not JSON, or is not there, is refused", async () => {
    expect(refusal(() => parsePrices("{"))).toMatchObject({ code: "prices-malformed" });
    expect(await rejection(readPrices(nodeFiles(), "no-such-prices.json"))).toMatchObject({ code: "file-not-found" });
  });
});

describe("turns priced by a price file", () => {
  const price = createTurnPricer({ "orbit-1": orbit, "gpt-4o": { input: 7, output: 7 } });

  it("have its price, even if a list has the model or a cost was recorded", () => {
    expect(price({ usage, model: "orbit-1" })).toEqual({ costUsd: 2, from: "file" });
    expect(price({ usage, model: "orbit-1-20260101", costUsd: 9 })).toEqual({ costUsd: 2, from: "file" });
    expect(price({ usage, model: "gpt-4o" })).toEqual({ costUsd: 7, from: "file" });
  });

  it("keep their recorded cost or list price if the file lacks the model, or the tokens are unknown", () => {
    expect(price({ usage, model: "gpt-4o-mini" })).toEqual({ costUsd: 0.15, from: "list" });
    expect(price({ usage, model: "other", costUsd: 9 })).toEqual({ costUsd: 9, from: "recording" });
    expect(price({ model: "orbit-1", costUsd: 9 })).toEqual({ costUsd: 9, from: "recording" });
    expect(price({ model: "orbit-1" })).toBeUndefined();
    expect(price({ usage, model: "orbit-10" })).toBeUndefined();
  });

  it("count cached tokens at their own price, and are marked in the sum", () => {
    const counter = createUsageCounter(price);
    counter.add({ usage: { ...usage, cacheReadTokens: 500_000, cacheWriteTokens: 100_000 }, model: "orbit-1" });
    counter.add({ usage, model: "gpt-4o-mini" });
    counter.add({ usage, model: "nobody" });
    expect(counter.total()).toMatchObject({
      costUsd: 0.25 + 0.25 + 0.8 + 0.15,
      turnsWithFileCost: 1,
      turnsWithDerivedCost: 1,
      turnsWithoutCost: 1,
    });
  });
});

it.each([
  ["models/gemini-2.5-flash", 0.3],
  ["publishers/google/models/gemini-2.5-flash", 0.3],
  ["command-a-03-2025", 2.5],
  ["command-r-plus-04-2024", 3],
  ["mistral-small-2506", 0.1],
  ["mistral-medium-2604", 1.5],
])("%s has a list price", (model, costUsd) => {
  expect(createTurnPricer()({ usage, model })).toEqual({ costUsd, from: "list" });
});

it.each(["mistral-large-latest", "mistral-large", "command-r", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"])(
  "%s has no list price",
  (model) => {
    expect(createTurnPricer()({ usage, model })).toBeUndefined();
  },
);
