// Replay: a provider that answers from a cassette. Strict on content, not on position: a turn is found by the hash of its
// prompt among those not used yet, and tools and settings must be the recorded ones. Nothing is answered twice.

import {
  copyJson,
  seal,
  withSystemPorts,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Ports,
} from "../core/index.js";
import { contextsByTurn, createContextReader, type TurnContext } from "./context.js";
import { assertKnownOptions, CassetteError, type MissReport } from "./errors.js";
import type { Cassette } from "./format.js";
import { checkCassette } from "./load.js";
import { explainContext, explainPromptMiss, formatMiss, withAlso } from "./miss.js";
import { createPromptTracker, type HashFilter, type PromptTracker } from "./prompt.js";
import { assertRequest } from "./request.js";
import {
  assertStreaming,
  DEFAULT_MAX_GAP_MS,
  playStream,
  STREAMING_OPTIONS,
  wholeStream,
  type StreamingOptions,
} from "./stream-play.js";
import { describeStreams, readStreams, type RecordedStreams } from "./stream-read.js";
import { createUnusedTurns, type UnusedTurns } from "./unused.js";

export interface ReplayOptions extends StreamingOptions {
  /** False answers with the next unused turn when no recorded prompt fits. Default true. */
  readonly strict?: boolean;
  /** Refuses version 1 cassettes. Default false; recommended in CI. */
  readonly requireIntegrity?: boolean;
  /** The function the recording was made with. */
  readonly hashFilter?: HashFilter;
  /** Named in messages. */
  readonly file?: string;
  /** `now` and `timer` are what `timed` waits by. */
  readonly ports?: Partial<Pick<Ports, "warn" | "now" | "timer">>;
}

const OPTIONS = ["strict", "requireIntegrity", "hashFilter", "file", "ports", ...STREAMING_OPTIONS];

export interface CassetteProvider extends LlmProviderAdapter {
  readonly name: string;
  stream(request: LlmTurnRequest): AsyncIterable<LlmStreamEvent>;
  readonly cassette: Cassette;
  /** Recorded turns not given out yet. */
  readonly remaining: number;
  /** What the cassette knows of how its answers came, and which of them can be given whole alone. */
  readonly streams: RecordedStreams;
  /** Indexes of the turns given out, in ascending order. */
  used(): number[];
  /** Makes every turn unused again. */
  reset(): void;
  /** Throws `CassetteError` `unconsumed` naming the turns that were never asked for. */
  assertConsumed(): void;
}

/** Checks `cassette` as if it came from a file, then replays it. Throws `CassetteError` with a `LoadErrorCode`. */
export function cassetteProvider(cassette: unknown, options: ReplayOptions = {}): CassetteProvider {
  assertKnownOptions("cassetteProvider", options, OPTIONS);
  assertStreaming("cassetteProvider", options);
  const { strict = true, hashFilter, file, streaming = "chunked", speed = 1 } = options;
  const { maxGapMs = DEFAULT_MAX_GAP_MS } = options;
  const tape = seal(checkCassette(cassette, options));
  if (strict) assertSameFilter(tape, hashFilter, file);
  const session = createSession(tape, options);
  const ports = withSystemPorts(options.ports);
  const pace = streaming === "timed" ? { speed, maxGapMs, ports } : undefined;
  const streams = readStreams(tape);
  const told = streaming === "whole" ? [] : describeStreams(streams.state, streaming === "timed");
  for (const text of told) ports.warn(`playhead: ${file ?? "a cassette"}: ${text}`);

  return {
    name: `cassette:${tape.recordedProvider}`,
    cassette: tape,
    streams: streams.state,
    get remaining() {
      return session.remaining;
    },
    async turn(request) {
      assertRequest(request);
      request.signal?.throwIfAborted();
      return session.answer(request).response;
    },
    async *stream(request) {
      assertRequest(request);
      request.signal?.throwIfAborted();
      const { index, response } = session.answer(request);
      const plan = streaming === "whole" ? undefined : streams.planOf(index);
      if (plan === undefined) yield* wholeStream(response);
      else yield* playStream(plan, response, pace, request.signal);
    },
    used: () => session.used(),
    reset: () => session.reset(),
    assertConsumed() {
      const left = session.unused();
      if (left.length === 0) return;
      const total = tape.entries.length;
      throw new CassetteError(
        "unconsumed",
        `${left.length} of ${total} recorded turns were never asked for: turn ${left.join(", ")}`,
        {
          hint: "The run ended sooner than the recorded one. Undo the change, or record again.",
          ...(file === undefined ? {} : { file }),
        },
      );
    },
  };
}

