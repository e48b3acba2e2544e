// What is kept of streams, and what a replay makes of a record that is malformed, too large, or of another response.

import { MAX_STREAM_PIECES } from "../../../src/cassette/limits.js";
import { withSpaces } from "../../../src/cassette/stream/spaces.js";
import { planStream } from "../../../src/cassette/stream/texts.js";
import { afterAll, describe, expect, it } from "vitest";
import { buildCassette } from "../../../src/cassette/file/build.js";
import { forkProvider, resumeProvider } from "../../../src/cassette/record/fork.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import type { RecordingOptions } from "../../../src/cassette/record/recorder.js";
import { cassetteProvider, type ReplayOptions } from "../../../src/cassette/replay/replay.js";
import type { LlmProviderAdapter, LlmStreamEvent, LlmTurnRequest, LlmTurnResponse } from "../../../src/core/index.js";
import { fixedClock } from "../../../src/harness/doubles/clock.js";
import { recordedCassette, verifyKept } from "../../support/oracle.js";
import { draft, fixedPorts, prompt } from "../../support/recording.js";
import { rejection } from "../../support/refusal.js";
import { ask, say } from "../../support/script.js";

afterAll(verifyKept);

/** Streams the same events whenever it is asked. */
function streamer(...events: LlmStreamEvent[]) {
  return {
    name: "streamer",
    turn: async (): Promise<LlmTurnResponse> => say("not streamed"),
    async *stream(): AsyncGenerator<LlmStreamEvent> {
      yield* events;
    },
  };
}

const hello: LlmStreamEvent[] = [
  { type: "text-delta", text: "hel" },
  { type: "text-delta", text: "lo" },
  { type: "response", response: say("hello") },
];

