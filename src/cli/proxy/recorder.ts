// Records the turns and exchanges that pass a proxy, sorted into conversations, and counts every request. Of the headers, only the
// content type of a request and those of an answer come here.

import { MAX_OPEN_CONVERSATIONS } from "../limits.js";
import {
  createConversations,
  type CassetteV2,
  type Conversations,
  type RecordingHead,
  type RecordingOptions,
} from "../../cassette/index.js";
import { createLossTally, createTally, type DoorRequest, type DoorRow } from "../../harness/index.js";
import {
  watchBeginning,
  watchExchange,
  watchTurn,
  type AnswerKeep,
  type AnswerWatch,
  type BeginningRequest,
  type PassingRequest,
  type TurnRequest,
} from "./answer-watch.js";

export interface ProxyRecorder {
  /** Opens an exchange when it is requested. */
  exchange(request: PassingRequest): AnswerWatch;
  /** Opens a turn when it is requested. */
  turn(request: TurnRequest): AnswerWatch;
  /** Follows a conversation that begins without a turn. */
  begin(request: BeginningRequest): AnswerWatch;
  /** Counts a request that was passed on because an option names it. */
  pass(request: DoorRequest): void;
  /** Counts a connection check. */
  probe(request: DoorRequest): void;
  /** Counts an encrypted connection through the proxy. */
  tunnel(request: DoorRequest): void;
  /** Counts a request that the proxy did not pass on. */
  refuse(request: DoorRequest, why: string): void;
  /** Recorded turns. */
  readonly recorded: number;
  /** Why each turn that succeeded could not be kept, and each request was refused. */
  readonly lost: readonly string[];
  /** The kinds of content that a cassette cannot hold, with the number of turns recorded without each. */
  readonly without: ReadonlyMap<string, number>;
  /** What became of every request. */
  rows(): readonly DoorRow[];
  /** The client's name for the recording of a conversation. */
  nameOf(conversation: number): string | undefined;
  /**
   * The answers of a conversation so far. Undefined without any, and for an unnamed conversation without a turn before `end`,
   * since its first turn names its file.
   */
  toCassette(conversation: number, head?: RecordingHead): CassetteV2 | undefined;
  /** Called when a conversation is on the disk as it is now, so that it can be forgotten. */
  written(conversation: number): void;
  /** Reports the conversations that will get no turn. */
  end(): void;
}

/** Reports of a proxy while it records. */
export interface ProxyWatcher {
  /** Called for each turn or request that is lost. */
  lost(why: string): void;
  /** Called for the first answer with a kind of content that could not be recorded. */
  without(what: string): void;
  /** Called for the first request of a kind that was passed on and not recorded. */
  passedOn(request: DoorRequest, why: string): void;
  /** Called for the first exchange of a kind. `why` a turn is one. */
  exchanged(request: DoorRequest, why?: string): void;
  /** Called for each turn when it is requested. `answered` is the number of turns of its conversation so far. */
  opened?(conversation: number, answered: number): void;
  /** Called for each conversation that changed. */
  kept(conversation: number): void;
  /** Called when the first conversation is forgotten. */
  closed(): void;
}

export interface ProxyRecording extends Pick<RecordingOptions, "redact" | "streams" | "hashFilter"> {
  /** Records the vendor's errors as exchanges. */
  readonly keepErrors?: boolean;
  /** Does not warn of dates in prompts, since the replay filters them. */
  readonly isFiltered?: boolean;
}

export function createProxyRecorder(
  watcher: ProxyWatcher,
  { streams = "boundaries", keepErrors = false, isFiltered = false, ...recording }: ProxyRecording = {},
): ProxyRecorder {
  const conversations = createConversations(isFiltered ? { warn: () => undefined } : {}, recording);
  const lost: string[] = [];
  const { kinds: without, add: leave } = createLossTally((what) => watcher.without(what));
  const tally = createTally();
  const names = new Map<number, string>();
  const closer = createCloser(conversations, () => watcher.closed());
  let recorded = 0;
  let isEnded = false;

  const add: AnswerKeep["add"] = ({ method, path }, outcome, reason) => tally.add({ method, path, outcome }, reason);
  const note = (why: string): void => {
    lost.push(why);
    watcher.lost(why);
  };
  const lose = (request: DoorRequest, why: string): void => {
    add(request, "lost", why);
    note(why);
  };
  const keep: AnswerKeep = {
    ...{ conversations, streams, keepErrors, add, lose, leave },
    exchanged: (request, why) => watcher.exchanged(request, why),
    passedOn: (request, why) => watcher.passedOn(request, why),
    changed(conversation) {
      closer.changed(conversation);
      watcher.kept(conversation);
    },
    opened(conversation, name) {
      if (name !== undefined) names.set(conversation, name);
    },
    openedTurn: ({ conversation, before }) => watcher.opened?.(conversation, before),
    recorded() {
      recorded++;
    },
  };

  return {
    get recorded() {
      return recorded;
    },
    lost,
    without,
    rows: () => tally.rows(),
    nameOf: (conversation) => names.get(conversation),
    pass: (request) => void add(request, "passed"),
    probe: (request) => void add(request, "probe"),
    tunnel: (request) => void add(request, "tunnel"),
    refuse(request, why) {
      add(request, "refused", why);
      note(`${request.method} ${request.path} was not passed on: ${why}`);
    },
    exchange: (request) => watchExchange(keep, request),
    turn: (request) => watchTurn(keep, request),
    begin: (request) => watchBeginning(keep, request),
    toCassette(conversation, head) {
      const isHeld = !isEnded && !names.has(conversation) && conversations.withoutTurns().includes(conversation);
      return isHeld ? undefined : conversations.toCassette(conversation, head);
    },
    written: (conversation) => closer.written(conversation),
    end() {
      isEnded = true;
      for (const conversation of conversations.withoutTurns()) watcher.kept(conversation);
    },
  };
}

/** Closes written conversations beyond the limit, the longest without a change first. Calls `closed` for the first of them. */
function createCloser(conversations: Conversations, closed: () => void) {
  const written = new Set<number>();
  let isClosing = false;
  return {
    changed: (conversation: number) => void written.delete(conversation),
    written(conversation: number): void {
      written.add(conversation);
      for (const oldest of written) {
        if (written.size <= MAX_OPEN_CONVERSATIONS) return;
        if (!conversations.close(oldest)) continue;
        written.delete(oldest);
        if (!isClosing) closed();
        isClosing = true;
      }
    },
  };
}
