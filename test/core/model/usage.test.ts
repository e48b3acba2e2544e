import { describe, expect, it } from "vitest";
import { textOf } from "../../../src/core/model/message.js";
import { providerName } from "../../../src/core/model/provider.js";
import { toMicroCents, toUsd } from "../../../src/core/model/usage.js";

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
