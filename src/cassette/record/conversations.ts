// Turns that pass by one after another, or at once, sorted into the conversations they belong to (kinship.ts), one recorder
// each.

import {
  hashJson,
  withSystemPorts,
  type LlmProviderAdapter,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Ports,
} from "../../core/index.js";
import type { CassetteExtensions, CassetteV2 } from "../file/format.js";
import { findKin, toAskedPrompt, type PromptStep } from "./kinship.js";
import { createRecording, type Recording, type RecordingOptions } from "./record.js";
import type { RedactOption } from "../redact/options.js";
import type { StreamNote, StreamNoted } from "../stream/record.js";
import { createTimeWarning, IN_A_CLIENT } from "../prompt/today.js";

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
  /**
   * The answered turns of one conversation by now, up to the first that is still open in the order they were asked; undefined
   * while there is none.
   */
  toCassette(conversation: number): CassetteV2 | undefined;
}

/** One prompt of a conversation, and how its answer came where it was streamed. */
interface Step extends PromptStep {
  streamed?: StreamNoted;
}

interface Conversation {
  readonly name: string | undefined;
  steps: Step[];
  recording: Recording;
  /** What the recorder is to be answered, by the request it was given. */
  answers: Map<LlmTurnRequest, Promise<LlmTurnResponse>>;
}

/** An empty set of conversations; `redact` is for the recorder of each. */
export function createConversations(ports: Partial<Ports> = {}, redact: RedactOption = {}): Conversations {
  const all: Conversation[] = [];
  // The recorders give advice for tests, which does not fit here.
  const quiet = { ...ports, warn: () => undefined };
  const warnOfTime = createTimeWarning(withSystemPorts(ports), IN_A_CLIENT);
  const warned = (cassette: CassetteV2): CassetteV2 => {
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
      all.flatMap((conversation) =>
        conversation.recording.provider.turns === 0 ? [] : warned(toCassette(conversation)),
      ),
    toCassette(index) {
      const conversation = all[index];
      if (conversation === undefined || conversation.recording.provider.turns === 0) return;
      const open = conversation.steps.findIndex(({ answerHash }) => answerHash === undefined);
      const steps = open < 0 ? conversation.steps : conversation.steps.slice(0, open);
      // A turn is just settling, and says so when it has.
      if (steps.length !== conversation.recording.provider.turns) return;
      return warned(conversation.recording.soFar(streamsOf(steps)));
    },
  };
}

/** When all turns have settled, the steps are the answered ones: a turn of the recording each. */
function toCassette({ recording, steps }: Conversation): CassetteV2 {
  return recording.provider.toCassette(streamsOf(steps));
}

/** The steps must be the turns of the recording, in their order. */
function streamsOf(steps: readonly Step[]): { extensions?: CassetteExtensions } {
  const streams = steps.flatMap(({ streamed }, turn) => (streamed === undefined ? [] : [{ turn, ...streamed }]));
  return streams.length === 0 ? {} : { extensions: { streams } };
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
  const conversation = { name, steps: [], answers, recording: createRecording(scripted, options) };
  all.push(conversation);
  return conversation;
}

/** Hands the turn to the recorder now, so that turns keep the order in which they were asked. */
function record(conversation: Conversation, number: number, request: LlmTurnRequest, step: Step): OpenTurn {
  const { answers, recording, steps } = conversation;
  const { promise, resolve, reject } = withResolvers<LlmTurnResponse>();
  answers.set(request, promise);
  const recorded = recording.provider.turn(request);
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
