// Replay: answers from a cassette. Turns are found by the hash of their prompt, not by position, and each is answered once.

import {
  copyJson,
  createGetters,
  defined,
  NotJsonError,
  noteSteps,
  seal,
  tellAhead,
  toVisible,
  withSystemPorts,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Ports,
} from "../../core/index.js";
import { DEFAULT_MAX_GAP_MS } from "../limits.js";
import { contextsByTurn, createContextReader, type TurnContext } from "../offer/context.js";
import { assertKnownOptions, CassetteError } from "../errors.js";
import { extensionsOf, type Cassette } from "../file/format.js";
import { readHashFilter, type HashFilterOption } from "../prompt/hash-filters.js";
import { AS_RECORDED, resolveFilter, type ReplayFilter } from "../prompt/noted-filters.js";
import { checkCassette } from "../trust/load-cassette.js";
import { explainMiss, explainOfferMiss } from "./miss.js";
import { createLeftOutNote } from "./left-out.js";
import { createMissLog } from "./miss-log.js";
import { createPromptReader, type PromptReader } from "../prompt/reader.js";
import { assertNotRedacted, findNumbers } from "./redacted-replay.js";
import { redactedCalls, type RedactedArgument } from "../redact/calls.js";
import type { RedactOption } from "../redact/options.js";
import { createReplayRedaction, type ReplayRedaction } from "../redact/redactor.js";
import { assertRequest } from "../prompt/request.js";
import {
  assertStreaming,
  playStream,
  STREAMING_OPTIONS,
  streamLater,
  wholeStream,
  type StreamingOptions,
} from "../stream/play.js";
import { readAnsweredBy } from "../stream/answered-by.js";
import { describeStreams, readStreams, type RecordedStreams } from "../stream/read.js";
import { createUnusedTurns, type UnusedTurns } from "./unused.js";
import { comparableContexts, comparableRequest, createWireFieldCheck } from "../offer/wire-fields.js";

/** The options of {@link cassetteProvider}. A wrong one throws `CassetteError` `invalid-options`. */
export interface ReplayOptions extends StreamingOptions {
  /** False answers with the next unused turn if no recorded prompt fits. Default true. */
  readonly strict?: boolean;
  /** Refuses version 1 cassettes. Default false. Recommended in CI. */
  readonly requireIntegrity?: boolean;
  /**
   * Filters for both sides, besides those that the recording notes by name. A function must be that of the recording, or the provider
   * throws `filter-one-sided`.
   */
  readonly hashFilter?: HashFilterOption;
  /** The `redact` option of the recording, if it used more than the default rules. False refuses a redacted recording. */
  readonly redact?: RedactOption;
  /** Allows calls with a placeholder in their arguments. Default false: such a turn throws `redacted-argument`. */
  readonly allowRedacted?: boolean;
  /** The path for error messages. */
  readonly file?: string;
  /** The command that records the cassette again. Error messages show it, ready to paste. */
  readonly rerecord?: string;
  /** `now` and `timer` serve the waits of `timed`. */
  readonly ports?: Partial<Pick<Ports, "warn" | "now" | "timer">>;
}

const OPTIONS = [
  "strict",
  "requireIntegrity",
  "hashFilter",
  "redact",
  "allowRedacted",
  "file",
  "rerecord",
  "ports",
  ...STREAMING_OPTIONS,
];

/** A provider that answers only from a cassette. A turn that was not recorded rejects with a `MissErrorCode`. */
export interface CassetteProvider extends LlmProviderAdapter {
  readonly name: string;
  stream(request: LlmTurnRequest): AsyncIterable<LlmStreamEvent>;
  readonly cassette: Cassette;
  /** The number of recorded turns that are still unused. */
  readonly remaining: number;
  /** How the recorded answers arrived, and which of them can only be streamed whole. */
  readonly streams: RecordedStreams;
  /** All arguments of recorded calls that contain a placeholder, in the order of the turns. */
  readonly redactedCalls: readonly RedactedArgument[];
  /** Indexes of the used turns, in ascending order. */
  used(): number[];
  /** Makes every turn unused again. */
  reset(): void;
  /** Throws `CassetteError` `unconsumed` with the unused turns. */
  assertConsumed(): void;
  /** Throws the first miss again, so that a run that caught it does not pass. `assertConsumed` does not report misses. */
  assertAnswered(): void;
}

