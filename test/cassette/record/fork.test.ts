import { afterAll, describe, expect, it } from "vitest";
import { buildCassette } from "../../../src/cassette/file/build.js";
import type { CassetteError } from "../../../src/cassette/errors.js";
import { forkProvider, resumeProvider } from "../../../src/cassette/record/fork.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmStreamEvent, LlmTurnResponse } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { recordedCassette, verifyKept } from "../../support/oracle.js";
import { draft, fixedPorts, prompt, recordTurns, runWeather, weatherCassette } from "../../support/recording.js";
import { refusal, rejection } from "../../support/refusal.js";
import { ask, say } from "../../support/script.js";

afterAll(verifyKept);

const ports = fixedPorts(100);
const never = () => {
  throw new Error("the live provider was made");
};

async function replayWhole(cassette: CassetteV2, run = {}) {
  const replay = cassetteProvider(parseCassette(formatCassette(cassette)));
  const result = await runWeather(replay, run);
  replay.assertConsumed();
  return result;
}

describe("a source whose extensions are not what a recorder writes", () => {
  it("lists what was redacted on either side of the fork in one order", async () => {
    const secret = "gh" + "p_" + "a1B2c3D4e5".repeat(4);
    const redact = { values: ["correct-horse"], custom: (response: LlmTurnResponse) => response };
    const first = prompt("correct-horse");
    const source = await recordTurns([first], [say("one")], { redact });
    expect(source.extensions?.redacted).toEqual(["custom", "value"]);
    const fork = forkProvider(source, { at: 1, live: scriptedProvider([say("two")]), redact });
    await fork.turn(first);
    await fork.turn(prompt("correct-horse", secret));
    expect(recordedCassette(fork).extensions?.redacted).toEqual(["custom", "github-token", "value"]);
  });

  it.each([null, 5, {}])("is forked and resumed where redacted is %j", async (redacted) => {
    const { entries, ...head } = await recordTurns([prompt("a")], [say("b")]);
    const source = buildCassette({ ...head, extensions: { redacted: redacted as never } }, entries);
    const resumed = resumeProvider(source, { live: never, ports });
    await resumed.turn(prompt("a"));
    expect(recordedCassette(resumed).extensions).not.toHaveProperty("redacted");
  });

  it.each([{ tools: 5 }, { tools: [null] }, { settings: null }, { settings: [] }])(
    "is refused where a context has %j",
    async (wrong) => {
      const { entries, ...head } = await recordTurns([prompt("a")], [say("b")]);
      const context = { fromTurn: 0, toolsHash: "x", settingsHash: "y", ...wrong };
      const source = buildCassette({ ...head, extensions: { contexts: [context as never] } }, entries);
      expect(() => forkProvider(source, { at: 1, live: never, ports })).toThrow(
        expect.objectContaining({ code: "wrong-type" }),
      );
    },
  );
});

