import { describe, expect, it } from "vitest";
import { createRecorder } from "../../../src/cassette/record/recorder.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { answer, get, post, recordExchanges } from "../../support/exchange-recording.js";
import { fixedPorts, prompt } from "../../support/recording.js";
import { refusal } from "../../support/refusal.js";
import { say } from "../../support/script.js";

describe("exchanges of a recorder", () => {
  const embed = post("/v1/embeddings", { input: "a" });

  it("stand in the cassette of the turns, in the order of their calls", async () => {
    const recorder = createRecorder(() => "proxy", { ports: fixedPorts() });
    const first = recorder.exchange(embed);
    const turn = recorder.open(prompt("q"));
    recorder.exchange(get("/v1/models")).answer(answer({ data: [] }));
    expect(refusal(() => recorder.toCassette())).toMatchObject({ code: "turn-in-progress" });
    turn.answer(say("a"));
    expect(refusal(() => recorder.toCassette())).toMatchObject({
      code: "turn-in-progress",
      summary: "1 recorded call(s) are still unanswered",
    });
    first.answer(answer({ data: [1] }));
    const cassette = recorder.toCassette();
    expect(cassette.entries).toHaveLength(1);
    expect(cassette.extensions?.exchanges?.map(({ path }) => path)).toEqual(["/v1/embeddings", "/v1/models"]);
    expect(parseCassette(formatCassette(cassette))).toEqual(cassette);
    const warnings: string[] = [];
    const provider = cassetteProvider(cassette, { ports: { warn: (text) => warnings.push(text) } });
    expect(await provider.turn(prompt("q"))).toMatchObject({ finalAnswer: "a" });
    expect(() => provider.assertConsumed()).not.toThrow();
    expect(warnings).toEqual([
      expect.stringContaining("2 recorded exchanges left out: a provider replays turns alone."),
    ]);
  });

  it("make a cassette without turns, whose exchanges are frozen", () => {
    const cassette = recordExchanges([[embed, answer({ data: [1] })]]);
    expect(cassette.entries).toEqual([]);
    expect(Object.isFrozen(cassette.extensions?.exchanges?.[0])).toBe(true);
    expect(parseCassette(formatCassette(cassette))).toEqual(cassette);
  });

  it("leave no trace if there were none", () => {
    const recorder = createRecorder(() => "proxy", { ports: fixedPorts() });
    recorder.exchange(embed).fail();
    expect(recorder.toCassette().extensions).not.toHaveProperty("exchanges");
  });
});
