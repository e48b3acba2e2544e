import { describe, expect, it } from "vitest";
import { checkTolerances } from "../../../src/cassette/index.js";
import "../../../src/entry/vitest.js";
import { refusal, rejection } from "../../support/refusal.js";
import { lookupRun } from "./runs.js";

const tolerances = checkTolerances({
  version: 1,
  tools: { lookup: { "/city": "case", "/lat": { numeric: { absolute: 0.5 } }, "/days": { default: 1 } } },
});

describe("the matchers with tolerances", () => {
  it("toHaveNoDriftFrom and toMatchCassette pass on what is tolerated, and say what was used", async () => {
    const { cassette } = await lookupRun({ city: "Paris", lat: 48.8 });
    const { recorder } = await lookupRun({ city: "PARIS", lat: 49, days: 1 });
    await expect(recorder).toHaveNoDriftFrom(cassette, { tolerances });
    await expect(recorder).toMatchCassette(cassette, { tolerances });
    await expect(recorder).not.toMatchCassette(cassette);
    const error = await rejection(expect(recorder).not.toHaveNoDriftFrom(cassette, { tolerances }));
    expect((error as Error).message).toContain(
      "Tolerances used:\n" +
        "  - lookup:/city case, 1 time\n" +
        "  - lookup:/days default 1, 1 time\n" +
        "  - lookup:/lat numeric ±0.5, 1 time",
    );
  });

  it("toHaveNoDriftFrom fails on what is beyond them, with that place alone", async () => {
    const { cassette } = await lookupRun({ city: "Paris", lat: 48.8 });
    const { recorder } = await lookupRun({ city: "PARIS", lat: 50 });
    expect(await rejection(expect(recorder).toHaveNoDriftFrom(cassette, { tolerances }))).toMatchObject({
      message: expect.stringContaining("Tolerances used:\n  - lookup:/city case, 1 time"),
      expected: [{ turn: 0, tool: "lookup", at: { "/lat": 48.8 } }],
      actual: [{ turn: 0, tool: "lookup", at: { "/lat": 50 } }],
    });
  });

  it("toCallTool compares its arguments under them, together with asymmetric matchers", async () => {
    const { result } = await lookupRun({ city: "PARIS", lat: 49, days: 1, id: "x" });
    expect(result).toCallTool("lookup", { city: "paris", lat: 48.8, id: expect.any(String) }, { tolerances });
    expect(result).not.toCallTool("lookup", { city: "paris", lat: 48.8, id: expect.any(Number) }, { tolerances });
    expect(result).not.toCallTool("lookup", { city: "paris", lat: 48, id: "x" }, { tolerances });
    expect(result).not.toCallTool("lookup", { city: "paris", lat: 48.8, id: "x" });
    const error = refusal(() =>
      expect(result).not.toCallTool("lookup", { city: "paris", lat: 49, id: "x" }, { tolerances }),
    );
    expect((error as Error).message).toContain("lookup:/days default 1, 1 time");
  });

  it("refuse a path or a plain object in place of tolerances", async () => {
    const { cassette, result } = await lookupRun();
    const loose = { tolerances: "cassette.tolerances.json" } as never;
    expect(await rejection(expect(cassette).toHaveNoDriftFrom(cassette, loose))).toMatchObject({
      code: "matcher-misuse",
      message: expect.stringContaining("its option tolerances must be tolerances"),
    });
    expect(refusal(() => expect(result).toCallTool("lookup", {}, loose))).toMatchObject({ code: "matcher-misuse" });
  });
});