/**
 * Creates a provider that answers from `cassette`, which is checked like a file. It finds turns by prompt, in any order, and warns once
 * about another order (`ports.warn`). Throws `CassetteError` with a `LoadErrorCode`.
 */
export function cassetteProvider(cassette: unknown, options: ReplayOptions = {}): CassetteProvider {
  assertKnownOptions("cassetteProvider", options, OPTIONS);
  assertStreaming("cassetteProvider", options);
  const { file, rerecord, streaming = "chunked", speed = 1, maxGapMs = DEFAULT_MAX_GAP_MS } = options;
  if (rerecord !== undefined && (typeof rerecord !== "string" || rerecord === "")) {
    throw new CassetteError("invalid-options", "rerecord of cassetteProvider must be a command", {
      hint: "Pass the command that records the cassette as text, or leave it out.",
    });
  }
  readHashFilter(options.hashFilter);
  const recording = seal(checkCassette(sealIfJson(cassette), options));
  const filtered = filterFor(recording, options);
  const answeredBy = readAnsweredBy(recording);
  const ports = withSystemPorts(options.ports);
  const warn = (text: string): void => ports.warn(`playhead: ${file ?? "a cassette"}: ${text}`);
  const session = createSession(filtered, options, warn);
  const pace = streaming === "timed" ? { speed, maxGapMs, ports } : undefined;
  const streams = readStreams(recording);
  const notes = streaming === "whole" ? [] : describeStreams(streams.state, streaming === "timed");
  for (const text of notes) warn(text);
  if (answeredBy.flaw !== undefined)
    warn(`a part of extensions.answeredBy cannot be read and is left out: ${toVisible(answeredBy.flaw)}`);
  const answer = (request: LlmTurnRequest) => {
    const answered = session.answer(request);
    noteSteps(answered.response, answeredBy.steps.get(answered.index));
    return answered;
  };
  const noteLeftOut = createLeftOutNote(extensionsOf(recording).exchanges?.length ?? 0, warn);

  const answering = {
    name: `cassette:${recording.recordedProvider}`,
    cassette: recording,
    streams: streams.state,
    async turn(request: LlmTurnRequest) {
      assertRequest(request);
      request.signal?.throwIfAborted();
      noteLeftOut(provider);
      return answer(request).response;
    },
    stream: (request: LlmTurnRequest) =>
      streamLater(() => {
        assertRequest(request);
        request.signal?.throwIfAborted();
        noteLeftOut(provider);
        const { index, response } = answer(request);
        const plan = streaming === "whole" ? undefined : streams.planOf(index);
        const events = plan === undefined ? wholeStream(response) : playStream(plan, response, pace, request.signal);
        return tellAhead(response, events);
      }),
    used: () => session.turns(true),
    reset: () => session.reset(),
    assertConsumed() {
      const left = session.turns(false);
      if (left.length === 0) return;
      const total = recording.entries.length;
      const what = `${left.length} of ${total} recorded turns were never requested: turn ${left.join(", ")}`;
      const hint = "The run ended sooner than the recorded one. Undo the change, or record again.";
      throw new CassetteError("unconsumed", what, { hint, ...defined({ file, rerecord }) });
    },
    assertAnswered: () => session.assertAnswered(),
  };
  const provider: CassetteProvider = withState(answering, { recording, session });
  return provider;
}

interface State {
  readonly recording: Cassette;
  readonly session: ReturnType<typeof createSession>;
}

const withState = createGetters({
  remaining: ({ session }: State) => session.remaining(),
  redactedCalls: ({ recording }: State) =>
    recording.entries.flatMap(({ response, turnIndex }) => redactedCalls(response, turnIndex)),
});

/** Sealed before the check, so that the checked value is replayed. A value that is not JSON is left for the check to refuse. */
function sealIfJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  try {
    return seal(value);
  } catch (error) {
    if (error instanceof NotJsonError) return value;
    throw error;
  }
}

type Warn = (text: string) => void;

