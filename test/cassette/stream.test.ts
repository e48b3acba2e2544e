import { afterAll, describe, expect, it } from "vitest";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import type { RecordingOptions } from "../../src/cassette/record/recorder.js";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import type { LlmProviderAdapter, LlmStreamEvent, LlmTurnResponse } from "../../src/core/model/provider.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import { createRuntime } from "../../src/core/runtime/runtime.js";
import { recordedCassette, verifyKept } from "../support/oracle.js";
import { fixedPorts, prompt, recordTurns, WEATHER_SCRIPT, weatherCassette } from "../support/recording.js";
import { rejection } from "../support/refusal.js";
import { say, tool } from "../support/script.js";

afterAll(verifyKept);

/** A script that says each response's text in two pieces first. */
function streamingScript(steps: readonly LlmTurnResponse[]): LlmProviderAdapter {
  const script = scriptedProvider(steps);
  return {
    name: "scripted",
    turn: (request) => script.turn(request),
    async *stream(request) {
      const response = await script.turn(request);
      const { content } = response.message;
      yield { type: "text-delta", text: content.slice(0, 2) };
      yield { type: "text-delta", text: content.slice(2) };
      yield { type: "response", response };
    },
  };
}

const record = (provider: LlmProviderAdapter, options: RecordingOptions = {}) =>
  recordingProvider(provider, { ports: fixedPorts(), ...options });

async function eventsOf(events: AsyncIterable<LlmStreamEvent>): Promise<LlmStreamEvent[]> {
  const all: LlmStreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe("a recorder around a provider that streams", () => {
  it("PLK-102 forwards every event and keeps the response once, as turn does", async () => {
    const recorder = record(streamingScript([say("hello")]), { streams: false });
    expect(await eventsOf(recorder.stream!(prompt("hi")))).toEqual([
      { type: "text-delta", text: "he" },
      { type: "text-delta", text: "llo" },
      { type: "response", response: say("hello") },
    ]);
    expect(recorder.turns).toBe(1);
    expect(formatCassette(recordedCassette(recorder))).toBe(
      formatCassette(await recordTurns([prompt("hi")], [say("hello")])),
    );
  });

  it("keeps the response before the caller has it, so one that stops there loses nothing", async () => {
    const recorder = record(streamingScript([say("hello")]));
    for await (const event of recorder.stream!(prompt("hi"))) if (event.type === "response") break;
    expect(recordedCassette(recorder).entries).toHaveLength(1);
  });

  it("keeps nothing of a stream that is left early or fails", async () => {
    const recorder = record(streamingScript([say("hello")]));
    for await (const _event of recorder.stream!(prompt("hi"))) break;
    expect(await rejection(eventsOf(recorder.stream!(prompt("again"))))).toMatchObject({ code: "script-exhausted" });
    expect(recorder.turns).toBe(0);
    expect(recorder.toCassette().entries).toEqual([]);
  });

  it("says that a response cannot be recorded when it comes", async () => {
    const recorder = record({
      turn: async () => say("x"),
      async *stream() {
        yield { type: "response", response: { message: "x" } as never };
      },
    });
    expect(await rejection(eventsOf(recorder.stream!(prompt("hi"))))).toMatchObject({ code: "not-recordable" });
  });

  it("streams only if the provider does", () => {
    expect(record(scriptedProvider([]))).not.toHaveProperty("stream");
    expect(record(streamingScript([]))).toHaveProperty("stream");
  });

  it("records a streaming run to the same bytes as one that does not stream, where no boundaries are kept", async () => {
    const recorder = record(streamingScript(WEATHER_SCRIPT), { streams: false });
    const runtime = createRuntime({
      agents: [
        {
          id: "researcher",
          systemPrompt: "You are brief.",
          provider: recorder,
          streaming: true,
          customTools: [tool("weather", () => "rain")],
        },
      ],
    });
    await runtime.run({ goal: "Umbrella?" });
    const streamed = recordedCassette(recorder, { agentId: "researcher" });
    expect(formatCassette(streamed)).toBe(formatCassette(await weatherCassette()));
  });
});

describe("a cassette that is streamed", () => {
  it("gives the recorded text in one piece, then the recorded response", async () => {
    const replay = cassetteProvider(await recordTurns([prompt("hi")], [say("hello")]));
    expect(await eventsOf(replay.stream!(prompt("hi")))).toEqual([
      { type: "text-delta", text: "hello" },
      { type: "response", response: say("hello") },
    ]);
    replay.assertConsumed();
  });

  it("gives the response alone where it has no text", async () => {
    const replay = cassetteProvider(await recordTurns([prompt("hi")], [say("")]));
    expect(await eventsOf(replay.stream!(prompt("hi")))).toEqual([{ type: "response", response: say("") }]);
  });

  it("misses a changed prompt, and an aborted signal, as turn does", async () => {
    const replay = cassetteProvider(await recordTurns([prompt("hi")], [say("hello")]));
    expect(await rejection(eventsOf(replay.stream!(prompt("hey"))))).toMatchObject({ code: "prompt-changed" });
    const aborted = { ...prompt("hi"), signal: AbortSignal.abort(new Error("enough")) };
    expect(await rejection(eventsOf(replay.stream!(aborted)))).toMatchObject({ message: "enough" });
    expect(replay.remaining).toBe(1);
  });
});
