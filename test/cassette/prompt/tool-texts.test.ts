import { describe, expect, it } from "vitest";
import type { CassetteError } from "../../../src/cassette/errors.js";
import { mapDescriptions } from "../../../src/cassette/prompt/tool-texts.js";
import { cassetteProvider, type ReplayOptions } from "../../../src/cassette/replay/replay.js";
import { createShelf } from "../../../src/cassette/serve/shelf.js";
import { VENDORS, type LlmTurnRequest } from "../../../src/core/index.js";
import { prompt, recordTurns } from "../../support/recording.js";
import { rejection } from "../../support/refusal.js";
import { say } from "../../support/script.js";

const offering = (month: string, day = "any day", unit = "celsius"): LlmTurnRequest => ({
  ...prompt("Look it up."),
  tools: [
    {
      name: "search",
      description: `Searches the web. The current month is ${month}.`,
      schema: {
        type: "object",
        properties: { day: { type: "string", description: `such as ${day}` }, unit: { enum: [unit] } },
      },
    },
  ],
});
const recorded = (options = {}) => recordTurns([offering("May 2026", "2026-05-03")], [say("Found.")], options);
const later = offering("June 2026", "2026-06-04");

const replayed = async (request: LlmTurnRequest, options: ReplayOptions, recording = {}) =>
  cassetteProvider(await recorded(recording), options).turn(request);

describe("filters of the descriptions of tools", () => {
  it("answer a request whose tools name another day", async () => {
    await expect(replayed(later, { hashFilter: ["date", "isoDate"] })).resolves.toMatchObject(say("Found."));
  });

  it("are noted in the recording", async () => {
    await expect(replayed(later, {}, { hashFilter: ["date", "isoDate"] })).resolves.toMatchObject(say("Found."));
  });

  it("answer over a wire", async () => {
    const shelf = createShelf([{ file: "a", cassette: await recorded(), names: [] }], {
      hashFilter: ["date", "isoDate"],
    });
    const wire = VENDORS.anthropic;
    const { request } = wire.parse(wire.encode(later, "m-1", 100));
    const found = await shelf.answer(wire, request);
    expect(found.response).toMatchObject(say("Found."));
  });

  it("are named by a miss without them", async () => {
    const { miss } = (await rejection(replayed(later, {}))) as CassetteError;
    expect(miss).toMatchObject({ code: "tools-changed", filters: ["isoDate", "date"] });
    expect(miss?.what).toBe(
      "the description of tool search changed, the schema of tool search changed at /properties/day/description; the two differ only in a date",
    );
  });

  it.each([
    ["another value", offering("May 2026", "2026-05-03", "kelvin")],
    ["another word", offering("May 2026", "no day")],
    ["another tool", { ...prompt("Look it up."), tools: [] }],
  ])("leave %s a miss that names no filter", async (_, request) => {
    const { miss } = (await rejection(replayed(request, { hashFilter: ["date", "isoDate"] }))) as CassetteError;
    expect([miss?.code, miss?.filters]).toEqual(["tools-changed", undefined]);
  });
});

describe("mapDescriptions", () => {
  const upper = (text: string): string => text.toUpperCase();

  it("rewrites each description and nothing else", () => {
    const tool = { name: "a", description: "b", schema: { anyOf: [{ description: "c", const: "d" }], description: 1 } };
    expect(mapDescriptions([tool], upper)).toEqual([
      { name: "a", description: "B", schema: { anyOf: [{ description: "C", const: "d" }], description: 1 } },
    ]);
  });

  it("returns what it got where nothing changed", () => {
    const tools = [{ name: "a", description: "B", schema: { properties: { description: { type: "string" } } } }];
    expect(mapDescriptions(tools, upper)).toBe(tools);
  });

  it("keeps a property named __proto__", () => {
    const tool = JSON.parse('{"__proto__":{"description":"a"}}') as object;
    expect(JSON.stringify(mapDescriptions(tool, upper))).toBe('{"__proto__":{"description":"A"}}');
  });
});