describe("forkProvider", () => {
  it("replays up to the turn, goes live there, and records the whole with an id of its own", async () => {
    const source = await weatherCassette();
    const fork = forkProvider(source, { at: 1, live: scriptedProvider([say("Stay in.")]), ports });
    expect((await runWeather(fork)).finalAnswer).toBe("Stay in.");
    expect([fork.turns, fork.replayed, fork.isLive, fork.name]).toEqual([2, 1, true, "scripted"]);
    const cassette = recordedCassette(fork);
    expect(cassette.extensions?.["forkedFrom"]).toEqual({
      cassetteId: source.cassetteId,
      envelopeHash: source.envelopeHash,
      at: 1,
    });
    expect(cassette.cassetteId).not.toBe(source.cassetteId);
    expect([cassette.agentId, cassette.entries[0]?.response]).toEqual(["researcher", source.entries[0]?.response]);
    expect((await replayWhole(cassette)).finalAnswer).toBe("Stay in.");
  });

  it("replays all of it where it forks at the end, and none where it forks at 0", async () => {
    const source = await weatherCassette();
    const whole = forkProvider(source, { at: 2, live: never, ports });
    expect((await runWeather(whole)).finalAnswer).toBe("Take an umbrella.");
    expect(recordedCassette(whole).entries.map((entry) => entry.response)).toEqual(
      source.entries.map((entry) => entry.response),
    );
    expect(whole.isLive).toBe(false);
    const none = forkProvider(source, { at: 0, live: scriptedProvider([say("new")]), ports });
    expect((await runWeather(none, { goal: "another" })).finalAnswer).toBe("new");
    expect(recordedCassette(none).entries).toHaveLength(1);
  });

  it("makes the live provider once, at the first live turn", async () => {
    let made = 0;
    const live = () => {
      made++;
      return Promise.resolve(scriptedProvider([say("b"), say("c")]));
    };
    const fork = forkProvider(await recordTurns([prompt("a")], [say("1")]), { at: 1, live, ports });
    await fork.turn(prompt("a"));
    expect(made).toBe(0);
    await fork.turn(prompt("b"));
    await fork.turn(prompt("c"));
    expect(made).toBe(1);
  });

  it("is strict before the fork", async () => {
    const fork = forkProvider(await weatherCassette(), { at: 2, live: never, file: "w.cassette.json" });
    const error = (await rejection(runWeather(fork, { weather: "sun" }))) as CassetteError;
    expect([error.code, error.file]).toEqual(["prompt-changed", "w.cassette.json"]);
  });

  it("gives no cassette of a run that ended before the fork", async () => {
    const fork = forkProvider(await recordTurns([prompt("a"), prompt("b")], [say("1"), say("2")]), {
      at: 2,
      live: never,
    });
    await fork.turn(prompt("a"));
    const error = refusal(() => fork.toCassette()) as CassetteError;
    expect([error.code, error.summary]).toEqual([
      "unconsumed",
      "the run ended at turn 1, before it reached turn 2, where it should fork",
    ]);
  });

  it("never keeps an error of the live provider as an answer", async () => {
    const failing = scriptedProvider([() => Promise.reject(new Error("down")), say("up")]);
    const fork = forkProvider(await recordTurns([prompt("a")], [say("1")]), { at: 1, live: failing, ports });
    await fork.turn(prompt("a"));
    await rejection(fork.turn(prompt("b")));
    await fork.turn(prompt("b"));
    expect(recordedCassette(fork).entries.map((entry) => entry.response.finalAnswer)).toEqual(["1", "up"]);
  });

  it("streams the replayed turns and the live ones, whether the live provider can or not", async () => {
    const fork = forkProvider(await recordTurns([prompt("a")], [say("1")]), {
      at: 1,
      live: { turn: () => Promise.resolve(say("2")) },
      ports,
    });
    const events: LlmStreamEvent[] = [];
    for (const request of [prompt("a"), prompt("b")]) {
      for await (const event of fork.stream!(request)) events.push(event);
    }
    expect(events.map((event) => (event.type === "response" ? event.response.finalAnswer : event))).toEqual([
      { type: "text-delta", text: "1" },
      "1",
      { type: "text-delta", text: "2" },
      "2",
    ]);
    expect(recordedCassette(fork).entries).toHaveLength(2);
  });

  it("keeps the filter and the mark of redaction of its source", async () => {
    const hashFilter = (messages: LlmMessage[]) => messages.filter((message) => message.role !== "system");
    const source = await weatherCassette({ hashFilter, redact: (response) => response });
    expect((refusal(() => forkProvider(source, { at: 1, live: never })) as CassetteError).code).toBe(
      "filter-one-sided",
    );
    const fork = forkProvider(source, { at: 1, live: scriptedProvider([say("x")]), hashFilter, ports });
    await runWeather(fork, { systemPrompt: "another day" });
    expect(recordedCassette(fork).extensions).toMatchObject({ filtered: true, redacted: ["custom"] });
  });

  it.each([-1, 3, 0.5, NaN])("refuses to fork at %s", async (at) => {
    const source = await weatherCassette();
    const error = refusal(() => forkProvider(source, { at, live: never })) as CassetteError;
    expect([error.code, error.hint]).toEqual([
      "invalid-options",
      "The recording has 2 turns: pass a number from 0 to 2.",
    ]);
  });

  it("refuses version 1 and an edited cassette", async () => {
    const { entries, recordedAt, recordedProvider } = await recordTurns([prompt("a")], [say("x")]);
    const bare = entries.map(({ turnIndex, promptHash, response }) => ({ turnIndex, promptHash, response }));
    const old = { version: 1, recordedAt, recordedProvider, entries: bare };
    expect((refusal(() => forkProvider(old, { at: 0, live: never })) as CassetteError).code).toBe("integrity-required");
    const edited = draft(await weatherCassette());
    edited.entries.pop();
    expect((refusal(() => forkProvider(edited, { at: 0, live: never })) as CassetteError).code).toBe("envelope-hash");
  });
});

describe("resumeProvider", () => {
  it("replays until the first miss, and is live from there on", async () => {
    const source = await weatherCassette();
    const live = scriptedProvider([ask([{ name: "weather" }]), say("Go out.")]);
    const resume = resumeProvider(source, { live, ports });
    expect((await runWeather(resume, { weather: "sun" })).finalAnswer).toBe("Go out.");
    expect([resume.replayed, resume.remaining, resume.isLive]).toEqual([1, 1, true]);
    const cassette = recordedCassette(resume);
    expect(cassette.entries).toHaveLength(3);
    expect(cassette.extensions?.["forkedFrom"]).toMatchObject({ cassetteId: source.cassetteId, at: 1 });
    expect((await replayWhole(cassette, { weather: "sun" })).finalAnswer).toBe("Go out.");
  });

  it("asks nobody where nothing is missed", async () => {
    const resume = resumeProvider(await weatherCassette(), { live: never });
    await runWeather(resume);
    expect([resume.replayed, resume.remaining, resume.isLive]).toEqual([2, 0, false]);
  });

  it("goes on live where the run is longer than the recording", async () => {
    const source = await recordTurns([prompt("a")], [say("1")]);
    const resume = resumeProvider(source, { live: scriptedProvider([say("2")]), ports });
    await resume.turn(prompt("a"));
    expect((await resume.turn(prompt("b"))).finalAnswer).toBe("2");
  });

  it("rejects with the signal's reason, which is not a miss", async () => {
    const resume = resumeProvider(await recordTurns([prompt("a")], [say("1")]), { live: never });
    const reason = new Error("stop");
    expect(await rejection(resume.turn({ ...prompt("a"), signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(resume.isLive).toBe(false);
  });
});