function createOrderNote(warn: Warn): (turnIndex: number, firstUnused: number) => void {
  let isDone = false;
  return (turn, first) => {
    if (turn === first || isDone) return;
    isDone = true;
    warn(`recorded turn ${turn} was requested before turn ${first}. Turns are found by content, so it was answered.`);
  };
}

/** Without `strict`, filters that do not fit are accepted. */
function filterFor(recording: Cassette, { strict = true, hashFilter, file }: ReplayOptions): ReplayFilter {
  try {
    return resolveFilter(recording, hashFilter, file);
  } catch (error) {
    if (strict || !(error instanceof CassetteError) || error.code !== "filter-one-sided") throw error;
    return { ...AS_RECORDED, option: hashFilter, filter: readHashFilter(hashFilter).filter, recording };
  }
}

function createSession({ recording, filter, filterTools }: ReplayFilter, options: ReplayOptions, warn: Warn) {
  const noteOrder = createOrderNote(warn);
  const { strict = true, file } = options;
  const { entries } = recording;
  const { contexts: noted = [], redacted } = extensionsOf(recording);
  const contexts = contextsByTurn(comparableContexts(noted), entries.length);
  const fields = createWireFieldCheck(noted, warn);
  const misses = createMissLog(options);
  let run = begin();
  let asked = 0;

  function begin() {
    const side = createReplayRedaction(redacted, options.redact, file);
    const readContext = createContextReader(side && ((value) => side.scrubber.json(value)), filterTools);
    const prompts = createPromptReader(defined({ scrub: side?.scrubber.messages, filter }));
    return { recording, side, readContext, prompts, turns: createUnusedTurns(entries, contexts) };
  }

  function find(promptHash: string, now: TurnContext | undefined): number | undefined {
    const exact = run.turns.find(promptHash, now);
    if (exact !== undefined || strict) return exact;
    return run.turns.left() > 0 ? run.turns.next() : undefined;
  }

  function checkContext(now: TurnContext | undefined, turnIndex: number, turn: number): void {
    const report = explainOfferMiss(recording, contexts[turnIndex], now, turn, turnIndex);
    if (report !== undefined) throw misses.add(report);
  }

  return {
    answer(request: LlmTurnRequest): { index: number; response: LlmTurnResponse } {
      const { side, readContext, prompts, turns } = run;
      prompts.begin(request.messages);
      const turn = asked++;
      // As the recorder does: tools and settings are read before the prompt.
      const now = strict && noted.length > 0 ? readContext(comparableRequest(request, fields)) : undefined;
      const promptHash = nextHash(run);
      const index = find(promptHash, now);
      if (index === undefined) {
        const prompt = prompts.since(0);
        throw misses.add(
          explainMiss({ recording, contexts, turns, turn, prompt, promptHash, now, missing: side?.missing }),
        );
      }
      checkContext(now, index, turn);
      const { response } = entries[index] as { response: LlmTurnResponse };
      if (options.allowRedacted !== true) assertNotRedacted(response, index, file);
      noteOrder(index, turns.next());
      turns.take(index);
      if (strict) fields.answered(request.settings);
      side?.scrubber.response(response);
      return { index, response: copyJson(response) };
    },
    remaining: () => run.turns.left(),
    assertAnswered: () => misses.assertNone(),
    turns: (isUsed: boolean) => [...entries.keys()].filter((index) => (run.turns.used[index] === true) === isUsed),
    reset(): void {
      run = begin();
      asked = 0;
      misses.reset();
    },
  };
}

interface Asking {
  recording: Cassette;
  side: ReplayRedaction | undefined;
  turns: UnusedTurns;
  prompts: PromptReader;
}

/** The hash of the next prompt. If only numbers of placeholders differ from a recorded one, they become the recorded ones. */
function nextHash({ recording, side, turns, prompts }: Asking): string {
  let { promptHash } = prompts.next();
  if (side === undefined) return promptHash;
  const { scrubber } = side;
  if (turns.find(promptHash, undefined) === undefined) {
    const isFound = findNumbers(recording, prompts.since(0), turns.used, (numbers) => scrubber.renumber(numbers));
    if (!isFound) return promptHash;
    ({ promptHash } = prompts.next());
  }
  scrubber.settle();
  return promptHash;
}
