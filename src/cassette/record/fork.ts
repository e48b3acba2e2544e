// Records a run that starts on a cassette and continues live, at a given turn (fork) or at the first miss (resume), with a new id.

import { defined, providerName, withSystemPorts, type LlmProviderAdapter } from "../../core/index.js";
import { buildCassette } from "../file/build.js";
import { CassetteError } from "../errors.js";
import type { CassetteExtensions, CassetteV2 } from "../file/format.js";
import { resolveFilter } from "../prompt/noted-filters.js";
import { checkCassette } from "../trust/load-cassette.js";
import { withRules } from "../redact/options.js";
import { redactedBy } from "../redact/redactor.js";
import { createExchangePlayer } from "../exchange/player.js";
import { continuedSide, exchangeSideOf, setExchangeSide } from "./exchange-side.js";
import { collectTurn, openTurn, setOpener } from "./open-turn.js";
import { recordingProvider, type RecordingProvider } from "./recording-provider.js";
import type { OpenTurn, RecordingOptions } from "./recorder.js";
import { claim, isClaimed } from "../replay/left-out.js";
import { cassetteProvider, type CassetteProvider } from "../replay/replay.js";
import { cutStreams } from "../stream/read.js";
import { wholeStream } from "../stream/play.js";
import { createStreamNote } from "../stream/record.js";

/** The live provider, or a function that creates it. The function is called at most once, at the first live turn. */
export type LiveSource = LlmProviderAdapter | (() => LlmProviderAdapter | Promise<LlmProviderAdapter>);

/** Options of the new recording, and of its replayed part. A function given as `hashFilter` must be that of the cassette. */
export interface ResumeOptions extends RecordingOptions {
  readonly live: LiveSource;
  /** As for `cassetteProvider`, for replayed turns. */
  readonly allowRedacted?: boolean;
  /** The path for error messages. */
  readonly file?: string;
}

export interface ForkOptions extends ResumeOptions {
  /** The first live turn. 0 replays nothing, the number of recorded turns replays all. */
  readonly at: number;
}

/** The value of `extensions.forkedFrom` in the new cassette. */
export interface ForkedFrom {
  cassetteId: string;
  envelopeHash: string;
  /** Replayed turns. */
  at: number;
  /** The model that answered the other turns, if it is not the one that they ask for. */
  model?: string;
}

/** A provider that replays the start of a cassette, continues with the live provider, and records the whole run. */
export interface ForkProvider extends RecordingProvider {
  /** Turns answered from the cassette so far. */
  readonly replayed: number;
  /** Recorded turns that were not replayed. */
  readonly remaining: number;
  /** True after the first turn of the live provider. */
  readonly isLive: boolean;
}

/**
 * Replays turns 0 to `at - 1` strictly, then continues live. `toCassette` throws `unconsumed` before the run has reached turn `at`. Throws
 * `CassetteError`: a `LoadErrorCode`, `integrity-required` for version 1, or `invalid-options`.
 */
export function forkProvider(cassette: unknown, { at, ...options }: ForkOptions): ForkProvider {
  const source = assertForkable(cassette, at, options.file);
  return createFork(source, cutCassette(source, at), options, "count");
}

/** Checks that the cassette can be forked at turn `at`, but not its filters and redaction. Throws like `forkProvider`. */
export function assertForkable(cassette: unknown, at: number, file?: string): CassetteV2 {
  const source = checkSource(cassette, file);
  const turns = source.entries.length;
  if (!Number.isInteger(at) || at < 0 || at > turns) {
    throw new CassetteError("invalid-options", `there is no turn ${String(at)} to fork at`, {
      hint: `The recording has ${turns} turns: pass a number from 0 to ${turns}.`,
      ...defined({ file }),
    });
  }
  return source;
}

/** Replays until the first turn that the cassette cannot answer, then continues live. Throws like `forkProvider`. */
export function resumeProvider(cassette: unknown, options: ResumeOptions): ForkProvider {
  const source = checkSource(cassette, options.file);
  return createFork(source, source, options, "miss");
}

function checkSource(cassette: unknown, file: string | undefined): CassetteV2 {
  return checkCassette(cassette, { requireIntegrity: true, ...defined({ file }) }) as CassetteV2;
}

/** The end of the replay: all turns of the prefix, or a miss. */
type Until = "count" | "miss";

