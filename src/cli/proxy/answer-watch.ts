// Waits for the answer to one request that passes a proxy, and keeps it as a turn or an exchange. An error is only reported, since the
// client has its answer and the other answers must still be written.

import {
  CassetteError,
  type Conversations,
  type PassingTurn,
  type PlainAnswer,
  type PlainRequest,
  type RecordedStreaming,
} from "../../cassette/index.js";
import { AgentError, thrownText, type HeldConversations, type Wire } from "../../core/index.js";
import {
  beginConversation,
  readPassed,
  reasonOf,
  type DoorOutcome,
  type DoorRequest,
  type HeldStateRefusal,
  type PassedAnswer,
  type UnreadTurn,
  type WholeTurn,
} from "../../harness/index.js";

/** A request below the target. `url` is its path with its query. */
export interface PassingRequest extends PlainRequest, DoorRequest {
  readonly body: Uint8Array;
  /** The client's name for its recording. */
  readonly name?: string | undefined;
}

/** A request that begins a conversation on the vendor's server without a turn. */
export interface BeginningRequest extends PassingRequest {
  readonly wire: Wire;
  readonly held: HeldConversations;
}

export interface TurnRequest extends BeginningRequest {
  /** The turn, or the reason why its request can only be an exchange. */
  readonly read: WholeTurn | UnreadTurn | HeldStateRefusal;
}

/** An answer that passed by. */
export interface PassingAnswer extends PassedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The client left before the end. */
  readonly isLeft: boolean;
  /** The encoding of `bytes`, if they could not be unpacked. */
  readonly packed?: string | undefined;
}

/** A request that the vendor has not answered yet. Call `answered`, `failed` or `left`, once. */
export interface AnswerWatch {
  /** False if the answer with this status is not kept. */
  keeps(status: number): boolean;
  answered(answer: PassingAnswer): void;
  /** The vendor did not answer, or its answer is not kept. */
  failed(): void;
  /** The client left before the answer came. */
  left(): void;
}

/** The recording that answers go to. */
export interface AnswerKeep {
  readonly conversations: Conversations;
  readonly streams: RecordedStreaming;
  /** Keeps errors of the vendor, and answers that broke off. */
  readonly keepErrors: boolean;
  /** Counts a request. Returns true for the first of its kind. */
  add(request: DoorRequest, outcome: DoorOutcome, reason?: string): boolean;
  /** Counts and reports a turn that could not be kept. */
  lose(request: DoorRequest, why: string): void;
  /** Counts the kinds of content that a turn was recorded without. */
  leave(left: ReadonlySet<string>): void;
  /** `why` a turn is recorded as an exchange. */
  exchanged(request: DoorRequest, why?: string): void;
  passedOn(request: DoorRequest, why: string): void;
  opened(conversation: number, name: string | undefined): void;
  openedTurn(turn: PassingTurn): void;
  changed(conversation: number): void;
  /** Counts a recorded turn. */
  recorded(): void;
}

/** `why` a turn is recorded as an exchange. */
export function watchExchange(keep: AnswerKeep, request: PassingRequest, why?: string): AnswerWatch {
  const keeps = () => true;
  const left = (): void => passOn(keep, request, LEFT);
  try {
    const exchange = keep.conversations.exchange(request, "http", request.name);
    const { conversation } = exchange;
    keep.opened(conversation, request.name);
    return {
      keeps,
      answered(answer) {
        keepExchange(keep, request, () => exchange.answer(toPlain(answer, keep.keepErrors)), why);
        exchange.fail();
        keep.changed(conversation);
      },
      failed() {
        exchange.fail();
        keep.add(request, "failed");
      },
      left() {
        exchange.fail();
        left();
      },
    };
  } catch (error) {
    return {
      ...{ keeps, left },
      answered: () => passOn(keep, request, thrownText(error)),
      failed: () => void keep.add(request, "failed"),
    };
  }
}

function keepExchange(keep: AnswerKeep, request: PassingRequest, store: () => void, why?: string): void {
  try {
    store();
    if (keep.add(request, "exchange", why)) keep.exchanged(request, why);
  } catch (error) {
    passOn(keep, request, thrownText(error));
  }
}

const LEFT = "the client left before the answer came";

/** The vendor may have answered, and charged for it. */
function loseLeft(keep: AnswerKeep, request: PassingRequest): void {
  keep.lose(request, `${request.method} ${request.path}: ${LEFT}`);
}

function passOn(keep: AnswerKeep, request: PassingRequest, why: string): void {
  if (keep.add(request, "passed-on", why)) keep.passedOn(request, why);
}

