// A provider that forwards every call to the provider it wraps, and records requests and answers. It changes nothing.

import {
  createGetters,
  providerName,
  withSystemPorts,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
} from "../../core/index.js";
import type { CassetteV2 } from "../file/format.js";
import { createStreamNote, type StreamNote } from "../stream/record.js";
import { setExchangeSide } from "./exchange-side.js";
import { setOpener } from "./open-turn.js";
import { assertName } from "./recordable.js";
import { createRecorder, type OpenTurn, type Recorder, type RecordingHead, type RecordingOptions } from "./recorder.js";

/** A provider that records. It returns the answers and errors of the wrapped provider unchanged. An error is not recorded. */
export interface RecordingProvider extends LlmProviderAdapter {
  readonly name: string;
  /** The number of turns recorded so far. */
  readonly turns: number;
  /** Returns the frozen cassette of the run so far. Throws `CassetteError` `turn-in-progress` while a call is unanswered. */
  toCassette(options?: RecordingHead): CassetteV2;
}

interface BegunStream {
  readonly turn: OpenTurn;
  readonly note: StreamNote | undefined;
}

/**
 * Keeps the response before the caller has it. A stream that is left early is a failed call. Not a method of the provider: V8 would keep it,
 * as it does an accessor.
 */
async function* recordStream(
  begin: () => BegunStream,
  read: () => AsyncIterable<LlmStreamEvent>,
): AsyncGenerator<LlmStreamEvent, void, undefined> {
  const { turn, note } = begin();
  let isKept = false;
  try {
    for await (const event of read()) {
      if (event.type === "response" && !isKept) {
        turn.answer(event.response, note);
        isKept = true;
      } else if (event.type !== "response" && !isKept) note?.take(event);
      yield event;
    }
  } finally {
    turn.fail();
  }
}

const withTurns = createGetters({ turns: (recorder: Recorder) => recorder.turns() });

/** Wraps `provider`. A turn that a cassette cannot hold rejects with `not-recordable`. For a wrong prompt, this happens before the provider is called. */
export function recordingProvider(provider: LlmProviderAdapter, options: RecordingOptions = {}): RecordingProvider {
  assertName(provider);
  const recorder = createRecorder(() => providerName(provider), options);
  const { streams = "boundaries" } = options;
  const ports = withSystemPorts(options.ports);
  const stream = provider.stream?.bind(provider);

  const begin = (request: LlmTurnRequest): BegunStream => ({
    turn: recorder.open(request),
    note: streams === false ? undefined : createStreamNote(streams, () => ports.now()),
  });

  const forwarding = {
    name: providerName(provider),
    async turn(request: LlmTurnRequest) {
      const turn = recorder.open(request);
      try {
        const response = await provider.turn(request);
        turn.answer(response);
        return response;
      } catch (error) {
        turn.fail();
        throw error;
      }
    },
    ...(stream === undefined
      ? {}
      : {
          stream: (request: LlmTurnRequest) =>
            recordStream(
              () => begin(request),
              () => stream(request),
            ),
        }),
    toCassette: (head?: RecordingHead) => recorder.toCassette(head),
    async destroy() {
      await provider.destroy?.();
    },
  };
  const recording: RecordingProvider = withTurns(forwarding, recorder);
  setExchangeSide(recording, {
    open: (request) => recorder.exchange(request),
    count: () => recorder.exchanges(),
  });
  return setOpener(recording, async (request) => recorder.open(request));
}