function createFork(source: CassetteV2, prefix: CassetteV2, options: ResumeOptions, until: Until): ForkProvider {
  const { live, file, allowRedacted, ...given } = options;
  const { option: hashFilter } = resolveFilter(source, given.hashFilter, file);
  const recording = { ...given, ...defined({ hashFilter }) };
  const { redact: asked } = recording;
  const redact = withRules(asked, redactedBy(source.extensions?.redacted));
  const replay = cassetteProvider(prefix, defined({ hashFilter, redact, allowRedacted, file }));
  // The new recording has the exchanges, so none is left out.
  claim(replay);
  const exchangePlayer = createExchangePlayer(source, defined({ hashFilter, redact, file }));
  const line = createLine(replay, live, until);
  const recorder = recordingProvider(line.provider, redact === undefined ? recording : { ...recording, redact });

  const fork: ForkProvider = {
    // The recorder has getters, so it is wrapped and not spread.
    get name() {
      return providerName(line.provider);
    },
    get turns() {
      return recorder.turns;
    },
    get replayed() {
      return prefix.entries.length - replay.remaining;
    },
    get remaining() {
      return source.entries.length - prefix.entries.length + replay.remaining;
    },
    get isLive() {
      return line.isLive();
    },
    turn: (request) => recorder.turn(request),
    stream: (request) => (recorder.stream as NonNullable<LlmProviderAdapter["stream"]>)(request),
    toCassette({ agentId = source.agentId, extensions } = {}) {
      if (until === "count" && replay.remaining > 0) throw notReached(prefix.entries.length, replay.remaining, file);
      const { cassetteId, envelopeHash, extensions: { filtered, filters, redacted } = {} } = source;
      const at = prefix.entries.length - replay.remaining;
      const forkedFrom: ForkedFrom = { cassetteId, envelopeHash, at };
      const copyOf = (list: unknown) => (Array.isArray(list) ? [...(list as string[])] : undefined);
      // Without a door for HTTP requests, a fork records no exchange of its own.
      const exchanges = isClaimed(fork) ? undefined : source.extensions?.exchanges;
      const kept = defined({ filtered, filters: copyOf(filters), redacted: copyOf(redacted), exchanges });
      return recorder.toCassette({ ...defined({ agentId }), extensions: { ...extensions, ...kept, forkedFrom } });
    },
    async destroy() {
      await recorder.destroy?.();
    },
  };
  const played = { file: file ?? "the cassette", cassette: source, exchanges: exchangePlayer };
  setExchangeSide(
    fork,
    continuedSide(played, exchangeSideOf(recorder), () => line.isOver()),
  );
  const { streams = "boundaries" } = recording;
  const ports = withSystemPorts(recording.ports);
  return setOpener(fork, async (request, isStream) => {
    const turn = (await openTurn(recorder, request, isStream)) as OpenTurn;
    try {
      const answer = await line.replayed(() => collectTurn(replay, request, isStream));
      if (answer === undefined) {
        await line.goLive();
        return turn;
      }
      const note = isStream && streams !== false ? createStreamNote(streams, () => ports.now()) : undefined;
      for (const delta of answer.deltas) note?.take(delta);
      turn.answer(answer.response, note);
      return answer;
    } catch (error) {
      turn.fail();
      throw error;
    }
  });
}

function createLine(replay: CassetteProvider, live: LiveSource, until: Until) {
  let made: Promise<LlmProviderAdapter> | undefined;
  let provider: LlmProviderAdapter | undefined;
  let isLive = false;

  async function goLive(): Promise<LlmProviderAdapter> {
    isLive = true;
    made ??= Promise.resolve(typeof live === "function" ? live() : live);
    return (provider = await made);
  }

  const isOver = (): boolean => isLive || (until === "count" && replay.remaining === 0);

  /** The result of `ask` from the replay, or undefined if the live provider must answer. */
  async function replayed<T>(ask: () => Promise<T>): Promise<T | undefined> {
    if (isOver()) return undefined;
    try {
      return await ask();
    } catch (error) {
      if (until === "miss" && error instanceof CassetteError && error.miss !== undefined) return undefined;
      throw error;
    }
  }

  const line: LlmProviderAdapter = {
    get name() {
      return provider === undefined ? replay.cassette.recordedProvider : providerName(provider);
    },
    async turn(request) {
      return (await replayed(() => replay.turn(request))) ?? (await goLive()).turn(request);
    },
    async *stream(request) {
      const events = replay.stream(request)[Symbol.asyncIterator]();
      // The first event shows whether the recording has an answer.
      const first = await replayed(() => events.next());
      if (first !== undefined) {
        if (first.done !== true) yield first.value;
        yield* { [Symbol.asyncIterator]: () => events };
        return;
      }
      const now = await goLive();
      if (now.stream !== undefined) yield* now.stream(request);
      else yield* wholeStream(await now.turn(request));
    },
    async destroy() {
      await provider?.destroy?.();
    },
  };
  return { provider: line, isLive: () => isLive, isOver, goLive, replayed };
}

/** The first `at` turns as a cassette of the same id, with the extensions of those turns. */
export function cutCassette(cassette: CassetteV2, at: number): CassetteV2 {
  const { agentId, recordedAt, recordedProvider, cassetteId, entries, extensions = {} } = cassette;
  const { createdWith, prompts, filtered, filters, filterPatterns, redacted, contexts, streams, answeredBy } =
    extensions;
  const kept: CassetteExtensions = {
    ...defined({ createdWith, prompts, filtered, filters, filterPatterns, redacted }),
    ...(contexts === undefined ? {} : { contexts: contexts.filter(({ fromTurn }) => fromTurn < at) }),
    ...(streams === undefined ? {} : { streams: cutStreams(streams, at) }),
    ...(answeredBy === undefined ? {} : { answeredBy: cutStreams(answeredBy, at) }),
  };
  const head = { recordedAt, recordedProvider, cassetteId, extensions: kept };
  return buildCassette({ ...head, ...defined({ agentId }) }, entries.slice(0, at));
}

function notReached(at: number, left: number, file: string | undefined): CassetteError {
  const what = `the run ended at turn ${at - left}, before it reached turn ${at}, where it should fork`;
  return new CassetteError("unconsumed", what, { hint: "Fork at an earlier turn.", ...defined({ file }) });
}