function createSession(tape: Cassette, { strict = true, hashFilter, file }: ReplayOptions) {
  const { entries } = tape;
  const noted = tape.version === 2 ? (tape.extensions?.contexts ?? []) : [];
  const contexts = contextsByTurn(noted, entries.length);
  const readContext = createContextReader();
  let turns = createUnusedTurns(entries, contexts);
  let asked = 0;
  let tracker = createPromptTracker(hashFilter);

  function find(promptHash: string, now: TurnContext | undefined): number | undefined {
    const exact = turns.find(promptHash, now);
    if (exact !== undefined || strict) return exact;
    return turns.left > 0 ? turns.next() : undefined;
  }

  function checkContext(now: TurnContext | undefined, turnIndex: number, turn: number): void {
    const [first, ...others] = explainContext(contexts[turnIndex], now, turn, turnIndex);
    if (first !== undefined) throw miss(withAlso(first, others), file);
  }

  /** A prompt that no turn answers may come with other tools or settings than the nearest turn had. */
  function explain(now: TurnContext | undefined, turn: number, promptHash: string): MissReport {
    const report = explainNoAnswer(tape, tracker, turn, turns, promptHash);
    const { turnIndex } = report.nearest ?? {};
    if (turnIndex === undefined) return report;
    return withAlso(report, explainContext(contexts[turnIndex], now, turn, turnIndex));
  }

  return {
    answer(request: LlmTurnRequest): { index: number; response: LlmTurnResponse } {
      const turn = asked++;
      const { promptHash } = tracker.next(request.messages);
      const now = strict && noted.length > 0 ? readContext(request) : undefined;
      const index = find(promptHash, now);
      if (index === undefined) throw miss(explain(now, turn, promptHash), file);
      checkContext(now, index, turn);
      turns.take(index);
      return { index, response: copyJson((entries[index] as { response: LlmTurnResponse }).response) };
    },
    get remaining() {
      return turns.left;
    },
    unused: () => entries.map((entry) => entry.turnIndex).filter((index) => turns.used[index] !== true),
    used: () => entries.map((entry) => entry.turnIndex).filter((index) => turns.used[index] === true),
    reset(): void {
      turns = createUnusedTurns(entries, contexts);
      asked = 0;
      tracker = createPromptTracker(hashFilter);
    },
  };
}

function explainNoAnswer(
  tape: Cassette,
  tracker: PromptTracker,
  turn: number,
  turns: UnusedTurns,
  promptHash: string,
): MissReport {
  const sameUsed = turns.lastWith(promptHash);
  const total = tape.entries.length;
  if (sameUsed !== undefined) {
    const nearest = { turnIndex: sameUsed, used: true };
    return {
      code: "exhausted",
      turn,
      nearest,
      what: `recorded turn ${sameUsed} answers this prompt and was used already`,
      hint: "Replay is single-use: call reset() before a second run, or make a new cassetteProvider.",
    };
  }
  if (turns.left > 0) return explainPromptMiss(tape, tracker.since(0), turn, turns.used, turns.next());
  // Every turn was used; the one that goes along the longest still says where the run went on otherwise.
  const near = total === 0 ? undefined : explainPromptMiss(tape, tracker.since(0), turn, turns.used, total - 1);
  return {
    ...near,
    code: "exhausted",
    turn,
    what: `the recording holds ${total} turn${total === 1 ? "" : "s"}, all of them used; the run asks for more`,
    hint: "The run asks for more turns than were recorded. Undo the change if it was not meant; else record it again.",
  };
}

function miss(report: MissReport, file: string | undefined): CassetteError {
  return new CassetteError(report.code, formatMiss(report), {
    hint: report.hint,
    miss: report,
    ...(file === undefined ? {} : { file }),
    ...(report.pointer === undefined ? {} : { pointer: report.pointer }),
  });
}

/** A filter on one side only would miss every prompt it touches, or hide a difference; so it is refused at once. */
function assertSameFilter(tape: Cassette, hashFilter: HashFilter | undefined, file: string | undefined): void {
  if (tape.version === 1) return;
  const recorded = tape.extensions?.filtered === true;
  if (recorded === (hashFilter !== undefined)) return;
  throw new CassetteError(
    "filter-one-sided",
    recorded
      ? "the cassette was recorded with a hashFilter and is replayed without one"
      : "the cassette was recorded without a hashFilter and is replayed with one",
    {
      hint: "Pass the same hashFilter to recordingProvider and cassetteProvider.",
      ...(file === undefined ? {} : { file }),
    },
  );
}
