// What a recording proxy keeps: every turn that passes by, sorted into conversations, and a word for each that is lost.
// Headers never come here.

import { CassetteError, createConversations, type CassetteV2, type OpenTurn } from "../../cassette/index.js";
import { AgentError, type Wire } from "../../core/index.js";
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
  toCassettes(): CassetteV2[];
}

/** `note` is told of a lost turn at once. */
export function createProxyRecorder(note: (text: string) => void): ProxyRecorder {
  const conversations = createConversations();
  const lost: string[] = [];
  const open = new Set<Promise<void>>();
  let recorded = 0;

  const lose = (error: unknown): void => {
    if (!(error instanceof AgentError || error instanceof CassetteError || error instanceof SyntaxError)) throw error;
    lost.push(error.message);
    note(error.message);
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
          failed: () => tracked(turn.fail()),
        };
      } catch (error) {
        // Only a turn that the vendor takes is a turn that was lost.
        return { answered: async () => lose(error), failed: async () => undefined };
      }
    },
    async idle() {
      while (open.size > 0) await Promise.all(open);
    },
    toCassettes: () => conversations.toCassettes(),
  };
}