export function watchTurn(keep: AnswerKeep, request: TurnRequest): AnswerWatch {
  const { wire, read, held, name } = request;
  if (!("turn" in read)) return watchUnread(keep, { ...request, body: read.body }, reasonOf(read));
  const { request: asked } = read.turn;
  try {
    const turn = keep.conversations.open(asked, `${wire.name}:${asked.settings.model}`, name);
    keep.opened(turn.conversation, name);
    keep.openedTurn(turn);
    // An error is recorded with the whole conversation, since a replay gives other ids than the vendor.
    const open: WatchedTurn = { request: { ...request, body: read.body }, wire, turn, read, askedAt: Date.now() };
    return trackedBy(held, {
      keeps: (status) => keep.keepErrors || isSuccess(status),
      answered: (answer) => (isSuccess(answer.status) ? keepTurn(keep, open, answer) : refuseTurn(keep, open, answer)),
      failed: () => failTurn(keep, open),
      left() {
        turn.fail();
        loseLeft(keep, request);
        keep.changed(turn.conversation);
      },
    });
  } catch (error) {
    return watchUnread(keep, request, thrownText(error));
  }
}

/** A turn that only an exchange can hold. One that the vendor refuses counts as any refused turn. */
function watchUnread(keep: AnswerKeep, request: PassingRequest, why: string): AnswerWatch {
  return { ...watchExchange(keep, request, why), keeps: (status) => keep.keepErrors || isSuccess(status) };
}

/** A replay answers the request itself, so only an error of the vendor is recorded. */
export function watchBeginning(keep: AnswerKeep, request: BeginningRequest): AnswerWatch {
  const { wire, held, body } = request;
  return trackedBy(held, {
    keeps: (status) => keep.keepErrors || isSuccess(status),
    failed: () => void keep.add(request, "failed"),
    left: () => loseLeft(keep, request),
    answered(answer) {
      if (!isSuccess(answer.status)) {
        watchExchange(keep, request).answered(answer);
        return;
      }
      try {
        beginConversation(wire, held, body, toPlain(answer, false).body);
        keep.add(request, "begun");
      } catch (error) {
        keep.lose(request, thrownText(error));
      }
    },
  });
}

/** The same watch. A request that comes before its end waits for it where it may continue the answer. */
function trackedBy(held: HeldConversations, watch: AnswerWatch): AnswerWatch {
  let over = (): void => undefined;
  held.track(new Promise<void>((resolve) => (over = resolve)));
  return {
    keeps: (status) => watch.keeps(status),
    answered(answer) {
      watch.answered(answer);
      over();
    },
    failed() {
      watch.failed();
      over();
    },
    left() {
      watch.left();
      over();
    },
  };
}

interface WatchedTurn {
  readonly request: PassingRequest;
  readonly wire: Wire;
  readonly turn: PassingTurn;
  readonly read: WholeTurn;
  readonly askedAt: number;
}

function keepTurn(keep: AnswerKeep, open: WatchedTurn, passed: PassingAnswer): void {
  const { request, wire, turn, read, askedAt } = open;
  if (passed.isCut && passed.bytes?.length === 0 && !keep.keepErrors) {
    failTurn(keep, open);
    return;
  }
  try {
    const { response, answer, note, left } = readPassed(wire, passed, askedAt, keep.streams);
    read.keep?.(answer);
    turn.answer(response, note);
    keep.recorded();
    keep.add(request, "turn");
    keep.leave(left);
  } catch (error) {
    if (keep.keepErrors && !passed.isLeft && error instanceof AgentError) {
      refuseTurn(keep, open, passed);
      return;
    }
    turn.fail();
    keep.lose(request, whyNotPlain(passed) ?? thrownText(error));
  }
  keep.changed(turn.conversation);
}

/** Keeps the answer of a refused turn as an exchange. */
function refuseTurn(keep: AnswerKeep, { request, turn }: WatchedTurn, answer: PassingAnswer): void {
  keepExchange(keep, request, () => turn.refuse(request, toPlain(answer, keep.keepErrors)));
  turn.fail();
  keep.changed(turn.conversation);
}

function failTurn(keep: AnswerKeep, { request, turn }: WatchedTurn): void {
  turn.fail();
  keep.add(request, "failed");
  keep.changed(turn.conversation);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Why the answer cannot be read, whatever it is. Undefined if it came whole and plain. */
function whyNotPlain({ bytes, packed, isCut, isLeft }: PassingAnswer): string | undefined {
  if (bytes === undefined) return "an answer was too large to be kept";
  if (isCut && isLeft) return "the client left before the end of the answer";
  return packed === undefined ? undefined : `the answer is packed as ${JSON.stringify(packed)}`;
}

/** The answer as a recorder takes it. Throws `not-recordable`. */
function toPlain(answer: PassingAnswer, keepsCut: boolean): PlainAnswer {
  const { bytes = new Uint8Array(), status, headers, isCut } = answer;
  const why = whyNotPlain(answer) ?? (isCut && !keepsCut ? "the answer broke off before its end" : undefined);
  if (why !== undefined) throw notKept(why);
  return { status, headers, body: bytes, ...(isCut ? { isCut: true } : {}) };
}

function notKept(why: string): CassetteError {
  return new CassetteError("not-recordable", why);
}
