// Laws of recorded streams: however an answer was cut, all ways of replaying it give the same response, and one that is cut as
// recorded gives the very events. For made-up answers, and for every stream that was recorded of a real vendor.

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import type { RecordingOptions } from "../../src/cassette/record/recorder.js";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import type { StreamingOptions } from "../../src/cassette/stream/play.js";
import { spacesOf, withSpaces } from "../../src/cassette/stream/spaces.js";
import type { Reasoning } from "../../src/core/model/message.js";
import type {
  LlmProviderAdapter,
  LlmStreamDelta,
  LlmStreamEvent,
  LlmTurnResponse,
} from "../../src/core/model/provider.js";
import { argumentsText } from "../../src/core/providers/calls.js";
import { fixedClock } from "../../src/harness/doubles/clock.js";
import { jsonObject, text } from "../support/arbitraries.js";
import { readRecorded, textOfDeltas, wireOf } from "../support/exchanges.js";
import { recordedCassette, verifyKept } from "../support/oracle.js";
import { fixedPorts, prompt } from "../support/recording.js";
import { hasShared } from "../support/shared.js";
import { BUILDERS, bodyOf, hello } from "../support/wire.js";

afterAll(verifyKept);

type LlmProviderWithStream = Required<Pick<LlmProviderAdapter, "stream">>;

/** An answer on its way: each delta after a wait. */
interface Flow {
  deltas: readonly { delta: LlmStreamDelta; waitMs: number }[];
  response: LlmTurnResponse;
}

/** Streams one flow after the other, in the time of `clock`. */
function flowing(flows: readonly Flow[], clock: { now: number }) {
  const left = [...flows];
  return {
    name: "flowing",
    turn: async (): Promise<LlmTurnResponse> => {
      throw new Error("only streams are asked for here");
    },
    async *stream(): AsyncGenerator<LlmStreamEvent> {
      const { deltas, response } = left.shift() as Flow;
      for (const { delta, waitMs } of deltas) {
        clock.now += waitMs;
        yield delta;
      }
      yield { type: "response", response };
    },
  };
}

