// Records the turns that pass a proxy, sorted into conversations, and counts the requests that are not recorded. Headers never come
// here.

import { createConversations, type CassetteV2, type PassingTurn, type RecordingOptions } from "../../cassette/index.js";
import { thrownText, type HeldConversations, type KeepAnswer, type Wire } from "../../core/index.js";
import {
  beginConversation,
  createLossTally,
  createRequestTally,
  readPassed,
  type CountedRequest,
  type HeldStateRefusal,
  type OutsideRequest,
  type PassedAnswer,
  type Refusal,
  type WholeTurn,
} from "../../harness/index.js";

/** A turn that the vendor has not answered yet. Call one of the methods, once. */
export interface TurnWatch {
  /** The vendor answered with success. */
  answered(answer: PassedAnswer): void;
  /** The vendor answered with an error or did not answer. Nothing is recorded. */
  failed(): void;
}

export interface RequestedTurn {
  readonly wire: Wire;
  /** The turn, or the reason why its answer cannot be recorded. */
  readonly read: WholeTurn | { readonly refusal: Refusal } | HeldStateRefusal;
  readonly held: HeldConversations;
  /** The client's name for its recording. */
  readonly name?: string | undefined;
}

export interface RequestedBeginning {
  readonly wire: Wire;
  readonly body: Uint8Array;
  readonly held: HeldConversations;
}

export interface ProxyRecorder {
  /** Opens a turn when it is requested. */
  open(requested: RequestedTurn): TurnWatch;
  /** Follows a conversation that begins without a turn. */
  begin(requested: RequestedBeginning): TurnWatch;
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
  { streams = "boundaries", ...recording }: Pick<RecordingOptions, "redact" | "streams" | "hashFilter"> = {},
): ProxyRecorder {
  const conversations = createConversations({}, recording);
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

  function keep(wire: Wire, turn: PassingTurn, hold: KeepAnswer | undefined, passed: PassedAnswer, askedAt: number) {
    try {
      const { response, answer, note, left } = readPassed(wire, passed, askedAt, streams);
      hold?.(answer);
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
    open({ wire, read, held, name }) {
      if (!("turn" in read)) {
        const { message } = "held" in read ? read.held : read.refusal;
        // A turn that the vendor refuses is not lost.
        return { answered: () => lose(message), failed: () => undefined };
      }
      try {
        const { request } = read.turn;
        const turn = conversations.open(request, `${wire.name}:${request.settings.model}`, name);
        if (name !== undefined) names.set(turn.conversation, name);
        const askedAt = Date.now();
        return trackedBy(held, {
          answered: (answer) => keep(wire, turn, read.keep, answer, askedAt),
          failed: () => {
            turn.fail();
            watcher.kept(turn.conversation);
          },
        });
      } catch (error) {
        return { answered: () => loseBy(error), failed: () => undefined };
      }
    },
    begin: (requested) => watchBeginning(requested, loseBy),
    toCassette: (conversation) => conversations.toCassette(conversation),
  };
}

/** The same watch. A request that comes before its end waits for it where it may continue the answer. */
function trackedBy(held: HeldConversations, watch: TurnWatch): TurnWatch {
  let over = (): void => undefined;
  held.track(new Promise<void>((resolve) => (over = resolve)));
  return {
    answered(answer) {
      watch.answered(answer);
      over();
    },
    failed() {
      watch.failed();
      over();
    },
  };
}

function watchBeginning({ wire, body, held }: RequestedBeginning, lose: (error: unknown) => void): TurnWatch {
  return trackedBy(held, {
    answered({ bytes = new Uint8Array() }) {
      try {
        beginConversation(wire, held, body, bytes);
      } catch (error) {
        lose(error);
      }
    },
    failed: () => undefined,
  });
}
