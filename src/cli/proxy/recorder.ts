// What a recording proxy keeps: every turn that passes by, sorted into conversations, and a word for each request that it does
// not keep. Headers never come here.

import {
  CassetteError,
  createConversations,
  createStreamNote,
  type CassetteV2,
  type PassingTurn,
  type RecordedStreaming,
  type RedactOption,
  type StreamNote,
} from "../../cassette/index.js";
import { thrownText, toVisible, type PassedParts, type Wire } from "../../core/index.js";
import { createRequestTally, parseTurn, type CountedRequest, type OutsideRequest } from "../../harness/index.js";
import { MAX_LEFT_OUT_KINDS } from "../limits.js";

/** The answer to a turn, as it passed by. */
export interface PassedAnswer {
  /** Undefined where it was larger than what is kept. */
  bytes: Uint8Array | undefined;
  isStream: boolean;
  isCut: boolean;
  /** As it came. Empty where the bytes are not those that came. */
  parts: readonly PassedPart[];
}

/** A part of an answer: where it ended, in bytes from the answer's start, and the time it came. */
export interface PassedPart {
  end: number;
  at: number;
}

/** One turn on its way to the vendor. Call one of the two, once. */
export interface TurnWatch {
  /** The vendor answered with success. */
  answered(answer: PassedAnswer): void;
  /** The vendor answered with an error, or not at all: nothing to keep. */
  failed(): void;
}

export interface ProxyRecorder {
  /** Notes a turn when it is requested. `name` is what the client calls its recording. */
  open(requested: { wire: Wire; path: string; body: Uint8Array; name?: string | undefined }): TurnWatch;
  /** Counts a request that was passed on although it is not a turn. */
  pass(request: OutsideRequest): void;
  /** Counts a request that the proxy did not pass on. */
  lose(why: string): void;
  readonly recorded: number;
  /** Why each turn that succeeded could not be kept. */
  readonly lost: readonly string[];
  /** What answers held and a cassette cannot, and in how many turns. */
  readonly without: ReadonlyMap<string, number>;
  /** The requests that were passed on and are not turns. */
  passedOn(): CountedRequest[];
  /** What the client called the recording of a conversation. */
  nameOf(conversation: number): string | undefined;
  /** What a conversation holds by now; undefined while one of its turns is open. */
  toCassette(conversation: number): CassetteV2 | undefined;
}

/** Called at once for a turn that is lost, a request of a new kind that is not recorded, and a conversation that changed. */
export interface ProxyWatcher {
  lost(why: string): void;
  /** Called for the first answer of which a kind of content could not be recorded. */
  without(what: string): void;
  passedOn(request: OutsideRequest): void;
  kept(conversation: number): void;
}

export function createProxyRecorder(
  watcher: ProxyWatcher,
  { redact = {}, streams = "boundaries" }: { redact?: RedactOption; streams?: RecordedStreaming } = {},
): ProxyRecorder {
  const conversations = createConversations({}, redact);
  const lost: string[] = [];
  const { kinds: without, add: leave } = countKinds((what) => watcher.without(what));
  const passed = createRequestTally<OutsideRequest>();
  const names = new Map<number, string>();
  let recorded = 0;

  const lose = (why: string): void => {
    lost.push(why);
    watcher.lost(why);
  };
  // Whatever it was: the client has its answer, and the turns before this one are still to be written.
  const loseBy = (error: unknown): void => lose(thrownText(error));

  function keep(wire: Wire, turn: PassingTurn, passed: PassedAnswer, askedAt: number): void {
    try {
      const { response, note, left } = readPassed(wire, passed, askedAt, streams);
      turn.answer(response, note);
      recorded++;
      leave(left);
    } catch (error) {
      turn.fail();
      loseBy(error);
    }
    watcher.kept(turn.conversation);
  }

  return {
    get recorded() {
      return recorded;
    },
    lost,
    without,
    passedOn: () => passed.list(),
    nameOf: (conversation) => names.get(conversation),
    pass({ method, path }) {
      if (passed.add({ method, path })) watcher.passedOn({ method, path });
    },
    lose,
    open({ wire, path, body, name }) {
      try {
        const { request } = parseTurn(wire, body, path);
        const turn = conversations.open(request, `${wire.name}:${request.settings.model}`, name);
        if (name !== undefined) names.set(turn.conversation, name);
        const askedAt = Date.now();
        return {
          answered: (answer) => keep(wire, turn, answer, askedAt),
          failed: () => {
            turn.fail();
            watcher.kept(turn.conversation);
          },
        };
      } catch (error) {
        // Only a turn that the vendor takes is a turn that was lost.
        return { answered: () => loseBy(error), failed: () => undefined };
      }
    },
    toCassette: (conversation) => conversations.toCassette(conversation),
  };
}

/** The answer, how its stream came, and what it held that a response has no place for. */
function readPassed(wire: Wire, passed: PassedAnswer, askedAt: number, streams: RecordedStreaming) {
  const { bytes, isStream, isCut } = passed;
  if (bytes === undefined) throw new CassetteError("not-recordable", "an answer was too large to be kept");
  const noted = isStream && streams !== false ? noteParts(passed, askedAt, streams) : undefined;
  const left = new Set<string>();
  const response = wire.read({ bytes, isStream, isCut }, noted, (what) => left.add(what));
  return { response, note: noted?.note, left };
}

/** How many turns were recorded without each kind of content; `report` is called for the first of a kind. */
function countKinds(report: (what: string) => void) {
  const kinds = new Map<string, number>();
  const add = (left: ReadonlySet<string>): void => {
    for (const what of left) {
      const shown = toVisible(what).slice(0, 80);
      const known = kinds.get(shown);
      // A hostile vendor could name new ones for ever.
      if (known === undefined && kinds.size >= MAX_LEFT_OUT_KINDS) continue;
      kinds.set(shown, (known ?? 0) + 1);
      if (known === undefined) report(shown);
    }
  };
  return { kinds, add };
}

/** Takes down the deltas at the times of the parts they came with: they are read when all of them have passed by. */
function noteParts(
  { parts }: PassedAnswer,
  askedAt: number,
  streams: Exclude<RecordedStreaming, false>,
): PassedParts & { note: StreamNote } {
  let at = askedAt;
  const note = createStreamNote(streams, () => at);
  const finish: StreamNote["finish"] = (stored) => {
    at = parts.at(-1)?.at ?? at;
    return note.finish(stored);
  };
  return {
    note: { ...note, finish },
    ends: parts.map(({ end }) => end),
    take(delta, part) {
      at = parts[part]?.at ?? at;
      note.take(delta);
    },
  };
}
