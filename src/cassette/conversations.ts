// Turns that pass by one after another, or at once, sorted into the conversations they belong to (kinship.ts), one recorder
// each.

import {
  hashJson,
  withSystemPorts,
  type LlmProviderAdapter,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Ports,
} from "../core/index.js";
import type { CassetteV2 } from "./format.js";
import { findKin, toAskedPrompt, type PromptStep } from "./kinship.js";
import { recordingProvider, type RecordingOptions, type RecordingProvider } from "./record.js";
import type { RedactOption } from "./redact/options.js";
import type { StreamNote, StreamNoted } from "./stream-note.js";
import { createTimeWarning, IN_A_CLIENT } from "./today.js";

/** A turn that was asked and is not answered yet. Exactly one of the two is to be called. */
export interface OpenTurn {
  /** The conversation it belongs to: 0, 1, 2 … in the order they began. */
  readonly conversation: number;
  /**
   * Keeps the answer, and how it came where it was streamed. Rejects with `not-recordable` where a cassette cannot hold the
   * turn.
   */
  answer(response: LlmTurnResponse, note?: StreamNote): Promise<void>;
  /** Forgets the turn: an error is never kept as an answer. */
  fail(): Promise<void>;
}

/** Turns sorted into conversations, a recorder each; made by {@link createConversations}. */
export interface Conversations {
  /**
   * Notes a turn at the moment it is asked. `provider` names the one that will answer it. All turns with the same `name` are one
   * conversation; a turn without a name belongs to the conversation that its prompt goes on.
   */
  open(request: LlmTurnRequest, provider: string, name?: string): OpenTurn;
  /** A cassette for every conversation with an answered turn, in the order they began. All turns must have settled. */
  toCassettes(): CassetteV2[];
  /** What one conversation holds by now; undefined while one of its turns is open, and before the first was answered. */
  toCassette(conversation: number): CassetteV2 | undefined;
}

/** One prompt of a conversation, and how its answer came where it was streamed. */
interface Step extends PromptStep {
  streamed?: StreamNoted;
}

interface Conversation {
  readonly name: string | undefined;
  steps: Step[];
  recorder: RecordingProvider;
  /** What the recorder is to be answered, by the request it was given. */
  answers: Map<LlmTurnRequest, Promise<LlmTurnResponse>>;
}

/** An empty set of conversations; `redact` is for the recorder of each. */
export function createConversations(ports: Partial<Ports> = {}, redact: RedactOption = {}): Conversations {
  const all: Conversation[] = [];
  // The recorders advise a test, and here is none.
  const quiet = { ...ports, warn: () => undefined };
  const warnOfTime = createTimeWarning(withSystemPorts(ports), IN_A_CLIENT);
  const cassetteOf = (conversation: Conversation): CassetteV2 => {
    const cassette = toCassette(conversation);
    warnOfTime(cassette.entries, cassette.recordedAt);
    return cassette;
  };
  return {
    open(request, provider, name) {
      const prompt = toAskedPrompt(request.messages);
      const alike = all.filter((conversation) => conversation.name === name);
      const known = name === undefined ? findKin(alike, prompt) : alike[0];
      const conversation = known ?? begin(all, provider, name, { ports: quiet, redact });
      const { step } = prompt;
      conversation.steps.push(step);
      return record(conversation, all.indexOf(conversation), request, step);
    },
    toCassettes: () =>
      all.flatMap((conversation) => (conversation.recorder.turns === 0 ? [] : cassetteOf(conversation))),
    toCassette(index) {
      const conversation = all[index];
      if (conversation === undefined || conversation.answers.size > 0 || conversation.recorder.turns === 0) return;
      return cassetteOf(conversation);
    },
  };
}

/** When all turns have settled, the steps are the answered ones: a turn of the recording each. */
function toCassette({ recorder, steps }: Conversation): CassetteV2 {
  const streams = steps.flatMap(({ streamed }, turn) => (streamed === undefined ? [] : [{ turn, ...streamed }]));
  return recorder.toCassette(streams.length === 0 ? {} : { extensions: { streams } });
}

function begin(
  all: Conversation[],
  provider: string,
  name: string | undefined,
  options: RecordingOptions,
): Conversation {
  const answers: Conversation["answers"] = new Map();
  const scripted: LlmProviderAdapter = {
    name: provider,
    turn: (request) => answers.get(request) ?? Promise.reject(new Error("a turn was recorded that nobody asked")),
  };
  const conversation = { name, steps: [], answers, recorder: recordingProvider(scripted, options) };
  all.push(conversation);
  return conversation;
}

/** Hands the turn to the recorder now, so that turns keep the order in which they were asked. */
function record(conversation: Conversation, number: number, request: LlmTurnRequest, step: Step): OpenTurn {
  const { answers, recorder, steps } = conversation;
  const { promise, resolve, reject } = withResolvers<LlmTurnResponse>();
  answers.set(request, promise);
  const recorded = recorder.turn(request);
  // Looked at again when the turn settles; until then nobody waits for it.
  recorded.catch(() => undefined);
  const forget = (): void => {
    answers.delete(request);
    const at = steps.indexOf(step);
    if (at >= 0) steps.splice(at, 1);
  };
  return {
    conversation: number,
    async answer(response, note) {
      resolve(response);
      try {
        await recorded;
        step.answerHash = hashJson(response.message);
        const streamed = note?.finish(response);
        if (streamed !== undefined) step.streamed = streamed;
        answers.delete(request);
      } catch (error) {
        forget();
        throw error;
      }
    },
    async fail() {
      reject(new Error("the turn was not answered"));
      await recorded.catch(() => undefined);
      forget();
    },
  };
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((accept, refuse) => ([resolve, reject] = [accept, refuse]));
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
