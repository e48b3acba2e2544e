// Turns that pass by one after another, or at once, sorted into the conversations they belong to, one recorder each. A prompt
// that goes on from an earlier one belongs to it; of several, the longest, and then the one whose answer it took up.

import {
  hashJson,
  sha256Hex,
  type LlmProviderAdapter,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Ports,
} from "../core/index.js";
import type { CassetteV2 } from "./format.js";
import { recordingProvider, type RecordingOptions, type RecordingProvider } from "./record.js";
import type { RedactOption } from "./redact/options.js";

/** A turn that was asked and is not answered yet. Exactly one of the two is to be called. */
export interface OpenTurn {
  /** The conversation it belongs to: 0, 1, 2 … in the order they began. */
  readonly conversation: number;
  /** Keeps the answer. Rejects with `not-recordable` where a cassette cannot hold the turn. */
  answer(response: LlmTurnResponse): Promise<void>;
  /** Forgets the turn: an error is never kept as an answer. */
  fail(): Promise<void>;
}

export interface Conversations {
  /** Notes a turn at the moment it is asked; `provider` names the one that will answer it. */
  open(request: LlmTurnRequest, provider: string): OpenTurn;
  /** A cassette for every conversation with an answered turn, in the order they began. All turns must have settled. */
  toCassettes(): CassetteV2[];
  /** What one conversation holds by now; undefined while one of its turns is open, and before the first was answered. */
  toCassette(conversation: number): CassetteV2 | undefined;
}

/** One prompt of a conversation, by the hash of all of it. */
interface Step {
  length: number;
  hash: string;
  /** Of the answer, once it is there. */
  answerHash?: string;
}

interface Conversation {
  steps: Step[];
  recorder: RecordingProvider;
  /** What the recorder is to be answered, by the request it was given. */
  answers: Map<LlmTurnRequest, Promise<LlmTurnResponse>>;
}

/** An empty set of conversations; `redact` is for the recorder of each. */
export function createConversations(ports: Partial<Ports> = {}, redact: RedactOption = {}): Conversations {
  const all: Conversation[] = [];
  return {
    open(request, provider) {
      const hashes = request.messages.map((message) => hashJson(message));
      const chain = chainOf(hashes);
      const conversation = findConversation(all, hashes, chain) ?? begin(all, provider, { ports, redact });
      const step: Step = { length: hashes.length, hash: chain[hashes.length] ?? "" };
      conversation.steps.push(step);
      return record(conversation, all.indexOf(conversation), request, step);
    },
    toCassettes: () =>
      all.map(({ recorder }) => recorder).flatMap((recorder) => (recorder.turns === 0 ? [] : recorder.toCassette())),
    toCassette(index) {
      const conversation = all[index];
      if (conversation === undefined || conversation.answers.size > 0 || conversation.recorder.turns === 0) return;
      return conversation.recorder.toCassette();
    },
  };
}

function begin(all: Conversation[], provider: string, options: RecordingOptions): Conversation {
  const answers: Conversation["answers"] = new Map();
  const scripted: LlmProviderAdapter = {
    name: provider,
    turn: (request) => answers.get(request) ?? Promise.reject(new Error("a turn was recorded that nobody asked")),
  };
  const conversation = { steps: [], answers, recorder: recordingProvider(scripted, options) };
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
    async answer(response) {
      resolve(response);
      try {
        await recorded;
        step.answerHash = hashJson(response.message);
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

function findConversation(
  all: readonly Conversation[],
  hashes: readonly string[],
  chain: readonly string[],
): Conversation | undefined {
  let best: { conversation: Conversation; rank: number } | undefined;
  for (const conversation of all) {
    for (const { length, hash, answerHash } of conversation.steps) {
      if (length >= hashes.length || chain[length] !== hash) continue;
      const rank = 2 * length + (answerHash !== undefined && answerHash === hashes[length] ? 1 : 0);
      if (best === undefined || rank >= best.rank) best = { conversation, rank };
    }
  }
  return best?.conversation;
}

/** The hash of every leading part, from the empty one to the whole. */
function chainOf(hashes: readonly string[]): string[] {
  const chain = [""];
  for (const hash of hashes) chain.push(sha256Hex(`${chain.at(-1) ?? ""} ${hash}`));
  return chain;
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((accept, refuse) => ([resolve, reject] = [accept, refuse]));
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
