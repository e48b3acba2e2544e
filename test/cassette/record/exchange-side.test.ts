// Exchanges of a provider, for a caller that has HTTP requests.

import { afterAll, describe, expect, it } from "vitest";
import type { PlainRequest } from "../../../src/cassette/exchange/http.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { claimExchanges, exchangeSideOf } from "../../../src/cassette/record/exchange-side.js";
import { forkProvider, resumeProvider } from "../../../src/cassette/record/fork.js";
import { createRecorder } from "../../../src/cassette/record/recorder.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { answer, get, jsonOf, post } from "../../support/exchange-recording.js";
import { keepForOracle, verifyKept } from "../../support/oracle.js";
import { fixedPorts, prompt } from "../../support/recording.js";
import { say } from "../../support/script.js";

afterAll(verifyKept);

const embed = (input: string): PlainRequest => post("/v1/embeddings", { input });
const quiet = { ports: { ...fixedPorts(), warn: () => undefined } };

function recorded(): CassetteV2 {
  const recorder = createRecorder(() => "proxy", { ports: fixedPorts() });
  recorder.open(prompt("q")).answer(say("a"));
  recorder.exchange(embed("one")).answer(answer({ data: [1] }));
  recorder.exchange(embed("two")).answer(answer({ data: [2] }));
  return keepForOracle(recorder.toCassette());
}

const inputsOf = ({ extensions }: CassetteV2) => extensions?.exchanges?.map(({ request }) => request);

describe("a recording that continues another", () => {
  it("keeps the exchanges of the other if no caller answers them", async () => {
    const fork = resumeProvider(recorded(), { live: scriptedProvider([]), ...quiet });
    await fork.turn(prompt("q"));
    expect(inputsOf(fork.toCassette())).toEqual([{ json: { input: "one" } }, { json: { input: "two" } }]);
  });

  it("records those that its caller answered from the other, and those of the vendor", async () => {
    const fork = resumeProvider(recorded(), { live: scriptedProvider([say("b")]), ...quiet });
    const side = claimExchanges(fork);
    const found = side.take?.(embed("two"));
    expect([found?.index, found && jsonOf(found.answer)]).toEqual([1, { data: [2] }]);
    expect([side.take?.(embed("two")), side.take?.(embed("three")), side.isRepeated?.()]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    side.open?.(embed("three")).answer(answer({ data: [3] }));
    expect(await fork.turn(prompt("q"))).toMatchObject({ finalAnswer: "a" });
    await fork.turn(prompt("other"));
    // The run is live now.
    expect(side.take?.(embed("one"))).toBeUndefined();
    expect([side.count?.(), inputsOf(fork.toCassette())]).toEqual([
      2,
      [{ json: { input: "two" } }, { json: { input: "three" } }],
    ]);
  });

  it("knows whether its exchanges are those of the other", () => {
    const side = claimExchanges(resumeProvider(recorded(), { live: scriptedProvider([]), ...quiet }));
    expect(side.isRepeated?.()).toBe(false);
    side.take?.(embed("two"));
    side.take?.(embed("one"));
    expect(side.isRepeated?.()).toBe(true);
    side.open?.(get("/v1/models")).fail();
    expect(side.isRepeated?.()).toBe(false);
  });

  it("answers none from the other after the turn where it forks", async () => {
    const fork = forkProvider(recorded(), { at: 1, live: scriptedProvider([]), ...quiet });
    const side = claimExchanges(fork);
    expect(side.take?.(embed("one"))).toBeDefined();
    await fork.turn(prompt("q"));
    expect(side.take?.(embed("two"))).toBeUndefined();
    expect(inputsOf(fork.toCassette())).toEqual([{ json: { input: "one" } }]);
  });

  it("can be forked from a recording with a filter by a pattern", async () => {
    const filters = [{ name: "chunk", pattern: "chunk [0-9]+" }];
    const recorder = createRecorder(() => "proxy", { ports: fixedPorts(), hashFilter: filters });
    recorder.open(prompt("chunk 1")).answer(say("a"));
    recorder.exchange(embed("chunk 1")).answer(answer({ data: [1] }));
    const fork = forkProvider(recorder.toCassette(), { at: 1, live: scriptedProvider([]), ...quiet });
    expect(claimExchanges(fork).take?.(embed("chunk 2"))).toBeDefined();
    expect(await fork.turn(prompt("chunk 3"))).toMatchObject({ finalAnswer: "a" });
    expect(keepForOracle(fork.toCassette()).extensions).toMatchObject({ filters: ["chunk"] });
  });
});

it("a provider that does not record has no exchanges", () => {
  expect(exchangeSideOf(scriptedProvider([]))).toEqual({});
});
