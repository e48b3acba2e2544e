// What recording handlers do: send every request to its vendor, and record turns and exchanges into one cassette.

import {
  createRecorder,
  type PlainRequest,
  type Recorder,
  type RecordingHead,
  type RecordingOptions,
} from "../../../cassette/index.js";
import { withSystemPorts } from "../../../core/index.js";
import type { Door } from "./door.js";
import { recordExchanges } from "./exchanges.js";
import type { AskedTurn } from "./replies.js";
import { createVendor } from "./vendor.js";

type Send = (request: Request) => Promise<Response>;

/** Throws `invalid-options`. */
export function openRecording(
  { trouble }: Door,
  send: Send,
  { keepErrors = false, ...options }: RecordingOptions & { keepErrors?: boolean },
) {
  const open = (request: PlainRequest) => recorder.exchange(request);
  const vendor = createVendor({ send, trouble, ...options, ...(keepErrors ? { keepError: open } : {}) });
  const recorder: Recorder = createRecorder(() => vendor.named.name, options);
  const now = () => withSystemPorts(options.ports).now();
  const done = async () => {
    await trouble.settle();
    trouble.conclude();
  };
  return {
    answer: async (asked: AskedTurn) => vendor.answer(asked, recorder.open(asked.turn.request)),
    record: recordExchanges({ open, send, trouble, now, keepErrors }),
    done,
    toCassette: async (head?: RecordingHead) => {
      await done();
      return recorder.toCassette(head);
    },
  };
}
