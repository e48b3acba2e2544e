// Records the turns that pass a proxy, sorted into conversations, and counts the requests that are not recorded. Headers never come
// here.

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

/** A turn that the vendor has not answered yet. Call one of the methods, once. */
export interface TurnWatch {
  /** The vendor answered with success. */
  answered(answer: PassedAnswer): void;
  /** The vendor answered with an error or did not answer. Nothing is recorded. */
  failed(): void;
}

export interface ProxyRecorder {
  /** Opens a turn when it is requested. `name` is the client's name for its recording. */
  open(requested: { wire: Wire; path: string; body: Uint8Array; name?: string | undefined }): TurnWatch;
  /** Counts a request that was passed on although it is not a turn. */
  pass(request: OutsideRequest): void;
  /** Counts a request that the proxy did not pass on. */
  lose(why: string): void;
  readonly recorded: number;
  /** Why each turn that succeeded could not be kept. */
  readonly lost: readonly string[];
  /** The kinds of content that a cassette cannot hold, with the number of turns recorded without each. */
  readonly without: ReadonlyMap<string, number>;
  /** The requests that were passed on and are not turns. */
  passedOn(): CountedRequest[];
  /** The client's name for the recording of a conversation. */
  nameOf(conversation: number): string | undefined;
  /** The answered turns of a conversation before its first open one. Undefined if there are none. */
  toCassette(conversation: number): CassetteV2 | undefined;
}

/** Reports of a proxy while it records. */
export interface ProxyWatcher {
  /** Called for each turn or request that is lost. */
  lost(why: string): void;
  /** Called for the first answer with a kind of content that could not be recorded. */
  without(what: string): void;
  /** Called for the first request of a kind that is not a turn. */
  passedOn(request: OutsideRequest): void;
  /** Called for each conversation that changed. */
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
  // Any error is only reported, since the client has its answer and the turns before this one must still be written.
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
        // A turn that the vendor refuses is not lost.
        return { answered: () => loseBy(error), failed: () => undefined };
      }
    },
    toCassette: (conversation) => conversations.toCassette(conversation),
  };
}
