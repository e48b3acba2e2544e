// What a recording proxy keeps: every turn that passes by, sorted into conversations, and a word for each that is lost.
// Headers never come here.

import {
  CassetteError,
  createConversations,
  type CassetteV2,
  type OpenTurn,
  type RedactOption,
} from "../../cassette/index.js";
import type { Wire } from "../../core/index.js";
import { parseBody } from "../serve/replies.js";

/** The answer to a turn, as it passed by. */
export interface PassedAnswer {
  /** Undefined where it was larger than what is kept. */
  bytes: Uint8Array | undefined;
  isStream: boolean;
  isCut: boolean;
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

export function createProxyRecorder(watcher: ProxyWatcher, redact: RedactOption = {}): ProxyRecorder {
  const conversations = createConversations({}, redact);
  const lost: string[] = [];
  const open = new Set<Promise<void>>();
  let recorded = 0;

  // Whatever it was: the client has its answer, and the turns before this one are still to be written.
  const lose = (error: unknown): void => {
    const why = error instanceof Error ? error.message : String(error);
    lost.push(why);
    watcher.lost(why);
  };
  const tracked = (work: Promise<void>): Promise<void> => {
    open.add(work);
    return work.finally(() => open.delete(work));
  };

  async function keep(wire: Wire, turn: OpenTurn, { bytes, isStream, isCut }: PassedAnswer): Promise<void> {
    try {
      if (bytes === undefined) throw new CassetteError("not-recordable", "an answer was too large to be kept");
      await turn.answer(wire.read({ bytes, isStream, isCut }));
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
    open(wire, body) {
      try {
        const { request } = wire.parse(parseBody(body));
        const turn = conversations.open(request, `${wire.name}:${request.settings.model}`);
        return {
          answered: (answer) => tracked(keep(wire, turn, answer)),
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
