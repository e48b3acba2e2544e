// Turns that come one after another, or at once, sorted into conversations (kinship.ts), each with a recorder.

import { hashJson, withSystemPorts, type LlmTurnRequest, type Ports } from "../../core/index.js";
import type { CassetteV2 } from "../file/format.js";
import { createTimeWarning, IN_A_CLIENT } from "../prompt/date-warning.js";
import type { RedactOption } from "../redact/options.js";
import { findKin, toAskedPrompt, type PromptStep } from "./kinship.js";
import { createRecorder, type OpenTurn, type Recorder } from "./recorder.js";

/** An open turn of one of several conversations. */
export interface PassingTurn extends OpenTurn {
  /** The conversation it belongs to: 0, 1, 2 … in the order they began. */
  readonly conversation: number;
}

export interface Conversations {
  /**
   * Notes a turn at the moment of its request; `provider` names the one that will answer it. Turns with the same `name` are one
   * conversation. A turn without a name belongs to the conversation that its prompt continues. Throws as `Recorder.open`.
   */
  open(request: LlmTurnRequest, provider: string, name?: string): PassingTurn;
  /** A cassette for every conversation with an answered turn, in the order they began. All turns must have settled. */
  toCassettes(): CassetteV2[];
  /** The answered turns of one conversation before its first open one; undefined if there are none. */
  toCassette(conversation: number): CassetteV2 | undefined;
}

interface Conversation {
  readonly name: string | undefined;
  readonly steps: PromptStep[];
  readonly recorder: Recorder;
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

  function begin(provider: string, name: string | undefined): Conversation {
    const recorder = createRecorder(() => provider, { ports: quiet, redact });
    const conversation = { name, steps: [], recorder };
    all.push(conversation);
    return conversation;
  }

  return {
    open(request, provider, name) {
      const prompt = toAskedPrompt(request.messages);
      const alike = all.filter((conversation) => conversation.name === name);
      const known = name === undefined ? findKin(alike, prompt) : alike[0];
      const conversation = known ?? begin(provider, name);
      const turn = conversation.recorder.open(request);
      const { steps } = conversation;
      const { step } = prompt;
      steps.push(step);
      const forget = (): void => {
        const at = steps.indexOf(step);
        if (at >= 0) steps.splice(at, 1);
      };
      return {
        conversation: all.indexOf(conversation),
        answer(response, note) {
          try {
            turn.answer(response, note);
          } catch (error) {
            forget();
            throw error;
          }
          step.answerHash = hashJson(response.message);
        },
        fail() {
          turn.fail();
          forget();
        },
      };
    },
    toCassettes: () => all.flatMap(({ recorder }) => (recorder.turns === 0 ? [] : warned(recorder.toCassette()))),
    toCassette(index) {
      const recorder = all[index]?.recorder;
      return recorder === undefined || recorder.turns === 0 ? undefined : warned(recorder.soFar());
    },
  };
}