async function eventsOf(events: AsyncIterable<LlmStreamEvent>): Promise<LlmStreamEvent[]> {
  const all: LlmStreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** What the recorder let through, and the text of its file. */
async function recordFlow(flow: Flow, options: RecordingOptions) {
  const clock = { now: 0 };
  const ports = { ...fixedPorts(), now: () => clock.now };
  const recorder = recordingProvider(flowing([flow], clock), { ports, ...options });
  const seen = await eventsOf((recorder.stream as LlmProviderWithStream["stream"])(prompt("go")));
  return { seen, file: formatCassette(recordedCassette(recorder)) };
}

async function replay(file: string, options: StreamingOptions): Promise<{ events: LlmStreamEvent[]; tookMs: number }> {
  const clock = fixedClock(1_000_000);
  const start = clock.now();
  const provider = cassetteProvider(parseCassette(file), {
    ports: { now: clock.now, timer: clock.timer, warn: () => undefined },
    ...options,
  });
  const events = await clock.until(eventsOf(provider.stream(prompt("go"))));
  return { events, tookMs: clock.now() - start };
}

const deltasOf = (events: readonly LlmStreamEvent[]): LlmStreamDelta[] =>
  events.flatMap((event) => (event.type === "response" ? [] : [event]));

/** False where the model spelled arguments otherwise than JSON does. */
function exactly(file: string): boolean {
  const { streams } = (JSON.parse(file) as { extensions: { streams: { respelled?: number[] }[] } }).extensions;
  return streams[0]?.respelled === undefined;
}

/** Holds one flow to every law, and tells whether its events are the very ones. */
async function assertLaws(flow: Flow): Promise<boolean> {
  const recorder = (options: RecordingOptions) => recordFlow(flow, options);
  const { seen, file } = await recorder({ streams: "times" });
  const [whole, chunked, timed] = [
    await replay(file, { streaming: "whole" }),
    await replay(file, { streaming: "chunked" }),
    await replay(file, { streaming: "timed", maxGapMs: 1e9 }),
  ];
  expect(seen.at(-1)).toEqual({ type: "response", response: flow.response });
  for (const { events } of [whole, chunked, timed]) {
    expect(events.at(-1)).toEqual({ type: "response", response: flow.response });
  }
  expect(timed.events).toEqual(chunked.events);
  expect(chunked.tookMs).toBe(0);
  expect(timed.tookMs).toBeCloseTo(
    flow.deltas.reduce((sum, { waitMs }) => sum + waitMs, 0),
    6,
  );
  expect(textOfDeltas(deltasOf(whole.events), "text-delta")).toBe(flow.response.message.content);
  const isExact = exactly(file);
  if (isExact) expect(chunked.events).toEqual(seen);
  else assertRespelled(chunked.events, seen, flow.response);

  const bounded = await recorder({});
  expect((await replay(bounded.file, {})).events).toEqual(chunked.events);
  expect((await replay(bounded.file, { streaming: "timed" })).tookMs).toBe(0);
  return isExact;
}

/** Arguments that a model spelled its own way: the same number of deltas, and the stored spelling in them. */
function assertRespelled(events: LlmStreamEvent[], seen: LlmStreamEvent[], { message }: LlmTurnResponse): void {
  const bare = (all: LlmStreamEvent[]) =>
    all.map((event) => (event.type === "tool-call-delta" ? { ...event, argumentsText: "" } : event));
  expect(bare(events)).toEqual(bare(seen));
  for (const [index, call] of (message.toolCalls ?? []).entries()) {
    const given = deltasOf(events).flatMap((delta) =>
      delta.type === "tool-call-delta" && delta.index === index ? [delta.argumentsText] : [],
    );
    if (given.join("") !== "") expect(JSON.parse(given.join(""))).toEqual(JSON.parse(argumentsText(call)));
  }
}

const spacing = fc.constantFrom(
  (value: object) => JSON.stringify(value),
  (value: object) => JSON.stringify(value, null, 2),
  (value: object) => JSON.stringify(value, null, "\t"),
  (value: object) => ` ${JSON.stringify(value, null, 1)}\r\n`,
  (value: object) =>
    JSON.stringify(value).replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
);

/** `whole` cut at the places. */
function cut(whole: string, places: readonly number[]): string[] {
  const ends = [...places.map((place) => place % (whole.length + 1)), whole.length].sort((a, b) => a - b);
  let start = 0;
  return ends.map((end) => whole.slice(start, (start = end)));
}

const places = fc.array(fc.nat(), { maxLength: 5 });
const thoughts: fc.Arbitrary<Reasoning[]> = fc.array(
  fc.oneof(
    text.map((thought): Reasoning => ({ type: "text", text: thought })),
    fc.constant<Reasoning>({ type: "redacted", data: "x" }),
  ),
  { maxLength: 3 },
);
const calls = fc.array(fc.record({ args: jsonObject, write: spacing, places, isSilent: fc.boolean() }), {
  maxLength: 3,
});

/** Any answer, its texts cut anywhere and mixed in any order that keeps each of them in its own. */
const flow: fc.Arbitrary<Flow> = fc
  .record({
    content: text,
    thoughts,
    calls,
    places: fc.tuple(places, places),
    order: fc.array(fc.nat(), { maxLength: 40 }),
    waits: fc.array(fc.nat({ max: 5000 }), { minLength: 1, maxLength: 9 }),
  })
  .map(({ content, thoughts: reasoning, calls: made, places: [one, other], order, waits }) => {
    const thought = reasoning.map((each) => (each.type === "text" ? each.text : "")).join("");
    const toolCalls = made.map(({ args }, index) => ({ id: `call_${index}`, name: `tool${index}`, arguments: args }));
    const lines: LlmStreamDelta[][] = [
      cut(content, one).map((piece) => ({ type: "text-delta", text: piece })),
      cut(thought, other).map((piece) => ({ type: "reasoning-delta", text: piece })),
      ...made.map(({ args, write, places: cuts, isSilent }, index): LlmStreamDelta[] =>
        isSilent
          ? []
          : [
              { type: "tool-call-delta", index, id: `call_${index}`, name: `tool${index}`, argumentsText: "" },
              ...cut(write(args), cuts).map((argumentsText) => ({
                type: "tool-call-delta" as const,
                index,
                argumentsText,
              })),
            ],
      ),
    ];
    const mixed: LlmStreamDelta[] = [];
    for (let turn = 0; lines.some((line) => line.length > 0); turn++) {
      const open = lines.filter((line) => line.length > 0);
      mixed.push((open[(order[turn] ?? 0) % open.length] as LlmStreamDelta[]).shift() as LlmStreamDelta);
    }
    const message = {
      role: "assistant" as const,
      content,
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      ...(reasoning.length === 0 ? {} : { reasoning }),
    };
    return {
      deltas: mixed.map((delta, index) => ({ delta, waitMs: waits[index % waits.length] ?? 0 })),
      response: { message, stopReason: "stop" as const },
    };
  });

describe("a recorded stream", () => {
  it("gives the same response whole, in pieces and in time, and in pieces the very events", async () => {
    await fc.assert(
      fc.asyncProperty(flow, async (any) => void (await assertLaws(any))),
      { numRuns: 150 },
    );
  });

  it("keeps the white space of arguments apart from their value", () => {
    fc.assert(
      fc.property(jsonObject, fc.constantFrom(1, 4, "\t"), (value, indent) => {
        const [dense, written] = [JSON.stringify(value), `\n${JSON.stringify(value, null, indent)} `];
        const spaces = spacesOf(written, dense);
        expect(spaces).toMatch(/^[0-9snrt ]+$/);
        expect(withSpaces(dense, spaces ?? "")).toBe(written);
      }),
    );
  });
});

describe.skipIf(!hasShared)("every stream that was recorded in chunks", () => {
  it("replays to the deltas and the response that the vendor's adapter gave", async () => {
    const outcomes: boolean[] = [];
    for (const { id, request, response } of readRecorded("cross-model-req_llm")) {
      const wire = wireOf(request.url);
      if (wire === undefined || response.status !== 200 || response.chunks === undefined) continue;
      const { chunks } = response;
      const answer = { fetch: async () => new Response(bodyOf(chunks)), ports: { warn: () => undefined } };
      const vendor = BUILDERS[wire](answer) as LlmProviderWithStream;
      const events = await eventsOf(vendor.stream(hello));
      const last = events.at(-1);
      if (last?.type !== "response") throw new Error(`${id} has no response`);
      const deltas = deltasOf(events).map((delta, index) => ({ delta, waitMs: index % 7 }));
      const isExact = await assertLaws({ deltas, response: last.response }).catch((error: unknown) => {
        throw new Error(`${id}: ${String(error)}`);
      });
      outcomes.push(isExact);
    }
    expect(outcomes.length).toBeGreaterThan(100);
    expect(outcomes.filter((isExact) => !isExact)).toHaveLength(0);
  });
});
