// Request fields that no setting stands for, against recordings that hold them and recordings that do not.

import { expect, it } from "vitest";
import { changeText, compareOffers, placeOf } from "../../../src/cassette/offer/compare-offers.js";
import { compareContracts, diffContracts } from "../../../src/cassette/offer/run-offers.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import {
  comparableContexts,
  createWireFieldCheck,
  fieldsOfOtherWires,
} from "../../../src/cassette/offer/wire-fields.js";
import { hashJson } from "../../../src/core/index.js";
import type { LlmSettings } from "../../../src/core/model/provider.js";
import { recordTurns } from "../../support/recording.js";
import { say } from "../../support/script.js";

const context = (settings: object) => ({ fromTurn: 0, toolsHash: "", settingsHash: "", settings: settings as never });
const low = { temperature: 0, openai: { reasoning_effort: "low" } } as LlmSettings;

it("leaves fields out for a recording without them, warns once and counts the turns", () => {
  const warned: string[] = [];
  const check = createWireFieldCheck([context({ temperature: 0 })], (text) => void warned.push(text));
  expect(check.known(low)).toEqual({ temperature: 0 });
  for (const settings of [low, { temperature: 0 }, undefined, low]) check.answered(settings);
  expect(check.uncompared()).toEqual({ fields: ["reasoning_effort"], turns: 2 });
  expect(warned).toEqual([expect.stringContaining("not compared: reasoning_effort.")]);
});

it("compares every turn of a recording that holds fields at one of its turns", () => {
  const check = createWireFieldCheck([context({ temperature: 0 }), context(low)]);
  expect(check.known(low)).toBe(low);
  check.answered(low);
  expect(check.uncompared().turns).toBe(0);
});

it("compares every turn of a recording that says it was made without fields", () => {
  const check = createWireFieldCheck([context({ openai: {} })]);
  expect(check.known(low)).toBe(low);
  expect(check.known({ temperature: 0, openai: {} } as LlmSettings)).toEqual({ temperature: 0 });
  const [plain] = comparableContexts([context({ temperature: 0, openai: {} })]);
  expect(plain).toMatchObject({ settings: { temperature: 0 }, settingsHash: hashJson({ temperature: 0 }) });
});

it("neither warns about nor counts a request without fields", () => {
  const warned: string[] = [];
  const check = createWireFieldCheck([context({})], (text) => void warned.push(text));
  check.answered({ openai: {} } as LlmSettings);
  expect([warned, check.uncompared().turns]).toEqual([[], 0]);
});

it("replays for a program without a wire what was recorded over one without fields, and the other way round", async () => {
  const messages = [{ role: "user" as const, content: "q" }];
  const [plain, empty] = [{ temperature: 0 }, { temperature: 0, openai: {} } as LlmSettings];
  for (const [recorded, asked] of [
    [empty, plain],
    [plain, empty],
  ] as const) {
    const cassette = await recordTurns([{ messages, settings: recorded }], [say("a")]);
    const response = await cassetteProvider(cassette).turn({ messages, settings: asked });
    expect(response.finalAnswer).toBe("a");
    const other = await recordTurns([{ messages, settings: asked }], [say("a")]);
    expect(compareContracts(cassette, other)).toEqual({ state: "compared", changes: [] });
  }
  const cassette = await recordTurns([{ messages, settings: empty }], [say("a")]);
  await expect(cassetteProvider(cassette).turn({ messages, settings: low })).rejects.toMatchObject({
    miss: { what: "the request field reasoning_effort was added", pointer: "/openai/reasoning_effort" },
  });
});

it("takes the fields of other wires from settings, and nothing else", () => {
  const settings = { temperature: 0, openai: { a: 1 }, ollama: { b: 2 } };
  expect(fieldsOfOtherWires(settings, "openai")).toEqual({ ollama: { b: 2 } });
});

it("names each changed field, in a miss and in a comparison of two runs", async () => {
  const high = { temperature: 0, openai: { reasoning_effort: "high", top_k: 3 } } as LlmSettings;
  const changes = compareOffers([{ settings: low as never }], [{ settings: high as never }]);
  expect(changes.map((change) => [changeText(change), placeOf(change).pointer])).toEqual([
    ["the request field reasoning_effort changed", "/openai/reasoning_effort"],
    ["the request field top_k was added", "/openai/top_k"],
  ]);
  const [old, now] = await Promise.all(
    [low, high].map((settings) => recordTurns([{ messages: [{ role: "user", content: "q" }], settings }], [say("a")])),
  );
  expect(diffContracts(old as never, now as never).map(({ name }) => name)).toEqual([
    "openai.reasoning_effort",
    "openai.top_k",
  ]);
});
