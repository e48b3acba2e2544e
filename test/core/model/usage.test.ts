import { describe, expect, it } from "vitest";
import { textOf } from "../../../src/core/model/message.js";
import { providerName } from "../../../src/core/model/provider.js";
import { addCost, costToUsd, reachesCost, toCost, toMicroCents, toUsd } from "../../../src/core/model/usage.js";

describe("money", () => {
  it("is counted in hundred-millionths of a dollar", () => {
    expect(toMicroCents(1)).toBe(100_000_000);
    expect(toMicroCents(0.000_000_01)).toBe(1);
    expect(toMicroCents(0.1 + 0.2)).toBe(30_000_000);
    expect(toUsd(30_000_000)).toBe(0.3);
  });

  it("keeps an unlimited cap unlimited", () => {
    expect(toMicroCents(Infinity)).toBe(Infinity);
  });
});

describe("a sum of prices", () => {
  it("is of integers, a part being 1e-12 USD", () => {
    expect(toCost(0.29)).toEqual({ microCents: 29_000_000, parts: 0 });
    expect(toCost(1.2e-8)).toEqual({ microCents: 1, parts: 2_000 });
    expect(toCost(0)).toEqual({ microCents: 0, parts: 0 });
    expect(toCost(1e-20)).toEqual({ microCents: 0, parts: 1 });
  });

  it("carries parts over, so that 10,000 prices of 1e-12 USD are one micro-cent exactly", () => {
    let sum = toCost(0);
    for (let turn = 0; turn < 10_000; turn++) sum = addCost(sum, toCost(1e-12));
    expect(sum).toEqual({ microCents: 1, parts: 0 });
    expect(costToUsd(sum)).toBe(1e-8);
  });

  it("reaches a limit at it, and not a part below", () => {
    const limit = toCost(1.2e-8);
    expect(reachesCost({ microCents: 1, parts: 1_999 }, limit)).toBe(false);
    expect(reachesCost({ microCents: 1, parts: 2_000 }, limit)).toBe(true);
    expect(reachesCost({ microCents: 2, parts: 0 }, limit)).toBe(true);
    expect(reachesCost({ microCents: 0, parts: 9_999 }, limit)).toBe(false);
  });
});

describe("textOf", () => {
  it("joins the text parts of a user message and leaves its images out", () => {
    expect(textOf("plain")).toBe("plain");
    const image = { type: "image", url: "https://example.test/a.png" } as const;
    expect(textOf([{ type: "text", text: "a" }, image, { type: "text", text: "b" }])).toBe("ab");
    expect(textOf([])).toBe("");
  });
});

describe("providerName", () => {
  it("is what the provider calls itself, or says that it has no name", () => {
    const turn = () => Promise.reject(new Error());
    expect(providerName({ name: "openai:gpt-4o", turn })).toBe("openai:gpt-4o");
    expect(providerName({ turn })).toBe("unnamed");
  });
});
