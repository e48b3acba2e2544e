import { describe, expect, it } from "vitest";
import { recordingProvider } from "../../../src/cassette/index.js";
import "../../../src/entry/vitest.js";
import { rejection } from "../../support/refusal.js";
import { callRun, lookupRun } from "../vitest/runs.js";
import { say } from "../../support/script.js";

describe("toHaveNoDriftFrom", () => {
  it("passes where calls and texts are the same, whatever the number of turns", async () => {
    const silent = async (turns: number) => {
      const recorder = recordingProvider({ turn: async () => say("") });
      for (let turn = 0; turn < turns; turn++) await recorder.turn({ messages: [] });
      return recorder.toCassette();
    };
    await expect((await lookupRun()).recorder).toHaveNoDriftFrom((await lookupRun()).cassette);
    await expect(await silent(2)).toHaveNoDriftFrom(await silent(1));
  });

  it("fails on another text, unless content is left out", async () => {
    const { cassette } = await lookupRun();
    const { recorder } = await lookupRun({ city: "Paris" }, "rain");
    const error = await rejection(expect(recorder).toHaveNoDriftFrom(cassette));
    expect(error).toMatchObject({
      message: expect.stringContaining(`but there is 1 difference:\n  - The assistant's text changed at turn 1`),
      expected: [{ turn: 1, text: "sunny" }],
      actual: [{ turn: 1, text: "rain" }],
    });
    await expect(recorder).toHaveNoDriftFrom(cassette, { content: false });
  });

  it("leaves out the ignored places, in the difference it draws as well", async () => {
    const { cassette } = await lookupRun({ city: "Paris", at: 1, by: { id: "x" } });
    const { recorder } = await lookupRun({ city: "Oslo", at: 2, by: { id: "y" } });
    const ignore = ["/at", "lookup:/by/id"];
    expect(await rejection(expect(recorder).toHaveNoDriftFrom(cassette, { ignore }))).toMatchObject({
      expected: [{ turn: 0, tool: "lookup", at: { "/city": "Paris" } }],
      actual: [{ turn: 0, tool: "lookup", at: { "/city": "Oslo" } }],
    });
    await expect(recorder).toHaveNoDriftFrom(cassette, { ignore: [...ignore, "/city"] });
  });

  it("shows an argument that is new or gone on its side alone", async () => {
    const { cassette } = await lookupRun({ city: "Paris" });
    const { recorder } = await lookupRun({ town: "Paris" });
    expect(await rejection(expect(recorder).toHaveNoDriftFrom(cassette))).toMatchObject({
      expected: [{ at: { "/city": "Paris" } }],
      actual: [{ at: { "/town": "Paris" } }],
    });
  });

  it("says under .not what was the same and what was left out", async () => {
    const { cassette } = await lookupRun();
    const options = { content: false, ignore: ["/at", "save:/to"] };
    const words = async (...rest: [object?]) => rejection(expect(cassette).not.toHaveNoDriftFrom(cassette, ...rest));
    expect(await words()).toMatchObject({
      message: expect.stringContaining("but its calls and texts are the same.\n"),
    });
    expect(await words(options)).toMatchObject({
      message: expect.stringContaining("but its calls are the same, /at and save:/to ignored.\n"),
    });
  });

  it("refuses wrong options and wrong rules, also under .not", async () => {
    const { cassette } = await callRun({ name: "save" });
    for (const assertion of [expect(cassette), expect(cassette).not]) {
      const refused = async (options: unknown) => rejection(assertion.toHaveNoDriftFrom(cassette, options as object));
      expect(await refused({ ignoreContent: true })).toMatchObject({
        code: "matcher-misuse",
        message:
          "toHaveNoDriftFrom: it has no option ignoreContent. The options are content, ignore, order, readOnly, tolerances, scenario, requireIntegrity, lock, trust, requireSignature.",
      });
      expect(await refused({ ignore: "/at" })).toMatchObject({
        message: expect.stringContaining("its option ignore must be a list of strings"),
      });
      expect(await refused({ ignore: ["at"] })).toMatchObject({ code: "invalid-options" });
    }
  });

  it("refuses a value that is not a cassette on either side, also under .not", async () => {
    const { cassette, result } = await lookupRun();
    for (const [run, base] of [
      [result, cassette],
      [cassette, result],
    ]) {
      for (const assertion of [expect(run), expect(run).not]) {
        expect(await rejection(assertion.toHaveNoDriftFrom(base as never))).toMatchObject({ code: "matcher-misuse" });
      }
    }
  });

  it("rejects for a base that is not there, also under .not", async () => {
    const { cassette } = await lookupRun();
    for (const assertion of [expect(cassette), expect(cassette).not]) {
      expect(await rejection(assertion.toHaveNoDriftFrom("no/such.cassette.json"))).toMatchObject({
        code: "file-not-found",
      });
    }
  });
});
