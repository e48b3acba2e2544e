// What a recording proxy keeps: every turn that passes by, sorted into conversations, and a word for each that is lost.
// Headers never come here.

import {
  CassetteError,
  createConversations,
  createStreamNote,
  type CassetteV2,
  type OpenTurn,
  type RecordedStreaming,
  type RedactOption,
  type StreamNote,
} from "../../cassette/index.js";
import type { PassedParts, Wire } from "../../core/index.js";
import { parseBody } from "../../harness/index.js";

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

/** One turn on its way to the vendor. One of the two is called, once. */
export interface PassingTurn {
  /** The vendor answered with success. */
  answered(answer: PassedAnswer): Promise<void>;
  /** The vendor answered with an error, or not at all: nothing to keep. */
  failed(): Promise<void>;
}

export interface ProxyRecorder {
  /** Notes a turn when it is asked. */
  open(wire: Wire, body: Uint8Array): PassingTurn;
  /** Notes a turn that cannot be kept. */
  lose(why: unknown): void;
  /** Resolves when no turn is open. */
  idle(): Promise<void>;
  readonly recorded: number;
  /** Why each turn that succeeded could not be kept. */
  readonly lost: readonly string[];
  /** What a conversation holds by now; undefined while one of its turns is open. */
  toCassette(conversation: number): CassetteV2 | undefined;
}

/** Told at once of a turn that is lost, and of a conversation that has a turn more. */
export interface ProxyWatcher {
  lost(why: string): void;
  kept(conversation: number): void;
}

/** What is kept of what passes: how streams came, and what is taken out of it. */
export interface ProxyRecording {
  redact?: RedactOption;
  streams?: RecordedStreaming;
}

export function createProxyRecorder(watcher: ProxyWatcher, options: ProxyRecording = {}): ProxyRecorder {
  const { redact = {}, streams = "boundaries" } = options;
  const conversations = createConversations({}, redact);
  const lost: string[] = [];
  const open = new Set<Promise<void>>();
  let recorded = 0;

  // Never throws: the turns before this one are still to be written.
  const lose = (error: unknown): void => {
    const why = error instanceof Error ? error.message : String(error);
    lost.push(why);
    watcher.lost(why);
  };
  const tracked = (work: Promise<void>): Promise<void> => {
    open.add(work);
    return work.finally(() => open.delete(work));
  };

  async function keep(wire: Wire, turn: OpenTurn, passed: PassedAnswer, askedAt: number): Promise<void> {
    const { bytes, isStream, isCut } = passed;
    try {
      if (bytes === undefined) throw new CassetteError("not-recordable", "an answer was too large to be kept");
      const noted = isStream && streams !== false ? noteParts(passed, askedAt, streams) : undefined;
      await turn.answer(wire.read({ bytes, isStream, isCut }, noted), noted?.note);
      recorded++;
    } catch (error) {
      await turn.fail();
      lose(error);
    }
    watcher.kept(turn.conversation);
  }

  async function drop(turn: OpenTurn): Promise<void> {
    await turn.fail();
    watcher.kept(turn.conversation);
  }

  return {
    get recorded() {
      return recorded;
    },
    lost,
    lose,
    open(wire, body) {
      try {
        const { request } = wire.parse(parseBody(body));
        const turn = conversations.open(request, `${wire.name}:${request.settings.model}`);
        const askedAt = Date.now();
        return {
          answered: (answer) => tracked(keep(wire, turn, answer, askedAt)),
          failed: () => tracked(drop(turn)),
        };
      } catch (error) {
        // Only a turn that the vendor takes is a turn that was lost.
        return { answered: async () => lose(error), failed: async () => undefined };
      }
    },
    async idle() {
      while (open.size > 0) await Promise.all(open);
    },
    toCassette: (conversation) => conversations.toCassette(conversation),
  };
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
