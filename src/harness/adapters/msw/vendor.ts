// The real vendor behind an intercepted request. The request goes out as it came, and the client gets the answer as it comes. The
// recorder gets a copy of the answer.

import type { OpenTurn, RecordingOptions } from "../../../cassette/index.js";
import { withSystemPorts, type LlmProviderAdapter } from "../../../core/index.js";
import { createAnswerKeeper, type KeepError } from "./answer-keeper.js";
import type { AskedTurn } from "./replies.js";
import { readWhole, withBody } from "./response.js";
import type { Trouble } from "./trouble.js";

export interface Vendor {
  /** Names the vendor in a recording. It is passed to functions that want a live provider, and never called. */
  readonly named: LlmProviderAdapter & { readonly name: string };
  /** Resolves to the vendor's answer, an error of the vendor too. Settles `turn`, if given, and notes an answer that is lost. */
  answer(asked: AskedTurn, turn?: OpenTurn): Promise<Response>;
}

interface VendorOptions extends Pick<RecordingOptions, "streams" | "ports"> {
  /** Sends a request past all handlers. */
  readonly send: (request: Request) => Promise<Response>;
  readonly trouble: Trouble;
  /** Opens an exchange that keeps an error of the vendor. Without it errors are not recorded. */
  readonly keepError?: KeepError;
}

export function createVendor({ send, trouble, keepError, streams = "boundaries", ports }: VendorOptions): Vendor {
  const machine = withSystemPorts(ports);
  const names = new Set<string>();
  const { keep, keepRefused } = createAnswerKeeper({ trouble, keepError, streams, machine });

  return {
    named: {
      get name() {
        return names.size === 0 ? "upstream" : [...names].join(" + ");
      },
      turn: () => Promise.reject(new Error("the handlers send requests to the vendor themselves")),
    },
    async answer(asked, turn) {
      names.add(`${asked.wire.name}:${asked.turn.request.settings.model}`);
      const requestedAt = machine.now();
      try {
        const answer = await send(asked.request);
        if (answer.ok) {
          if (turn === undefined) return withBody(answer, answer.body);
          const [theirs, copy] = answer.body?.tee() ?? [null, null];
          const kept = keep(turn, asked, { answer, copy, requestedAt });
          trouble.track(kept);
          asked.track(kept);
          return withBody(answer, theirs);
        }
        const { response, bytes } = await readWhole(answer);
        if (turn !== undefined) keepRefused(turn, asked, { answer, bytes });
        return response;
      } catch {
        turn?.fail();
        trouble.count(asked.request, "failed");
        return Response.error();
      }
    },
  };
}

/** The turn as a request with its whole conversation, for a vendor that does not have what it continues. */
export function withWholeBody(asked: AskedTurn): AskedTurn {
  const headers = new Headers(asked.request.headers);
  headers.delete("content-length");
  return { ...asked, request: new Request(asked.request, { headers, body: asked.body.slice() }) };
}