async function eventsOf(events: AsyncIterable<LlmStreamEvent>): Promise<LlmStreamEvent[]> {
  const all: LlmStreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const streamOf = (provider: LlmProviderAdapter, request: LlmTurnRequest = prompt("hi")) =>
  (provider.stream as (request: LlmTurnRequest) => AsyncIterable<LlmStreamEvent>)(request);

async function recordStream(events: LlmStreamEvent[], options: RecordingOptions = {}): Promise<CassetteV2> {
  const recorder = recordingProvider(streamer(...events), { ports: fixedPorts(), ...options });
  await eventsOf(streamOf(recorder));
  return recordedCassette(recorder);
}

/** The cassette with another record of its streams, its hashes recomputed. */
function withStreams(cassette: CassetteV2, streams: unknown): CassetteV2 {
  const { entries, envelopeHash, ...head } = draft(cassette);
  return buildCassette({ ...head, extensions: { ...head.extensions, streams } }, entries);
}

/** A replay that keeps what it warns of. */
function replayed(cassette: unknown, options: ReplayOptions = {}) {
  const warnings: string[] = [];
  const ports = { ...options.ports, warn: (message: string) => void warnings.push(message) };
  return { provider: cassetteProvider(cassette, { ...options, ports }), warnings };
}

describe("what a recorder keeps of a stream", () => {
  it("is where it was cut, and when only where that is asked for", async () => {
    expect((await recordStream(hello)).extensions?.streams).toEqual([{ turn: 0, deltas: "t3 t2" }]);
    expect((await recordStream(hello, { streams: "times" })).extensions?.streams).toEqual([
      { turn: 0, deltas: "t3 t2", end: 0 },
    ]);
    expect((await recordStream(hello, { streams: false })).extensions).not.toHaveProperty("streams");
  });

  it("is nothing for a turn that is not streamed", async () => {
    const recorder = recordingProvider(streamer(...hello), { ports: fixedPorts() });
    await recorder.turn(prompt("one"));
    expect(recordedCassette(recorder).extensions).not.toHaveProperty("streams");
    await eventsOf(streamOf(recorder, prompt("two")));
    expect(recordedCassette(recorder).extensions?.streams).toEqual([{ turn: 1, deltas: "t3 t2" }]);
  });

  it("holds no length of an answer that redaction made another", async () => {
    const redact = (response: LlmTurnResponse) => ({ ...response, message: { ...response.message, content: "***" } });
    const cassette = await recordStream(hello, { redact });
    expect(cassette.extensions?.streams).toEqual([{ turn: 0, unfit: "text" }]);
    const { provider, warnings } = replayed(cassette);
    expect(provider.streams).toMatchObject({ kind: "recorded", turns: [], whole: [{ turn: 0, isChanged: false }] });
    expect(warnings).toEqual([]);
    expect((await eventsOf(streamOf(provider)))[0]).toEqual({ type: "text-delta", text: "***" });
  });

  it("merges the deltas beyond its limit, and says how many", async () => {
    const text = "a".repeat(MAX_STREAM_PIECES + 50);
    const deltas = [...text].map((unit): LlmStreamEvent => ({ type: "text-delta", text: unit }));
    const cassette = await recordStream([...deltas, { type: "response", response: say(text) }]);
    expect(cassette.extensions?.streams).toMatchObject([{ merged: 50 }]);
    const events = await eventsOf(streamOf(replayed(cassette).provider));
    expect(events).toHaveLength(MAX_STREAM_PIECES + 1);
    expect(events.at(-2)).toEqual({ type: "text-delta", text: "a".repeat(51) });
  });

  it("is nothing more after the response, and nothing else than the three words is taken", async () => {
    const cassette = await recordStream([...hello, { type: "text-delta", text: "!" }]);
    expect(cassette.extensions?.streams).toEqual([{ turn: 0, deltas: "t3 t2" }]);
    expect(() => recordingProvider(streamer(), { streams: true as never })).toThrow(
      "streams of recordingProvider is true",
    );
  });
});

describe("events that do not belong to us", () => {
  it.each<[string, object]>([
    ["of another type", { type: "ping" }],
    ["without a text", { type: "text-delta" }],
    ["without arguments", { type: "tool-call-delta", index: 0 }],
    ["of a call without a place", { type: "tool-call-delta", argumentsText: "x" }],
  ])("%s pass by and do not end the run", async (_, event) => {
    const cassette = await recordStream([event as LlmStreamEvent, ...hello]);
    expect(cassette.extensions?.streams).toEqual([{ turn: 0, deltas: "t3 t2" }]);
  });
});

describe("a record of streams", () => {
  it("of more pieces than a recorder writes is refused before it is split", () => {
    const deltas = "t0 ".repeat(MAX_STREAM_PIECES + 3) + "t2";
    expect(planStream({ deltas }, say("ok"))).toBe(`it has more than ${MAX_STREAM_PIECES + 2} pieces`);
    expect(withSpaces("{}", "0s ".repeat(4) + "0s")).toBeUndefined();
  });

  const bad: [string, unknown][] = [
    ["is not a list", {}],
    ["is not an object", [7]],
    ["has a turn that is not in the recording", [{ deltas: "t5" }]],
    ["has a turn that is not in the recording", [{ turn: 3, deltas: "t5" }]],
    [
      "out of order",
      [
        { turn: 0, deltas: "t5" },
        { turn: 0, deltas: "t5" },
      ],
    ],
    ["unknown field", [{ turn: 0, deltas: "t5", chunks: 2 }]],
    ["deltas that are not a string", [{ turn: 0, deltas: [5] }]],
    ["spaces that are not strings", [{ turn: 0, deltas: "t5", spaces: { 0: 7 } }]],
    ["respelled calls", [{ turn: 0, deltas: "t5", respelled: "0" }]],
    ["a value of end that is not a count", [{ turn: 0, deltas: "t5", end: -1 }]],
    ["a value of merged that is not a count", [{ turn: 0, deltas: "t5", merged: 0.5 }]],
    ["fields besides turn", [{ turn: 0, unfit: "text", deltas: "t5" }]],
    ["unfit part", [{ turn: 0, unfit: "all" }]],
  ];

  it.each(bad)("that %s is not read, and said", async (why, streams) => {
    const { provider, warnings } = replayed(withStreams(await recordStream(hello), streams), { streaming: "timed" });
    expect(provider.streams).toEqual({ kind: "unreadable", why: expect.stringContaining(why) as string });
    expect(warnings).toEqual([expect.stringContaining(why)]);
    expect(await eventsOf(streamOf(provider))).toEqual([{ type: "text-delta", text: "hello" }, hello.at(-1)]);
  });

  it.each([
    ["t3", "shorter"],
    ["t3 t3", "longer"],
    ["t5 r1", "longer"],
    ["t5 c0:0", "lacks or spells differently"],
    ["t5  ", "is not a piece"],
    ["t05", "is not a piece"],
    ["t5+-1", "is not a piece"],
    ["x5", "is not a piece"],
  ])("that cuts a response of five units as %j is %s: the turn is streamed whole", async (deltas, why) => {
    const { provider, warnings } = replayed(withStreams(await recordStream(hello), [{ turn: 0, deltas }]));
    expect(provider.streams).toMatchObject({ turns: [], whole: [{ turn: 0, isChanged: true }] });
    expect(warnings).toEqual([expect.stringContaining(why)]);
    expect(await eventsOf(streamOf(provider))).toEqual([{ type: "text-delta", text: "hello" }, hello.at(-1)]);
  });

  it("whose white space does not fit the arguments is of another response", async () => {
    const response = ask([{ name: "look", arguments: { a: 1 } }]);
    const written = `{"a": 1}`;
    const cassette = await recordStream([
      { type: "tool-call-delta", index: 0, id: "c0", name: "look", argumentsText: written },
      { type: "response", response },
    ]);
    const streams = [{ turn: 0, deltas: "c0in:8", spaces: { 0: "5s" } }];
    expect(cassette.extensions?.streams).toEqual(streams);
    for (const spaces of ["9s", "5x", "s", "5"]) {
      const changed = withStreams(cassette, [{ ...streams[0], spaces: { 0: spaces } }]);
      expect(replayed(changed).provider.streams, spaces).toMatchObject({ whole: [{ isChanged: true }] });
    }
  });

  it("is not looked at by a replay that streams whole, which warns of nothing", async () => {
    const { provider, warnings } = replayed(withStreams(await recordStream(hello), 7), { streaming: "whole" });
    expect(await eventsOf(streamOf(provider))).toHaveLength(2);
    expect(warnings).toEqual([]);
  });
});

describe("a timed replay", () => {
  const waits = [{ turn: 0, deltas: "t3+40 t2+3600000", end: 20 }];
  const play = async (options: ReplayOptions, signal?: AbortSignal) => {
    const clock = fixedClock(1_000_000);
    const start = clock.now();
    const provider = cassetteProvider(withStreams(await recordStream(hello), waits), {
      streaming: "timed",
      ...options,
      ports: clock,
    });
    const request = { ...prompt("hi"), ...(signal === undefined ? {} : { signal }) };
    const seen: { event: LlmStreamEvent; at: number }[] = [];
    const all = async () => {
      for await (const event of streamOf(provider, request)) seen.push({ event, at: clock.now() - start });
    };
    return { clock, seen, all };
  };

  it("waits as recorded, no longer than the cap, and as much faster as it is told", async () => {
    const plain = await play({});
    await plain.clock.until(plain.all());
    expect(plain.seen.map(({ at }) => at)).toEqual([40, 10_040, 10_060]);
    const fast = await play({ speed: 2, maxGapMs: 1000 });
    await fast.clock.until(fast.all());
    expect(fast.seen.map(({ at }) => at)).toEqual([20, 520, 530]);
  });

  it("counts what the reader takes as waited", async () => {
    const { clock } = await play({});
    const provider = cassetteProvider(
      withStreams(await recordStream(hello), [{ turn: 0, deltas: "t3+40 t2+100", end: 5 }]),
      {
        streaming: "timed",
        ports: clock,
      },
    );
    const start = clock.now();
    const times: number[] = [];
    const slowly = async () => {
      for await (const _event of streamOf(provider)) {
        times.push(clock.now() - start);
        await clock.sleep(70);
      }
    };
    await clock.until(slowly());
    expect(times).toEqual([40, 140, 210]);
  });

  it("ends with the signal's reason at once, in the middle of a wait", async () => {
    const controller = new AbortController();
    const { clock, seen, all } = await play({}, controller.signal);
    const failed = rejection(all());
    await clock.until(clock.sleep(100));
    controller.abort(new Error("enough"));
    expect(await failed).toMatchObject({ message: "enough" });
    expect(seen.map(({ at }) => at)).toEqual([40]);
    expect(clock.pending).toBe(0);
  });

  it("says that there are no times", async () => {
    const { provider, warnings } = replayed(await recordStream(hello), { streaming: "timed" });
    expect(warnings).toEqual([expect.stringContaining("no times were recorded")]);
    expect(await eventsOf(streamOf(provider))).toEqual(hello);
  });

  it.each([
    [{ streaming: "slow" as never }, "streaming of cassetteProvider is"],
    [{ speed: 0 }, "speed of cassetteProvider is 0"],
    [{ maxGapMs: Number.NaN }, "maxGapMs of cassetteProvider is NaN"],
  ])("refuses %j", async (options, message) => {
    const cassette = await recordStream(hello);
    expect(() => cassetteProvider(cassette, options)).toThrow(message);
  });
});

describe("a recording that goes on from a streamed one", () => {
  it("streams and records what it replays as it was cut", async () => {
    const cassette = await recordStream(hello);
    const live = streamer({ type: "response", response: say("live") });
    const fork = forkProvider(cassette, { at: 1, live, ports: fixedPorts(7) });
    expect(await eventsOf(streamOf(fork))).toEqual(hello);
    expect(await eventsOf(streamOf(fork, prompt("more")))).toHaveLength(1);
    expect(recordedCassette(fork).extensions?.streams).toEqual([
      { turn: 0, deltas: "t3 t2" },
      { turn: 1, deltas: "" },
    ]);
    const resumed = resumeProvider(cassette, { live, ports: fixedPorts(9) });
    expect(await eventsOf(streamOf(resumed, prompt("other")))).toHaveLength(1);
    expect(resumed.isLive).toBe(true);
  });

  it("leaves out what is known of turns that it does not replay", async () => {
    const fork = forkProvider(await recordStream(hello), { at: 0, live: streamer(...hello), ports: fixedPorts(7) });
    expect(await eventsOf(streamOf(fork))).toEqual(hello);
    expect(fork.replayed).toBe(0);
  });
});
