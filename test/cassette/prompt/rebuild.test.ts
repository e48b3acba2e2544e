import { describe, expect, it } from "vitest";
import { rebuildPrompts } from "../../../src/cassette/prompt/rebuild.js";
import { prompt, recordTurns } from "../../support/recording.js";
import { say } from "../../support/script.js";

describe("rebuildPrompts", () => {
  it("gives every turn's whole prompt", async () => {
    const requests = [prompt("a", "b"), prompt("a", "x", "y"), prompt("a")];
    const cassette = await recordTurns(requests, [say("1"), say("2"), say("3")]);
    expect(rebuildPrompts(cassette)).toEqual(requests.map((request) => request.messages));
  });
});
