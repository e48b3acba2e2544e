// What a recording proxy keeps: every turn that passes by, sorted into conversations, and a word for each request that it does
// not keep. Headers never come here.

import {
  createConversations,
  type CassetteV2,
  type PassingTurn,
  type RecordedStreaming,
  type RedactOption,
} from "../../cassette/index.js";
import { thrownText, type Wire } from "../../core/index.js";
import {
  createLossTally,
  createRequestTally,
  parseTurn,
  readPassed,
  type CountedRequest,
  type OutsideRequest,
  type PassedAnswer,
} from "../../harness/index.js";

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
  const { kinds: without, add: leave } = createLossTally((what) => watcher.without(what));
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
