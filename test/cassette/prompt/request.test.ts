import { describe, expect, it } from "vitest";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { prompt, recordTurns } from "../../support/recording.js";
import { rejection } from "../../support/refusal.js";
import { say } from "../../support/script.js";

const cassette = await recordTurns([prompt("a")], [say("x")]);

describe("a value that is not a request", () => {
  it.each<[unknown, string]>([
    [null, "the request is null, not an object"],
    [{}, "the messages of the request are not a list of messages: it is undefined"],
    [{ messages: null }, "the messages of the request are not a list of messages: it is null"],
    [{ messages: [null] }, "the messages of the request are not a list of messages: item 0 is null"],
    [{ messages: new Array(1) }, "the messages of the request are not a list of messages: item 0 is undefined"],
    [{ messages: ["hi"] }, "the messages of the request are not a list of messages: item 0 is a string"],
    [{ messages: [], tools: "none" }, "the tools of the request are a string, not a list"],
    [{ messages: [], settings: [] }, "the settings of the request are a list, not an object"],
  ])("is refused by recorder and replayer in the same words: %j", async (request, summary) => {
    let called = false;
    const inner = { turn: async () => ((called = true), say("x")) };
    for (const provider of [recordingProvider(inner), cassetteProvider(cassette)]) {
      expect(await rejection(provider.turn(request as never))).toMatchObject({ code: "invalid-options", summary });
    }
    expect(called).toBe(false);
  });

  it("may have null for tools and settings, as for absent ones", async () => {
    const request = { ...prompt("a"), tools: null, settings: null } as never;
    expect(await cassetteProvider(cassette).turn(request)).toEqual(say("x"));
  });
});
