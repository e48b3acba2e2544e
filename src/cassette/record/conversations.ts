// Turns and exchanges that come one after another, or at once, sorted into conversations (kinship.ts), each with a recorder.

import { hashJson, withSystemPorts, type LlmTurnRequest, type Ports } from "../../core/index.js";
import type { PlainAnswer, PlainRequest } from "../exchange/http.js";
import type { OpenExchange } from "../exchange/record.js";
import type { CassetteV2 } from "../file/format.js";
import { createTimeWarning, IN_A_CLIENT } from "../prompt/date-warning.js";
import { findContinued, toAskedPrompt, type Kin, type PromptStep } from "./kinship.js";
import { createRecorder, type OpenTurn, type Recorder, type RecordingHead, type RecordingOptions } from "./recorder.js";

/** An open turn of one of several conversations. */
export interface PassingTurn extends OpenTurn {
  /** The conversation it belongs to: 0, 1, 2 … in the order they began. */
  readonly conversation: number;
  /** The turns of the conversation that were answered before this one was requested. */
  readonly before: number;
  /**
   * Forgets the turn and keeps its request with the vendor's error as an exchange. The same prompt continues this conversation then.
   * Throws `not-recordable`.
   */
  refuse(request: PlainRequest, answer: PlainAnswer): void;
}

/** An open exchange of one of several conversations. */
export interface PassingExchange extends OpenExchange {
  readonly conversation: number;
}

export interface Conversations {
  /**
   * Notes a turn at the moment of its request; `provider` names the one that will answer it. Turns with the same `name` are one
   * conversation. A turn without a name belongs to the conversation that its prompt continues. Throws as `Recorder.open`.
   */
  open(request: LlmTurnRequest, provider: string, name?: string): PassingTurn;
  /**
   * Notes a request that is not a turn at the moment of its call. It belongs to the conversation with its `name`. Without a name it
   * belongs to the conversation in which the last turn was requested or answered. Before the first turn it begins a conversation,
   * which the next new one continues. Throws `not-recordable`.
   */
  exchange(request: PlainRequest, provider: string, name?: string): PassingExchange;
  /** The conversations that hold an exchange and no turn. */
  withoutTurns(): number[];
  /** A cassette for every conversation with an answer, in the order they began. All turns must have settled. */
  toCassettes(): CassetteV2[];
  /**
   * The answered exchanges of one conversation, and its turns before the first open one; undefined without any, and after `close`.
   */
  toCassette(conversation: number, head?: RecordingHead): CassetteV2 | undefined;
  /** Forgets a conversation. A prompt that continues it begins another one. Returns false if one of its calls is still open. */
  close(conversation: number): boolean;
}

interface Conversation extends Kin {
  readonly name: string | undefined;
  readonly steps: PromptStep[];
  readonly recorder: Recorder;
  /** Its number. */
  readonly at: number;
  /** The provider of its turns, or of its exchanges while it has no turn. */
  provider: string;
  /** Calls without an answer. */
  open: number;
}

/** An empty set of conversations; `recording` is for the recorder of each. */
export function createConversations(
  ports: Partial<Ports> = {},
  recording: Pick<RecordingOptions, "redact" | "hashFilter"> = {},
): Conversations {
  const known = new Map<number, Conversation>();
  let next = 0;
  let latest: Conversation | undefined;
  // The recorders give advice for tests, which does not fit here.
  const quiet = { ...ports, warn: () => undefined };
  const warnOfTime = createTimeWarning(withSystemPorts(ports), IN_A_CLIENT);
  const warned = (cassette: CassetteV2): CassetteV2 => {
    warnOfTime(cassette.entries, cassette.recordedAt);
    return cassette;
  };

  function begin(provider: string, name: string | undefined): Conversation {
    const recorder = createRecorder(() => conversation.provider, { ...recording, ports: quiet });
    const conversation: Conversation = { name, steps: [], refused: new Set(), recorder, at: next++, provider, open: 0 };
    known.set(conversation.at, conversation);
    return conversation;
  }

  const all = () => [...known.values()];
  const named = (name: string | undefined) => all().find((conversation) => conversation.name === name);

  return {
    open(request, provider, name) {
      const prompt = toAskedPrompt(request.messages);
      const unnamed = all().filter((conversation) => conversation.name === undefined);
      const found = name === undefined ? findContinued(unnamed, prompt) : named(name);
      const conversation = found ?? begin(provider, name);
      const turn = conversation.recorder.open(request);
      if (conversation.steps.length === 0) conversation.provider = provider;
      latest = conversation;
      const step = noteStep(conversation, prompt.step);
      return passing(opened(conversation, turn), { conversation, step, answered: () => void (latest = conversation) });
    },
    exchange(request, provider, name) {
      const conversation = (name === undefined ? latest : named(name)) ?? begin(provider, name);
      if (name === undefined) latest = conversation;
      return { conversation: conversation.at, ...opened(conversation, conversation.recorder.exchange(request)) };
    },
    withoutTurns: () => all().flatMap(({ recorder, at }) => (recorder.turns() > 0 || isEmpty(recorder) ? [] : [at])),
    toCassettes: () => all().flatMap(({ recorder }) => (isEmpty(recorder) ? [] : warned(recorder.toCassette()))),
    toCassette(index, head) {
      const recorder = known.get(index)?.recorder;
      return recorder === undefined || isEmpty(recorder) ? undefined : warned(recorder.soFar(head));
    },
    close(index) {
      const conversation = known.get(index);
      if (conversation === undefined) return true;
      if (conversation.open > 0) return false;
      if (latest === conversation) latest = undefined;
      known.delete(index);
      return true;
    },
  };
}

/** The same call, counted as open until it is settled. */
function opened<T extends OpenTurn | OpenExchange>(conversation: Conversation, call: T): T {
  conversation.open++;
  let isOpen = true;
  const settled = (): void => {
    if (isOpen) conversation.open--;
    isOpen = false;
  };
  return {
    ...call,
    answer(...given: Parameters<T["answer"]>) {
      try {
        (call.answer as (...given: unknown[]) => void)(...given);
      } finally {
        settled();
      }
    },
    fail() {
      call.fail();
      settled();
    },
  };
}

/** Adds a step to a conversation. `forget` takes it out again. */
function noteStep({ steps }: Conversation, step: PromptStep): Noted {
  steps.push(step);
  const forget = (): void => {
    const at = steps.indexOf(step);
    if (at >= 0) steps.splice(at, 1);
  };
  return { step, forget };
}

interface Noted {
  readonly step: PromptStep;
  readonly forget: () => void;
}

interface PassingPlace {
  readonly conversation: Conversation;
  readonly step: Noted;
  readonly answered: () => void;
}

function passing(turn: OpenTurn, { conversation, step: { step, forget }, answered }: PassingPlace): PassingTurn {
  const fail = (): void => {
    turn.fail();
    forget();
  };
  return {
    conversation: conversation.at,
    before: conversation.recorder.turns(),
    answer(response, note) {
      try {
        turn.answer(response, note);
      } catch (error) {
        forget();
        throw error;
      }
      step.answerHash = hashJson(response.message);
      answered();
    },
    fail,
    refuse(given, answer) {
      fail();
      conversation.recorder.exchange(given).answer(answer);
      conversation.refused.add(step.hash);
    },
  };
}

function isEmpty(recorder: Recorder): boolean {
  return recorder.turns() + recorder.exchanges() === 0;
}
